import { createHmac } from 'node:crypto';
import { assignmentPass } from './redaction/assignments.ts';
import { commandPass } from './redaction/commands.ts';
import { cutPass } from './redaction/cuts.ts';
import { hashPass } from './redaction/hashes.ts';
import { headerPass } from './redaction/headers.ts';
import { keyObjectPass } from './redaction/key-objects.ts';
import { keepJson } from './redaction/json-shape.ts';
import { kubernetesSecretPass } from './redaction/kubernetes.ts';
import { readLiterals } from './redaction/literals.ts';
import { markupPass } from './redaction/markup.ts';
import { operatorPass, type OperatorRule } from './redaction/operator-rules.ts';
import { placeholder, type Mask, type RedactionPass } from './redaction/placeholder.ts';
import { privateKeyPass } from './redaction/private-keys.ts';
import { prosePass } from './redaction/prose.ts';
import { registrySigns, registryPass } from './redaction/registry.ts';
import { statementPass } from './redaction/statements.ts';
import { createPrefilter } from './redaction/prefilter.ts';
import { tablePass } from './redaction/tables.ts';
import { tokenPass } from './redaction/tokens.ts';
import { urlPass } from './redaction/urls.ts';
import { hidesAnything, sanitize } from './untrusted.ts';

export interface RedactorOptions {
  /** What the process itself holds: keys, tokens, passwords of URLs. Masked in every encoding. */
  readonly secrets: readonly string[];
  /** Per-run key of the placeholders' hashes: equal secrets are recognisable within a run and nowhere else. */
  readonly key: string;
  /** Rules of whoever runs this, applied after the built-in ones. */
  readonly rules?: readonly OperatorRule[];
  /** Called once a masked value, with its type and nothing else. */
  readonly onRedacted?: (type: string) => void;
}

export interface Redactor {
  /** The text with every secret as `[REDACTED:type:h4]`. Idempotent; JSON stays JSON; linear time. Redact before any cut. */
  readonly redact: (text: string) => string;
  /** False when `redact` surely leaves the text as it is: asking costs a fraction of it. */
  readonly mayChange: (text: string) => boolean;
  /** False when `redact` surely leaves each of the texts as it is: one look at all of them costs less than one at each. */
  readonly mayChangeAny: (texts: readonly string[]) => boolean;
  /** `redact`, with the types of what was found, in no particular order. */
  readonly find: (text: string) => { readonly text: string; readonly found: readonly { readonly type: string }[] };
}

/** JSON in JSON in JSON … further levels are read with the backslashes they have. */
const DEEPEST_NESTING = 5;

/** The choke point of redaction: whatever leaves the process as text (to a model, the store, the log, a destination) goes through one. */
export function createRedactor({ secrets, key, rules = [], onRedacted }: RedactorOptions): Redactor {
  const known = registryPass(secrets);
  const prefilter = createPrefilter(registrySigns(secrets), DEEPEST_NESTING);
  const further = operatorPass(rules);
  // What a rule of the operator needs nobody knows beforehand.
  const mayChange = (text: string): boolean => rules.length > 0 || prefilter.mayChange(text);
  const mayChangeAny = (texts: readonly string[]): boolean => rules.length > 0 || prefilter.mayChangeAny(texts);
  const passes: readonly RedactionPass[] = [
    known,
    privateKeyPass,
    keyObjectPass,
    kubernetesSecretPass,
    urlPass,
    tokenPass,
    cutPass,
    hashPass,
    headerPass,
    statementPass,
    commandPass,
    markupPass,
    assignmentPass,
    tablePass,
    prosePass,
    further,
    known,
  ];
  const hash4 = (value: string): string => createHmac('sha256', key).update(value).digest('hex').slice(0, 4);

  const firstStandIn =
    1_000_000 + Number.parseInt(createHmac('sha256', key).update('stand-in').digest('hex').slice(0, 8), 16);
  const redactNested = (text: string, mask: Mask, depth: number, isSeen = false): string => {
    if (!mayChange(text) || (rules.length === 0 && !prefilter.holdsSign(text))) return text;
    const redactInner = (inner: string): string => (depth === 0 ? inner : redactNested(inner, mask, depth - 1, isSeen));
    const literals = readLiterals(text, redactInner, firstStandIn);
    const maskWhole: Mask = (type, value) => mask(type, literals.restore(value));
    const applyPasses = (whole: string): string => passes.reduce((current, pass) => pass(current, maskWhole), whole);
    const redacted = keepJson(literals.text, applyPasses(literals.text), maskWhole, applyPasses);
    const whole = known(literals.restore(redacted), mask);
    // Nobody sees what `sanitize` takes away later: a secret must not come together then. Once, or each level would double the work.
    if (isSeen || !hidesAnything(whole)) return whole;
    const seen = sanitize(whole);
    const redactedAgain = redactNested(seen, mask, depth, true);
    return redactedAgain === seen ? whole : redactedAgain;
  };

  const find: Redactor['find'] = (text) => {
    const found: { type: string }[] = [];
    // A text that repeats a secret all over is hashed once.
    const hashes = new Map<string, string>();
    const mask: Mask = (type, value) => {
      found.push({ type });
      onRedacted?.(type);
      const hash = hashes.get(value) ?? hash4(value);
      hashes.set(value, hash);
      return placeholder(type, hash);
    };
    return { text: redactNested(text, mask, DEEPEST_NESTING), found };
  };
  return { find, mayChange, mayChangeAny, redact: (text) => find(text).text };
}
