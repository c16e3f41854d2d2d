import { BY_PLACE } from './commands.ts';
import { HASH_FORMATS } from './hashes.ts';
import { NAME_STEM } from './names.ts';
import { STATEMENTS } from './statements.ts';
import { quickLook } from './quick-look.ts';
import { mayHoldToken, TOKEN_SIGNS } from './tokens.ts';

/**
 * What at least one rule needs before it can match: a telling name, an option, the `@` or path of an address, a form of token or hash. A
 * text that holds none is done with one look.
 */
const SIGNS = [
  NAME_STEM,
  /[@<…*]|code|hash|cookie|clave|zugangsdaten|bearer|basic|-----|LS0t|kty|Private-Lines|eyJhdX|%40|magic|invite|verify|confirm|reset|activat|unlock|sso\b|ifttt|hc-ping|hook|dingtalk|feishu|larksuite/,
  /[\s"'([]-{1,2}[A-Za-z]/,
  ...[...STATEMENTS, ...BY_PLACE].map(({ needle }) => needle),
  ...HASH_FORMATS.map(([needle]) => needle),
];
const ANY_SIGN = new RegExp([...new Set(SIGNS.map(({ source }) => `(?:${source})`))].join('|'), 'i');

/** Of the middle of a private key. */
const LINE_OF_PEM = /(?:^|\n)[A-Za-z0-9+/]{64}\r?\n/;

/** One of them matches every text that a rule changes, but for lines of a private key: those need a line break. */
export const SECRET_SIGNS: readonly RegExp[] = [ANY_SIGN, ...TOKEN_SIGNS];
const mayHoldSign = quickLook(SECRET_SIGNS);

export function mayHoldSecret(text: string): boolean {
  const isOneLine = !text.includes('\n');
  if (isOneLine && !mayHoldSign(text)) return false;
  return ANY_SIGN.test(text) || mayHoldToken(text) || (!isOneLine && LINE_OF_PEM.test(text));
}
