import { judgeName } from './names.ts';
import { isMasked, type Mask } from './placeholder.ts';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * Keeps JSON what it is. Rules read text and may take a quote inside a string for the end of another one; where that has broken a document,
 * or a line that is one, its strings are redacted one by one instead. `before` and `after` are the text and what the rules made of it.
 */
export function keepJson(before: string, after: string, mask: Mask, redactText: (text: string) => string): string {
  if (before === after) return after;
  const whole = parseDocument(before);
  if (whole !== undefined) return parseDocument(after) === undefined ? redactDocument(whole, mask, redactText) : after;
  const linesBefore = before.split('\n');
  const linesAfter = after.split('\n');
  // A rule that took several lines for one value has left no JSON lines there.
  if (linesBefore.length === 1 || linesBefore.length !== linesAfter.length) return after;
  return linesAfter
    .map((line, index) => {
      const original = linesBefore[index] ?? '';
      const document = line === original ? undefined : parseDocument(original);
      return document === undefined || parseDocument(line) !== undefined
        ? line
        : redactDocument(document, mask, redactText);
    })
    .join('\n');
}

/** An object, a list or a string; a number or a word is no document worth keeping. */
function parseDocument(text: string): Json | undefined {
  if (!/^\s*[{["]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function redactDocument(document: Json, mask: Mask, redactText: (text: string) => string): string {
  const redactValue = (value: Json, isSecret: boolean): Json => {
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'string')
      return isSecret && value !== '' && !isMasked(value) ? mask('secret', value) : redactText(value);
    if (typeof value === 'number') return isSecret ? mask('secret', String(value)) : value;
    if (isList(value)) return value.map((item) => redactValue(item, isSecret));
    return redactObject(value, isSecret);
  };
  const redactObject = (object: { readonly [key: string]: Json }, isSecret: boolean): Json => {
    const holds = secretsHeldBy(object);
    return Object.fromEntries(
      Object.entries(object).map(([key, value]) => [
        key,
        redactValue(value, isSecret || holds(key) || isHeader(key) || judgeName(key)?.strength === 'strong'),
      ]),
    );
  };
  return JSON.stringify(redactValue(document, false));
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const isHeader = (key: string): boolean => /^(?:proxy-)?authorization$|^(?:set-)?cookie$/i.test(key);

/** Which keys hold secrets because of what stands beside them: Kubernetes Secrets, JSON Web Keys, pairs of name and value. */
function secretsHeldBy(object: { readonly [key: string]: Json }): (key: string) => boolean {
  const { kind, kty, name, key: named } = object;
  if (kind === 'Secret') return (key) => key === 'data' || key === 'stringData';
  if (kty !== undefined) return (key) => /^(?:d|p|q|dp|dq|qi|k)$/.test(key);
  const label = typeof name === 'string' ? name : typeof named === 'string' ? named : '';
  return (key) => key === 'value' && judgeName(label) !== undefined;
}
