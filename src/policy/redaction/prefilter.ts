import { hidesAnything, sanitize } from '../untrusted.ts';
import { BY_PLACE } from './commands.ts';
import { HASH_FORMATS } from './hashes.ts';
import { NAME_STEM } from './names.ts';
import { STATEMENTS } from './statements.ts';
import { quickLook } from './quick-look.ts';
import { TOKEN_SIGNS } from './tokens.ts';

/**
 * What at least one rule needs before it can match: a telling name, an option, the `@` or path of an address, a form of token or hash. A
 * text that holds none is done with one look.
 */
const SIGNS = [
  NAME_STEM,
  // Names that the stems leave to what follows them, in headings of tables and after their value.
  /pw|salt|community|(?:sid|pin)(?=[^a-z]|$)|(?:sid|pin)(?:value|base|b64|data|raw|plain|clear|text|str|literal|old|new|current|prev|prod|stag|dev|test|live|main|default|primary|second|env|hash|encoded|bytes|hex|in|confirm|repeat|again|v\d)/,
  /[@<…*]|code|hash|cookie|clave|zugangsdaten|bearer|basic|-----|LS0t|kty|Private-Lines|eyJhdX|%40|magic|invite|verify|confirm|reset|activat|unlock|sso\b|ifttt|hc-ping|hook|dingtalk|feishu|larksuite|api\.opsgenie|events\.pagerduty|alert\.victorops|(?:response|mac)=/,
  /[\s"'([]-{1,2}[A-Za-z]/,
  ...[...STATEMENTS, ...BY_PLACE].map(({ needle }) => needle),
  ...HASH_FORMATS.map(([needle]) => needle),
];
const ANY_SIGN = new RegExp([...new Set(SIGNS.map(({ source }) => `(?:${source})`))].join('|'), 'i');

/** Of the middle of a private key. Twice 32, since the automaton counts no further. */
const LINE_OF_PEM = /(?:[A-Za-z0-9+/]{32}){2}\r?\n/;
const SECRET_SIGNS: readonly RegExp[] = [ANY_SIGN, LINE_OF_PEM, ...TOKEN_SIGNS];
/** In texts without these nothing hides, and one look tells both. */
const ODD_CHARACTER = /[^\n\t\x20-\x7e]/;

export interface Prefilter {
  /** False when no rule changes the text, nor anything else than a rule of the operator. One look at each of its readings that is plain ASCII, two or three at others. */
  readonly mayChange: (text: string) => boolean;
  /** `mayChange` of at least one of them. Looks at all together, unless something hides in one. */
  readonly mayChangeAny: (texts: readonly string[]) => boolean;
  /** The same with fewer texts that are let through in vain, at a higher price. Ask it second. */
  readonly holdsSign: (text: string) => boolean;
}

type Holds = (text: string) => boolean;

/** `furtherSigns`: what else is looked for, such as the values that the process knows. `deepest`: how many times JSON in JSON is decoded. */
export function createPrefilter(furtherSigns: readonly RegExp[], deepest: number): Prefilter {
  const signs = [...SECRET_SIGNS, ...furtherSigns];
  const mayHoldSign = quickLook(signs);
  const mayNotBePlain = quickLook([...signs, ODD_CHARACTER]);
  const look = (text: string, holdsHidden?: Holds): boolean =>
    someReading(
      text,
      deepest,
      (reading) => mayNotBePlain(reading) && holdsSignOrHides(reading, mayHoldSign, holdsHidden),
    );
  const mayChange = (text: string): boolean => look(text);
  return {
    mayChange,
    // To the quick look each line begins and ends as a text does, so a sign of one of them is one of the whole.
    mayChangeAny: (texts) => look(texts.join('\n'), () => texts.some(mayChange)),
    holdsSign: (text) =>
      someReading(text, deepest, (reading) => holdsSignOrHides(reading, (one) => signs.some((sign) => sign.test(one)))),
  };
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|([^u]))/g;
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/**
 * Rules read JSON in JSON for what it says, so a sign may stand in the text, or in it with its escapes decoded, once for every level. Decoded as a whole:
 * every literal's text is a part of that.
 */
function someReading(text: string, deepest: number, holds: Holds): boolean {
  let reading = text;
  for (let level = 0; ; level++) {
    if (holds(reading)) return true;
    if (level === deepest || !reading.includes('\\')) return false;
    reading = decode(reading);
  }
}

/** A sign may also stand between characters that nobody sees. */
function holdsSignOrHides(
  text: string,
  holdsSign: Holds,
  holdsHidden: Holds = (whole) => holdsSign(sanitize(whole)),
): boolean {
  return holdsSign(text) || (hidesAnything(text) && holdsHidden(text));
}

function decode(text: string): string {
  return text.replace(ESCAPE, (_all, code: string | undefined, character: string) =>
    code === undefined ? (ESCAPED[character] ?? character) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
