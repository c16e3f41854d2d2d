import { CLASS_OF, DIGIT, isDigit, isHexLetter, isWordByte, JOINT, LETTER } from './character-class.ts';
import { isPathAt } from './access-line.ts';
import { encodeText, startsWith } from './line-bytes.ts';
import { WordTable } from './word-table.ts';

const AT = 64;
const BLANK = 32;
const BACKSLASH = 92;
const DOT = 46;
const LOWER_CASE = 32;
const OPEN_ROUND = 40;
const SLASH = 47;

const LETTER_A = 97;
const LETTER_F = 102;
const MIN_HEX = 8;

const DATE_WORDS = 'mon tue wed thu fri sat sun jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const LITERALS = 'true false null nil none nan undefined'.split(' ');
const UNITS = (
  'b kb mb gb tb kib mib gib bytes byte ns us µs ms s sec secs second seconds min mins minute minutes h hour hours ' +
  'd day days msec usec microseconds milliseconds khz mhz ghz utc gmt cet cest est edt pst pdt usd eur gbp chf jpy cny inr'
).split(' ');
const METHODS = 'get post put delete patch head options'.split(' ');
/** Words a stack trace begins with in the middle of a line. */
const TRACE_WORDS = ['at', 'traceback'];
const SPECIAL_WORDS = [...DATE_WORDS, ...LITERALS, ...METHODS, ...TRACE_WORDS, ...UNITS];
const WORDS = new WordTable(SPECIAL_WORDS, true);
const FIRST_LITERAL = DATE_WORDS.length;
const FIRST_METHOD = FIRST_LITERAL + LITERALS.length;
const FIRST_TRACE = FIRST_METHOD + METHODS.length;
const FIRST_UNIT = FIRST_TRACE + TRACE_WORDS.length;

/** What the bytes of a word are, as bits: the forms of a whole word are those of its bytes together. */
export const LETTER_FORM = 1;
const DIGIT_FORM = 2;
const DOT_FORM = 4;
const SLASH_FORM = 8;
/** `@` and backslash. */
const MARK_FORM = 16;
const JOINT_FORM = 32;

/** By byte; 0 for what ends a word. */
export const FORM_OF = CLASS_OF.map((kind, byte) => {
  if (kind === LETTER) return LETTER_FORM;
  if (kind === DIGIT) return DIGIT_FORM;
  if (kind !== JOINT) return 0;
  if (byte === DOT) return DOT_FORM;
  if (byte === SLASH) return SLASH_FORM;
  return byte === BACKSLASH || byte === AT ? MARK_FORM : JOINT_FORM;
});

const MAX_LOOKED_UP = 31;
/** By first letter and length: 1 where some word of letters is more than a word. Spares most words a closer look. */
const MEANINGFUL = new Uint8Array(32 * (MAX_LOOKED_UP + 1));
for (const word of SPECIAL_WORDS) {
  const spelling = encodeText(word);
  MEANINGFUL[startKey(spelling[0] ?? 0, spelling.length)] = 1;
}
for (let letter = LETTER_A; letter <= LETTER_F; letter++) {
  for (let length = MIN_HEX; length <= MAX_LOOKED_UP; length++) MEANINGFUL[startKey(letter, length)] = 1;
}

function startKey(first: number, length: number): number {
  return ((first & 31) << 5) | (length < MAX_LOOKED_UP ? length : MAX_LOOKED_UP);
}

/** False for nearly all words of letters alone: they are what they say. */
export function mayMeanMore(first: number, length: number): boolean {
  return MEANINGFUL[startKey(first, length)] === 1;
}

export const NO_MEANING = 0;
export const DATE_MEANING = 1;
export const LITERAL_MEANING = 2;
export const UNIT_MEANING = 3;
export const HEX_MEANING = 4;
export const TRACE_MEANING = 5;
export const METHOD_MEANING = 6;

/**
 * What a word of letters alone means besides itself. A weekday or month is a date where a number or another such word
 * follows, `GET` a method where a path or URL follows, `at` the begin of a stack trace where a call follows.
 */
export function meaningOf(bytes: Uint8Array, from: number, to: number): number {
  if (!mayMeanMore(bytes[from] ?? 0, to - from)) return NO_MEANING;
  const index = WORDS.find(bytes, from, to);
  if (index < 0) return isHexWord(bytes, from, to) ? HEX_MEANING : NO_MEANING;
  if (index >= FIRST_UNIT) return UNIT_MEANING;
  if (index >= FIRST_TRACE) return isTrace(bytes, from, to) ? TRACE_MEANING : NO_MEANING;
  if (index >= FIRST_METHOD) return isMethod(bytes, from, to) ? METHOD_MEANING : NO_MEANING;
  if (index >= FIRST_LITERAL) return LITERAL_MEANING;
  const next = to + 1;
  const isDate = isDigit(bytes[next]) || isDigit(bytes[next + 1]) || isDateWord(WORDS.find(bytes, next, next + 3));
  return isDate ? DATE_MEANING : NO_MEANING;
}

/** In capitals, before a path or a URL. */
function isMethod(bytes: Uint8Array, from: number, to: number): boolean {
  const isCapital = ((bytes[from] ?? 0) & LOWER_CASE) === 0 && ((bytes[to - 1] ?? 0) & LOWER_CASE) === 0;
  return isCapital && isPathAt(bytes, to);
}

/** `at a.b.C.call(`, `Traceback (most`. */
function isTrace(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from > 2) return startsWith(bytes, to, ' (most recent call last)');
  if (bytes[to] !== BLANK) return false;
  let separators = 0;
  let i = to + 1;
  for (; isWordByte(bytes[i]); i++) if (bytes[i] === DOT || bytes[i] === SLASH) separators++;
  return separators >= 2 && bytes[i] === OPEN_ROUND;
}

function isDateWord(index: number): boolean {
  return index >= 0 && index < FIRST_LITERAL;
}

/** A long word of the letters a to f alone. */
function isHexWord(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from < MIN_HEX) return false;
  for (let i = from; i < to; i++) if (!isHexLetter(bytes[i] ?? 0)) return false;
  return true;
}

/** End of the word without the dots that close a sentence. */
export function withoutFinalDots(bytes: Uint8Array, from: number, end: number): number {
  let i = end;
  while (i > from + 1 && bytes[i - 1] === DOT) i--;
  return i;
}

/** True when the word, up to `trimmed`, is of letters alone. */
export function isOfLetters(bytes: Uint8Array, from: number, trimmed: number, forms: number): boolean {
  if (forms === LETTER_FORM) return true;
  return forms === (LETTER_FORM | DOT_FORM) && count(bytes, DOT, from, trimmed) === 0;
}

/**
 * True for words that are values by their form: with digits, paths, names of several parts, mail addresses. `trimmed`
 * is the end without dots.
 */
export function isValueByForm(bytes: Uint8Array, from: number, trimmed: number, forms: number): boolean {
  if ((forms & DIGIT_FORM) !== 0) return true;
  const first = bytes[from];
  if ((forms & SLASH_FORM) !== 0) {
    if (trimmed - from > 1 && (first === SLASH || first === DOT)) return true;
    if (count(bytes, SLASH, from, trimmed) > 1) return true;
  }
  if (forms === (LETTER_FORM | DOT_FORM) && isQualifiedName(bytes, from, trimmed)) return true;
  const isMarked = (forms & MARK_FORM) !== 0 && (forms & LETTER_FORM) !== 0;
  return isMarked && ((forms & DOT_FORM) !== 0 || first === BACKSLASH);
}

/**
 * `org.example.jobs.Cleaner`, `db.shop.example`: three parts or more are a name. That of an error is what the line
 * says.
 */
function isQualifiedName(bytes: Uint8Array, from: number, to: number): boolean {
  const isError = startsWith(bytes, to - 5, 'Error') || startsWith(bytes, to - 9, 'Exception');
  return !isError && count(bytes, DOT, from, to) >= 2;
}

function count(bytes: Uint8Array, wanted: number, from: number, to: number): number {
  let found = 0;
  for (let i = from; i < to; i++) if (bytes[i] === wanted) found++;
  return found;
}
