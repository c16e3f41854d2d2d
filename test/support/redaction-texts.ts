import { readFileSync } from 'node:fs';
import { drawFrom } from '../../bench/secret-texts.ts';

export interface RedactionText {
  /** The line of the file: its name in a test, for it holds no value. */
  readonly template: string;
  readonly text: string;
  readonly secrets: readonly string[];
}

type Draw = ReturnType<typeof drawFrom>;

const DIGITS = '0123456789';
const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const SMALL = CAPITALS.toLowerCase();
const BASE64 = `${CAPITALS}${SMALL}${DIGITS}+/`;
const ALPHABETS: Readonly<Record<string, string>> = {
  h: `${DIGITS}abcdef`,
  a: `${CAPITALS}${SMALL}${DIGITS}`,
  l: SMALL,
  U: `${CAPITALS}${DIGITS}`,
  d: DIGITS,
  b: BASE64,
};

const uuid = ({ hex }: Draw): string => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
const SECRETS: Readonly<Record<string, (draw: Draw) => string>> = {
  P: ({ password }) => password(),
  T: ({ alnum }) => alnum(32),
  K: ({ alnum }) => alnum(40),
  H: ({ hex }) => hex(32),
  S: ({ hex }) => hex(64),
  B: ({ alnum }) => `${alnum(42)}==`,
  W: ({ alnum }) => `${alnum(43)}=`,
  J: ({ alnum }) => [['eyJhbGciOi', 'JIUzI1NiJ9'].join(''), alnum(40), alnum(43)].join('.'),
  L: ({ alnum }) => alnum(120),
  O: ({ of }) => of(`${CAPITALS}234567`, 16),
  C: ({ alnum }) => alnum(53),
  I: uuid,
};
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** The texts of a file of `test/fixtures/redaction`, filled with values drawn from the seed. */
export function redactionTexts(file: string, seed: number): readonly RedactionText[] {
  const draw = drawFrom(seed);
  return readFileSync(new URL(`../fixtures/redaction/${file}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((template) => fill(template, draw));
}

function fill(template: string, draw: Draw): RedactionText {
  const secrets: string[] = [];
  const text = template
    .replace(/^\[\w+\] /, '')
    .replace(/\\([nrt])/g, (_all, letter: string) => ESCAPES[letter] ?? '')
    .replace(/\{u\}|\{([A-Zahldb])(\d{0,3})\}/g, (all: string, kind: string | undefined, length: string) => {
      if (kind === undefined) return uuid(draw);
      if (length !== '') return draw.of(ALPHABETS[kind] ?? '', Number(length));
      const secret = SECRETS[kind]?.(draw);
      if (secret === undefined) return all;
      secrets.push(secret);
      return secret;
    });
  return { template, text, secrets };
}
