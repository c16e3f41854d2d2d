import { isMasked } from './placeholder.ts';

/** Values that say "nothing here", "hidden already" or "look there" instead of being a secret. */
const NOT_A_SECRET: readonly RegExp[] = [
  /^(?:null|nil|none|undefined|true|false|yes|no|on|off|empty|unset|missing|invalid|required|optional|expired|changed|incorrect|mismatch|string|bytes|hidden|masked|redacted|removed|encrypted|unknown|provided|n\/a)$/i,
  /^[*•.#x_-]{1,200}$/i,
  /^\$\{[^}]{0,200}\}?$|^\$\([^)]{0,200}\)?$|^\$[A-Z_][A-Z0-9_]{0,80}$|^\{\{.{0,200}$|^%(?:[sdvq]|\(\w{1,60}\)s|\w{1,60}%)$/,
  /^<[^<>]{1,80}>$|^\[[a-z ]{1,40}\]$/i,
  /^[{[](?!REDACTED:)(?:["'\s{[\\}\]]|[\w-]{1,60}:|$)/,
  /^(?:file:\/\/|[.~]{1,2}\/|\/(?:run|var|etc|mnt|opt|home|app|usr|tmp|root|srv|secrets?|vault|dev)\/)[\w./@-]{0,200}$/,
  /^(?:arn:aws|vault:|ref\+\w{1,20}:|op:\/\/|projects\/|secret\/|kv\/)[\w:/.@+-]{0,300}$/,
  /^https?:\/\/[^@?\s]{0,500}$/,
  /^(?:process\.env|os\.environ|env|config|secrets|vars|settings|this|self|req|request|params|args|options|\.Values)\b[.[]/,
];
/** Code and dumps of objects: `getToken(`, `Token{a64f992`, `android.os.BinderProxy@2bd79ce`. A password may look like that too. */
const CODE = /^[A-Za-z_$][\w$.]{0,80}(?:[({]|@[0-9a-f]{1,16}$)/;
/** The name of an object that holds a secret (`checkout-tls`): words and short suffixes, joined by dashes. */
const OBJECT_NAME = /^[a-z][a-z0-9]{0,20}(?:-[a-z0-9]{1,12}){1,8}$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const DIGEST = /^(?:sha(?:1|224|256|384|512)|md5|h1)[:=-]/i;
const TIME = /^\d{4}-\d{2}-\d{2}[T ]/;
/** Words and numbers joined by separators (`user:582475:cart`), and numbers in hexadecimal. */
const JOINED_WORDS = /^(?:[a-z]{1,15}|[A-Z]{1,15}|\d{1,8})(?:[-_:./|](?:[a-z]{1,15}|[A-Z]{1,15}|\d{1,8})){1,20}$/;
const HEX_NUMBER = /^0x[0-9a-f]{1,16}$/i;
const SHORTEST_RANDOM = 12;
const LONGEST_JUDGED = 512;

/** True when the value of a name that surely names a secret is none. `type` is the verdict's. */
export function isHarmlessValue(value: string, type: string): boolean {
  if (value.length === 0 || isMasked(value)) return true;
  if (NOT_A_SECRET.some((pattern) => pattern.test(value))) return true;
  if (/^\d{1,20}$/.test(value)) return value.length < (type === 'password' ? 4 : 8);
  if (type === 'password') return false;
  if (value.length < 6 || CODE.test(value)) return true;
  return (
    (type === 'secret' || type === 'credential') && OBJECT_NAME.test(value) && !looksRandom(value.replaceAll('-', ''))
  );
}

/** Stricter than `looksRandom`, for values that only a blank joins to their name: `token ab12…`, but not `secret checkout-tls-4e2a`. */
export function looksLikeLooseSecret(value: string): boolean {
  return looksRandom(value) && !OBJECT_NAME.test(value) && !/[/()<>{}=]/.test(value);
}

/** True for text that nobody would type or choose as a name: long, mixed and without repetition. Identifiers of evidence are none. */
export function looksRandom(value: string): boolean {
  if (value.length < SHORTEST_RANDOM) return false;
  if (value.length > LONGEST_JUDGED) return true;
  if (JOINED_WORDS.test(value) || HEX_NUMBER.test(value)) return false;
  if (UUID.test(value) || DIGEST.test(value) || TIME.test(value) || /\s/.test(value)) return false;
  if (!/[0-9]/.test(value) || !/[A-Za-z]/.test(value))
    return /[a-z]/.test(value) && /[A-Z]/.test(value) && entropy(value) > 4;
  return entropy(value) > 3;
}

/** Shannon entropy of the characters, bits a character. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
