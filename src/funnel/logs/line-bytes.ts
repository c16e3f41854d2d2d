import { WILDCARD } from './character-class.ts';

/** Bytes of a line that are read: formats with fields may say what they have to say far behind. */
const MAX_BYTES = 32_768;
/** Readers look a few bytes ahead; behind the end they find zeros, which are white space. */
const PADDING = 64;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A line as UTF-8 in a buffer that is used again: typed arrays are read several times faster than strings. */
export class LineBytes {
  readonly bytes = new Uint8Array(MAX_BYTES + PADDING);
  /** The same memory, four bytes at a time, for hashing. */
  readonly words = new Int32Array(this.bytes.buffer);
  readonly #room = this.bytes.subarray(0, MAX_BYTES);

  /** Writes the line, or as much of it as there is room for, and returns the number of bytes. */
  encode(line: string): number {
    const { bytes } = this;
    const { read, written } = encoder.encodeInto(line, this.#room);
    if (read !== written) blankSpecialCharacters(bytes, written);
    for (let i = written; i < written + ZEROS; i++) bytes[i] = 0;
    return written;
  }
}
/** No reader looks farther ahead without having seen what stands between. */
const ZEROS = 8;

export function encodeText(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The text of some bytes of a line. */
export function textOf(bytes: Uint8Array, from: number, to: number): string {
  return decoder.decode(bytes.subarray(from, to));
}

/** No-break spaces are white space, and the sign for a wildcard must not be in a text. */
function blankSpecialCharacters(bytes: Uint8Array, length: number): void {
  const [first = 0, second = 0, third = 0] = encoder.encode(WILDCARD);
  for (let i = 0; i < length; i++) {
    if (bytes[i] === 0xc2 && bytes[i + 1] === 0xa0) bytes.fill(32, i, i + 2);
    else if (bytes[i] === first && bytes[i + 1] === second && bytes[i + 2] === third) bytes.fill(32, i, i + 3);
  }
}

/** True when the bytes at `at` are the characters of an ASCII text. */
export function startsWith(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}
