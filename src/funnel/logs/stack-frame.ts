import {
  byteSet,
  DIGITS,
  endOfToken,
  isDigit,
  isSpace,
  LETTERS,
  skipDigits,
  skipSet,
  skipSpace,
  WILDCARD,
} from './character-class.ts';
import { LineBytes, startsWith } from './line-bytes.ts';

const BLANK = 32;
const CLOSE_ROUND = 41;
const CLOSE_SQUARE = 93;
const COLON = 58;
const DOT = 46;
const DOUBLE_QUOTE = 34;
const OPEN_ROUND = 40;

/** First bytes of frames but Go's functions, whose arguments give them away. Spares most lines a closer look. */
const BEGINS_FRAME = byteSet(' \taFf.');
const GO_NAME = byteSet(`${LETTERS}${DIGITS}_/.-`);
const GO_RECEIVER = byteSet('(*)');
const GO_ARGUMENTS = ['(0x', '({0x', '(...)'];
const MAX_GO_FUNCTION = 200;
const LETTER_A = 97;
const LETTER_F = 70;
const LOWER_F = 102;

const line = new LineBytes();

/** The skeleton of a stack frame; undefined when the text is none. */
export function frameSkeleton(text: string): string | undefined {
  return readFrame(line.bytes, 0, line.encode(text));
}

/**
 * The skeleton of the stack frame in these bytes, undefined when there is none: one for each way a runtime prints a stack:
 * Java, .NET, JavaScript (`at …`), `... 12 more`, Python (`File …`), Go (`file.go:12 +0x1f`, `pkg.Func(0xc0…)`), Ruby
 * (`from x.rb:3:in`).
 */
export function readFrame(bytes: Uint8Array, from: number, end: number): string | undefined {
  if (BEGINS_FRAME[bytes[from] ?? 0] === 1) {
    const at = skipSpace(bytes, from, end);
    const first = bytes[at];
    if (first === LETTER_A && isCall(bytes, at, end, at > from)) return `at ${WILDCARD}`;
    if (first === DOT && isOmission(bytes, at, end)) return `... ${WILDCARD} more`;
    if (first === LETTER_F && isPythonPlace(bytes, at, end)) return `File ${WILDCARD}, line ${WILDCARD}`;
    if (first === LOWER_F && isRubyPlace(bytes, at, end)) return `from ${WILDCARD}`;
    if (at > from && isGoPlace(bytes, at, end)) return `${WILDCARD} +${WILDCARD}`;
  }
  return isGoFunction(bytes, from, end) ? `${WILDCARD}(${WILDCARD})` : undefined;
}

/** `at a.b.C.d(C.java:12) ~[lib.jar]`; behind white space also `at file.js:1:2`. */
function isCall(bytes: Uint8Array, at: number, end: number, isIndented: boolean): boolean {
  if (bytes[at + 1] !== 116 || bytes[at + 2] !== BLANK || at + 3 >= end || isSpace(bytes[at + 3])) return false;
  if (isIndented) return true;
  let last = end - 1;
  while (isSpace(bytes[last]) && last > at) last--;
  if (bytes[last] === CLOSE_SQUARE) while (last > at && bytes[last] !== CLOSE_ROUND) last--;
  if (bytes[last] !== CLOSE_ROUND) return false;
  for (let i = at + 4; i < Math.min(last, at + 200); i++) if (bytes[i] === OPEN_ROUND) return true;
  return false;
}

/** `... 12 more`, `... 12 common frames omitted`. */
function isOmission(bytes: Uint8Array, at: number, end: number): boolean {
  if (!startsWith(bytes, at, '... ')) return false;
  const digits = skipDigits(bytes, at + 4, end);
  const isKnown = [' more', ' common frames omitted', ' lines'].some((rest) => startsWith(bytes, digits, rest));
  return digits > at + 4 && isKnown;
}

/** `File "app/main.py", line 12, in run`. */
function isPythonPlace(bytes: Uint8Array, at: number, end: number): boolean {
  if (!startsWith(bytes, at, 'File "')) return false;
  let quote = at + 6;
  while (quote < end && bytes[quote] !== DOUBLE_QUOTE) quote++;
  return startsWith(bytes, quote + 1, ', line ') && isDigit(bytes[quote + 8]);
}

/** `from app/main.rb:12:in 'run'`. */
function isRubyPlace(bytes: Uint8Array, at: number, end: number): boolean {
  if (!startsWith(bytes, at, 'from ')) return false;
  const stop = endOfToken(bytes, at + 5, end);
  return bytes[stop - 1] === 110 && startsWith(bytes, stop - 3, ':in') && isDigit(bytes[stop - 4]);
}

/** `app/main.go:12 +0x1f`. */
function isGoPlace(bytes: Uint8Array, at: number, end: number): boolean {
  const stop = endOfToken(bytes, at, end);
  let colon = stop - 1;
  while (isDigit(bytes[colon])) colon--;
  const isNumbered = bytes[colon] === COLON && colon < stop - 1;
  if (!isNumbered || !(startsWith(bytes, colon - 3, '.go') || startsWith(bytes, colon - 2, '.s'))) return false;
  const rest = skipSpace(bytes, stop, end);
  return rest >= end || (startsWith(bytes, rest, '+0x') && skipSpace(bytes, endOfToken(bytes, rest, end), end) >= end);
}

/** `net/http.(*conn).serve(0xc0001, {0x1…`: the first token has a dot and then arguments in hexadecimal. */
function isGoFunction(bytes: Uint8Array, from: number, end: number): boolean {
  const stop = skipSet(bytes, from, Math.min(end, from + MAX_GO_FUNCTION), GO_NAME);
  if (stop === from || bytes[stop] !== OPEN_ROUND) return false;
  let hasDot = false;
  for (let i = from; i < Math.min(end, from + MAX_GO_FUNCTION); i++) {
    const byte = bytes[i] ?? 0;
    if (byte === DOT) hasDot = true;
    if (byte === OPEN_ROUND && hasDot && GO_ARGUMENTS.some((begin) => startsWith(bytes, i, begin))) return true;
    if (GO_NAME[byte] === 0 && GO_RECEIVER[byte] === 0) return false;
  }
  return false;
}

/** True for the lines that continue a stack trace without being a frame: the next cause, a suppressed exception. */
export function isCause(text: string): boolean {
  return /^\s*(?:Caused by:|Suppressed:|\[CIRCULAR REFERENCE|The above exception was|During handling of the above)/.test(
    text,
  );
}
