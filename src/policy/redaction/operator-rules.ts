import { z } from 'zod';
import { whyUnbounded } from './bounded-pattern.ts';
import { PLACEHOLDER, type Mask, type RedactionPass } from './placeholder.ts';

const MOST_RULES = 100;
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
const Entries = z.array(z.unknown()).max(MOST_RULES, `holds more than ${MOST_RULES} rules`);

/** The rules of a list of `{type, pattern, flags?}`. `problems` names each entry that cannot be used, by its number and type, and why. */
export function readOperatorRules(list: unknown): {
  readonly rules: readonly OperatorRule[];
  readonly problems: readonly string[];
} {
  const entries = Entries.safeParse(list);
  if (!entries.success) return { rules: [], problems: [entries.error.issues[0]?.message ?? 'is no list'] };
  const rules: OperatorRule[] = [];
  const problems: string[] = [];
  for (const [index, value] of entries.data.entries()) {
    const rule = readEntry(value);
    if (typeof rule === 'string') problems.push(`entry ${index + 1}: ${rule}`);
    else rules.push(rule);
  }
  return { rules, problems };
}

/** The rule, or what is wrong with it. The pattern is not quoted: it may hold what it looks for. */
function readEntry(value: unknown): OperatorRule | string {
  const entry = Entry.safeParse(value);
  if (!entry.success)
    return entry.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim()).join('; ');
  const { type, pattern: source, flags } = entry.data;
  let pattern: RegExp;
  try {
    pattern = new RegExp(source, `${flags}g`);
  } catch {
    return `(${type}) the pattern is no regular expression of JavaScript`;
  }
  const problem = whyUnbounded(source, flags, SHORTEST_MATCH);
  return problem === undefined ? { type, pattern } : `(${type}) the pattern ${problem}`;
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
