/** Stands for everything that varies: a private-use character, which is read as white space where text has it. */
export const WILDCARD = '\ue000';
/** The same while a skeleton is being written: a control byte, which no text keeps. */
export const WILDCARD_BYTE = 1;

/** What a byte of UTF-8 is to the readers. Everything outside ASCII counts as a letter. */
export const SPACE = 0;
export const LETTER = 1;
export const DIGIT = 2;
/** Joins letters and digits to one word: `_ . $ @ / \ + - # * ~ %`. */
export const JOINT = 3;
export const PUNCTUATION = 4;

/** By byte: one look-up without a branch, in the hottest loops there are. */
export const CLASS_OF = new Uint8Array(256).fill(LETTER);
CLASS_OF.fill(PUNCTUATION, 0, 128);
CLASS_OF.fill(SPACE, 0, 33);
CLASS_OF[127] = SPACE;
for (let code = 65; code <= 90; code++) CLASS_OF[code] = CLASS_OF[code + 32] = LETTER;
for (let code = 48; code <= 57; code++) CLASS_OF[code] = DIGIT;
for (const joint of '_.$@/\\+-#*~%') CLASS_OF[joint.charCodeAt(0)] = JOINT;

export const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
export const DIGITS = '0123456789';

/** A set of bytes, by table. */
export type ByteSet = Uint8Array;

export function byteSet(characters: string): ByteSet {
  const set = new Uint8Array(256);
  for (const character of characters) set[character.charCodeAt(0)] = 1;
  return set;
}

export function isSpace(byte: number | undefined): boolean {
  return CLASS_OF[byte ?? 0] === SPACE;
}

export function isLetter(byte: number | undefined): boolean {
  return CLASS_OF[byte ?? 0] === LETTER;
}

export function isDigit(byte: number | undefined): boolean {
  return CLASS_OF[byte ?? 0] === DIGIT;
}

/** The letters a to f, of either case. */
export function isHexLetter(byte: number): boolean {
  const letter = byte | 32;
  return letter >= 97 && letter <= 102;
}

export function isWordByte(byte: number | undefined): boolean {
  const kind = CLASS_OF[byte ?? 0];
  return kind !== SPACE && kind !== PUNCTUATION;
}

/** Index of the first byte at or after `from` that is no white space; `end` when there is none. */
export function skipSpace(bytes: Uint8Array, from: number, end: number): number {
  let i = from;
  while (i < end && CLASS_OF[bytes[i] ?? 0] === SPACE) i++;
  return i;
}

/** Index of the first white space at or after `from`; `end` when there is none. */
export function endOfToken(bytes: Uint8Array, from: number, end: number): number {
  let i = from;
  while (i < end && CLASS_OF[bytes[i] ?? 0] !== SPACE) i++;
  return i;
}

/** Index of the first byte at or after `from` that is not in the set; at most `end`. */
export function skipSet(bytes: Uint8Array, from: number, end: number, set: ByteSet): number {
  let i = from;
  while (i < end && set[bytes[i] ?? 0] === 1) i++;
  return i;
}

export function skipDigits(bytes: Uint8Array, from: number, end: number): number {
  let i = from;
  while (i < end && CLASS_OF[bytes[i] ?? 0] === DIGIT) i++;
  return i;
}
