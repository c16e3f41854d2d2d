const BACKSLASH = 92;

/** What stands for these letters behind a backslash. */
const SIMPLE: ReadonlyMap<number, number> = new Map(
  Object.entries({ n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }).map(([letter, character]) => [
    letter.charCodeAt(0),
    character.charCodeAt(0),
  ]),
);
const LETTER_U = 117;
const LENGTH_OF_UNICODE = 6;

const encoder = new TextEncoder();

/** Index of the first backslash; `to` when there is none. */
export function firstEscape(bytes: Uint8Array, from: number, to: number): number {
  let i = from;
  while (i < to && bytes[i] !== BACKSLASH) i++;
  return i;
}

/**
 * Replaces the escapes of a quoted string in place and returns the new end: what they stand for
 * never takes more bytes than they do. Unknown escapes lose their backslash.
 */
export function unescape(bytes: Uint8Array, from: number, to: number): number {
  let read = from;
  let write = from;
  while (read < to) {
    const byte = bytes[read] ?? 0;
    if (byte !== BACKSLASH || read + 1 >= to) {
      bytes[write++] = byte;
      read++;
      continue;
    }
    const letter = bytes[read + 1] ?? 0;
    const unicode = letter === LETTER_U ? unicodeAt(bytes, read, to) : undefined;
    if (unicode === undefined) {
      bytes[write++] = SIMPLE.get(letter) ?? letter;
      read += 2;
    } else {
      const characters = encoder.encode(unicode);
      bytes.set(characters, write);
      write += characters.length;
      read += unicode.length * LENGTH_OF_UNICODE;
    }
  }
  return write;
}

/** True when a digit in the string decides which character an escape stands for. */
export function hasNumberedEscape(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i + 1 < to; i++) {
    if (bytes[i] !== BACKSLASH) continue;
    if (bytes[i + 1] === LETTER_U) return true;
    i++;
  }
  return false;
}

/** The character of `\u00e9`, or of two escapes that are one character; undefined when there is none. */
function unicodeAt(bytes: Uint8Array, at: number, to: number): string | undefined {
  const first = codeAt(bytes, at, to);
  if (Number.isNaN(first)) return undefined;
  const isHigh = first >= 0xd800 && first < 0xdc00;
  const second = isHigh ? codeAt(bytes, at + LENGTH_OF_UNICODE, to) : Number.NaN;
  const isLow = second >= 0xdc00 && second < 0xe000;
  // Half a character is written as the sign for one that cannot be read, as in all text here.
  return isLow ? String.fromCharCode(first, second) : String.fromCharCode(first);
}

function codeAt(bytes: Uint8Array, at: number, to: number): number {
  if (at + LENGTH_OF_UNICODE > to || bytes[at] !== BACKSLASH || bytes[at + 1] !== LETTER_U) return Number.NaN;
  let code = 0;
  for (let i = at + 2; i < at + LENGTH_OF_UNICODE; i++) {
    const digit = Number.parseInt(String.fromCharCode(bytes[i] ?? 0), 16);
    if (Number.isNaN(digit)) return Number.NaN;
    code = code * 16 + digit;
  }
  return code;
}
