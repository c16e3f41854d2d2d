import { z } from 'zod';
import { whyUnbounded } from './bounded-pattern.ts';
import { PLACEHOLDER, type Mask, type RedactionPass } from './placeholder.ts';

/** Shorter matches would hit ordinary words all over. */
const SHORTEST_MATCH = 4;

/** A rule of whoever runs Rootnote: what the pattern matches is masked as `[REDACTED:type:h4]`. */
export interface OperatorRule {
  readonly type: string;
  /** Global, and of linear time. */
  readonly pattern: RegExp;
}

const Entry = z.strictObject({
  type: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, 'must be 1 to 40 small letters, digits and dashes'),
  pattern: z.string().min(1).max(500),
  flags: z
    .string()
    .regex(/^(?:([imsu])(?!.*\1))*$/, 'may hold i, m, s and u')
    .default(''),
});
/** A rule as it stands in a file: `{type, pattern, flags?}`. No message quotes the pattern: it may hold what it looks for. */
export const OperatorRule = Entry.transform(toRule);

function toRule({ type, pattern: source, flags }: z.infer<typeof Entry>, context: z.core.$RefinementCtx): OperatorRule {
  const pattern = compile(source, `${flags}g`);
  const problem = pattern ? whyUnbounded(source, flags, SHORTEST_MATCH) : 'is no regular expression of JavaScript';
  if (pattern && problem === undefined) return { type, pattern };
  context.addIssue({ code: 'custom', path: ['pattern'], message: problem ?? '' });
  return z.NEVER;
}

function compile(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

/** Masks whatever a rule matches between placeholders, one rule after the other. */
export function operatorPass(rules: readonly OperatorRule[]): RedactionPass {
  return (text, mask) => rules.reduce((current, rule) => maskMatches(current, rule, mask), text);
}

function maskMatches(text: string, { type, pattern }: OperatorRule, mask: Mask): string {
  if (text.search(pattern) < 0) return text;
  const kept: string[] = [];
  let from = 0;
  for (const found of text.matchAll(PLACEHOLDER)) {
    kept.push(
      text.slice(from, found.index).replace(pattern, (value) => mask(type, value)),
      found[0],
    );
    from = found.index + found[0].length;
  }
  return kept.join('') + text.slice(from).replace(pattern, (value) => mask(type, value));
}
