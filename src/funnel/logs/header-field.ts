import {
  byteSet,
  CLASS_OF,
  DIGITS,
  isDigit,
  isSpace,
  LETTER,
  LETTERS,
  skipDigits,
  skipSpace,
} from './character-class.ts';

const BAR = 124;
const BLANK = 32;
const CLOSE_CURLY = 125;
const CLOSE_ROUND = 41;
const CLOSE_SQUARE = 93;
const COLON = 58;
const COMMA = 44;
const DASH = 45;
const DOUBLE_QUOTE = 34;
const EQUALS = 61;
const HASH = 35;
const OPEN_CURLY = 123;
const OPEN_ROUND = 40;
const OPEN_SQUARE = 91;

/** Every reader here returns the index after what it read at `at`, or -1. */

const MARKED = 2;
const NOT_UPPER = 4;

const NAME = `${LETTERS}${DIGITS}_`;
const FIELD = byteSet(`${NAME}@$:/.#-`);
/** What tells a field from a word of a sentence. */
const MARK = byteSet(`${DIGITS}_.@#-`);
const UPPER_CASE = byteSet(LETTERS.slice(0, 26));
/** By byte, what it says of its field: 0 ends the field. */
const FIELD_BITS = FIELD.map((isField, byte) =>
  isField === 0 ? 0 : isField | (MARK[byte] === 1 ? MARKED : 0) | (UPPER_CASE[byte] === 1 ? 0 : NOT_UPPER),
);
const BEFORE_MESSAGE = byteSet('>*.#');

const MAX_FIELD = 80;
const MAX_BRACKET = 200;

/** Separators between fields and the white space round them: `|`, `:`, `,`, `;`, ` - `, ` > `. Never -1: `at` when there are none. */
export function separatorEnd(bytes: Uint8Array, at: number, end: number): number {
  let from = at;
  for (;;) {
    const i = skipSpace(bytes, from, end);
    if (i >= end) return i;
    const byte = bytes[i] ?? 0;
    if (byte === BAR || byte === COLON || byte === COMMA || byte === 59) from = i + 1;
    else if (i === from) return i;
    else if (byte === DASH) {
      from = i + 1;
      while (from < end && bytes[from] === DASH) from++;
    } else if (BEFORE_MESSAGE[byte] === 1 && i + 1 < end && isSpace(bytes[i + 1])) from = i + 1;
    else return i;
  }
}

/**
 * A bracket group or one token that looks like a field: with a digit or one of `. @ # _ -` in it, in capitals, a word
 * before a bar, or only dashes and bars. White space or a bar follows.
 */
export function fieldEnd(bytes: Uint8Array, at: number, end: number): number {
  const limit = Math.min(end, at + MAX_FIELD + 1);
  let form = 0;
  let i = at;
  for (; i < limit; i++) {
    const bits = FIELD_BITS[bytes[i] ?? 0] ?? 0;
    if (bits === 0) break;
    form |= bits;
  }
  const next = bytes[i] ?? 0;
  if (i === at) return next === BAR ? barsEnd(bytes, at, end) : bracketEnd(bytes, at, end);
  if (i >= limit || (next !== BAR && !isSpace(next))) return -1;
  if ((form & MARKED) !== 0 || ((form & NOT_UPPER) === 0 && i - at > 1 && next !== BAR)) return i;
  return isBeforeSeparator(bytes, i, end) && CLASS_OF[bytes[at] ?? 0] === LETTER ? i : -1;
}

/** `name |`, `name - LEVEL`: what stands alone between separators is a column. */
function isBeforeSeparator(bytes: Uint8Array, at: number, end: number): boolean {
  const i = skipSpace(bytes, at, Math.min(end, at + 20));
  return bytes[i] === BAR || (bytes[i] === DASH && isSpace(bytes[i + 1]) && isCapital(bytes[i + 2]));
}

function isCapital(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 65 && byte <= 90;
}

function barsEnd(bytes: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end && (bytes[i] === BAR || bytes[i] === DASH)) i++;
  return i < end && isSpace(bytes[i]) ? i : -1;
}

/** `[…]`, `(…)` or `{…}`; an object in JSON is a message. */
export function bracketEnd(bytes: Uint8Array, at: number, end: number): number {
  const open = bytes[at] ?? 0;
  const close = closingOf(open);
  if (close === 0 || (open === OPEN_CURLY && bytes[at + 1] === DOUBLE_QUOTE)) return -1;
  const limit = Math.min(end, at + MAX_BRACKET);
  let depth = 0;
  for (let i = at; i < limit; i++) {
    const byte = bytes[i];
    if (byte === open) depth++;
    else if (byte === close && --depth === 0) return i + 1;
  }
  return -1;
}

/** The bracket that closes this one; 0 for other bytes. */
export function closingOf(open: number): number {
  if (open === OPEN_SQUARE) return CLOSE_SQUARE;
  if (open === OPEN_ROUND) return CLOSE_ROUND;
  return open === OPEN_CURLY ? CLOSE_CURLY : 0;
}

/** `17` or `#17` before white space or a separator. */
export function numberEnd(bytes: Uint8Array, at: number, end: number): number {
  const from = bytes[at] === HASH ? at + 1 : at;
  const i = skipDigits(bytes, from, end);
  if (i === from || i >= end) return -1;
  const next = bytes[i] ?? 0;
  return isSpace(next) || next === BAR || next === COLON || next === COMMA ? i : -1;
}

/** `[4bf9a0c2, -]`: ids of a trace or a request, before white space. */
export function contextIdsEnd(bytes: Uint8Array, at: number, end: number): number {
  if (bytes[at] !== OPEN_SQUARE) return -1;
  let i = at + 1;
  while (i < end && bytes[i] !== CLOSE_SQUARE) {
    const id = idEnd(bytes, i, end);
    if (id < 0) return -1;
    const next = skipListMark(bytes, id, end);
    if (next === id && bytes[next] !== CLOSE_SQUARE) return -1;
    i = next;
  }
  return i + 1 < end && isSpace(bytes[i + 1]) ? i + 1 : -1;
}

/** A dash, or a token with a digit before any equals sign and without a colon. */
function idEnd(bytes: Uint8Array, at: number, end: number): number {
  let hasDigit = false;
  let isAssigned = false;
  let i = at;
  for (; i < end; i++) {
    const byte = bytes[i] ?? 0;
    if (isSpace(byte) || byte === COMMA || byte === OPEN_SQUARE || byte === CLOSE_SQUARE || byte === COLON) break;
    if (byte === EQUALS) isAssigned = true;
    else if (isDigit(byte) && !isAssigned) hasDigit = true;
  }
  const isDash = i === at + 1 && bytes[at] === DASH;
  return i > at && (hasDigit || isDash) ? i : -1;
}

function skipListMark(bytes: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end && (bytes[i] === BLANK || bytes[i] === COMMA)) i++;
  return i;
}
