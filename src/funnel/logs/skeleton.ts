import { byteSet, CLASS_OF, DIGIT, PUNCTUATION, SPACE, WILDCARD, WILDCARD_BYTE } from './character-class.ts';
import { textOf } from './line-bytes.ts';

const BLANK = 32;
const COLON = 58;

/** More than a line of the greatest length can write. */
const CAPACITY = 8192;

/** Punctuation that may stand between two values of one list, time, address or version. */
const SOFT = byteSet(',:;.|_+-/#&');

/** Places, in the line, of digits: the first `count` of `places`. */
export interface DigitPlaces {
  readonly places: Int32Array;
  readonly count: number;
}

/**
 * The constant part of one line, written from left to right into a buffer that is used again for every line.
 * Collapsing lives here: values side by side, with or without soft punctuation between, are one wildcard, and the same
 * words between values again and again are there once. So a list of three and a list of five make the same skeleton.
 */
export class Skeleton {
  readonly bytes = new Uint8Array(CAPACITY);
  /** The same memory, four bytes at a time, for hashing. */
  readonly words = new Uint32Array(this.bytes.buffer);
  /** Bytes written. Whoever writes to `bytes` directly sets it. */
  length = 0;
  /** Places of the wildcards written so far; those taken back are overwritten. */
  readonly #wildcards = new Uint16Array(CAPACITY);
  #wildcardCount = 0;
  /** The digits that were written as they are. */
  readonly digits = { places: new Int32Array(CAPACITY), count: 0 };

  clear(): void {
    this.length = 0;
    this.digits.count = 0;
    this.#wildcardCount = 0;
  }

  /** One space between tokens, none at the start. */
  space(): void {
    const { bytes, length } = this;
    if (length > 0 && bytes[length - 1] !== BLANK) {
      bytes[length] = BLANK;
      this.length = length + 1;
    }
  }

  append(byte: number): void {
    if (this.length < CAPACITY) this.bytes[this.length++] = byte;
  }

  /** Appends bytes of the line. */
  appendBytes(bytes: Uint8Array, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      const byte = bytes[i] ?? 0;
      if (CLASS_OF[byte] === DIGIT) this.digits.places[this.digits.count++] = i;
      this.append(byte);
    }
  }

  /** Appends ASCII text as it is. */
  appendText(text: string): void {
    for (let i = 0; i < text.length; i++) this.append(text.charCodeAt(i));
  }

  /** Appends ASCII text in which `WILDCARD` may stand. */
  appendTemplate(text: string): void {
    for (const character of text) this.append(character === WILDCARD ? WILDCARD_BYTE : character.charCodeAt(0));
  }

  wildcard(): void {
    const { bytes } = this;
    let i = this.length;
    while (i > 0 && this.#isSoft(i - 1)) i--;
    if (i > 0 && bytes[i - 1] === WILDCARD_BYTE) {
      this.length = i;
      return;
    }
    this.#wildcards[this.#wildcardCount++] = this.length;
    this.append(WILDCARD_BYTE);
    if (this.#wildcardCount > 2) this.#foldRepetition();
  }

  /** White space or punctuation within a value. A colon before a space ends what it names: `card 12: 3-D Secure` has two. */
  #isSoft(i: number): boolean {
    const byte = this.bytes[i] ?? 0;
    if (byte === COLON && i + 1 < this.length && this.bytes[i + 1] === BLANK) return false;
    return byte === BLANK || SOFT[byte] === 1;
  }

  /** `<*> ok <*> ok <*>` becomes `<*> ok <*>`: takes back the end when it only repeats what stands before it. */
  #foldRepetition(): void {
    const { bytes } = this;
    const count = this.#wildcardCount;
    const last = this.#wildcards[count - 1] ?? 0;
    const middle = this.#wildcards[count - 2] ?? 0;
    const start = this.#wildcards[count - 3] ?? 0;
    if (last - middle !== middle - start) return;
    for (let i = middle - start - 1; i > 0; i--) {
      if (bytes[start + i] !== bytes[middle + i]) return;
    }
    this.length = middle + 1;
    this.#wildcardCount--;
  }

  /** True when the last thing written, spaces aside, is a wildcard. */
  endsInWildcard(): boolean {
    const { bytes, length } = this;
    const last = bytes[length - 1];
    return length > 0 && (last === WILDCARD_BYTE || (last === BLANK && bytes[length - 2] === WILDCARD_BYTE));
  }

  /** True when the next word stands at the start or directly after white space. */
  atTokenStart(): boolean {
    return this.length === 0 || this.bytes[this.length - 1] === BLANK;
  }

  /** Takes back white space and the soft punctuation that closes a sentence or a list. */
  trimEnd(): void {
    while (this.length > 1) {
      const last = this.bytes[this.length - 1] ?? 0;
      if (last !== BLANK && (SOFT[last] === 0 || !this.#isAfterValueOrWord())) return;
      this.length--;
    }
  }

  toString(): string {
    return textOf(this.bytes, 0, this.length).replaceAll(String.fromCharCode(WILDCARD_BYTE), WILDCARD);
  }

  #isAfterValueOrWord(): boolean {
    const before = this.bytes[this.length - 2] ?? 0;
    const kind = CLASS_OF[before];
    return before === WILDCARD_BYTE || (kind !== PUNCTUATION && kind !== SPACE);
  }
}
