import { classOf, PUNCTUATION, SPACE, WILDCARD } from './character-class.ts';

const WILDCARD_CODE = WILDCARD.charCodeAt(0);
const SPACE_CODE = 32;
const COLON_CODE = 58;
const MAX_LENGTH = 2048;

/** Punctuation that may stand between two values of one list, time, address or version. */
const SOFT = new Set(',:;.|_+-/#&'.split('').map((character) => character.charCodeAt(0)));

/**
 * The constant part of one line, written from left to right into a buffer that is used again for every line.
 * Collapsing lives here: values side by side, with or without soft punctuation between, are one wildcard, and the same
 * words between values again and again are there once. So a list of three and a list of five make the same skeleton.
 */
export class Skeleton {
  readonly codes = new Uint16Array(MAX_LENGTH);
  length = 0;

  clear(): void {
    this.length = 0;
  }

  isFull(): boolean {
    return this.length >= MAX_LENGTH - 1;
  }

  /** One space between tokens, none at the start. */
  space(): void {
    if (this.length > 0 && this.#last() !== SPACE_CODE) this.append(SPACE_CODE);
  }

  append(code: number): void {
    if (this.length < MAX_LENGTH) this.codes[this.length++] = code;
  }

  appendText(text: string, from = 0, to = text.length): void {
    for (let i = from; i < to; i++) this.append(text.charCodeAt(i));
  }

  wildcard(): void {
    let i = this.length;
    while (i > 0 && this.#isSoft(i - 1)) i--;
    if (i > 0 && this.codes[i - 1] === WILDCARD_CODE) this.length = i;
    else {
      this.append(WILDCARD_CODE);
      this.#foldRepetition();
    }
  }

  /** White space or punctuation within a value. A colon before a space ends what it names: `card 12: 3-D Secure` has two. */
  #isSoft(i: number): boolean {
    const code = this.codes[i] ?? 0;
    if (code === COLON_CODE && this.codes[i + 1] === SPACE_CODE) return false;
    return code === SPACE_CODE || SOFT.has(code);
  }

  /** `<*> ok <*> ok <*>` becomes `<*> ok <*>`: takes back the end when it only repeats what stands before it. */
  #foldRepetition(): void {
    const last = this.length - 1;
    const middle = this.codes.lastIndexOf(WILDCARD_CODE, last - 1);
    const period = last - middle;
    const start = middle - period;
    if (middle < 0 || start < 0 || this.codes[start] !== WILDCARD_CODE) return;
    for (let i = 1; i < period; i++) {
      if (this.codes[start + i] !== this.codes[middle + i]) return;
    }
    this.length = middle + 1;
  }

  /** True when the last thing written, spaces aside, is a wildcard. */
  endsInWildcard(): boolean {
    const last = this.#last();
    return last === WILDCARD_CODE || (last === SPACE_CODE && this.codes[this.length - 2] === WILDCARD_CODE);
  }

  /** True when the next word stands at the start or directly after white space. */
  atTokenStart(): boolean {
    return this.length === 0 || this.#last() === SPACE_CODE;
  }

  /** Takes back white space and the soft punctuation that closes a sentence or a list. */
  trimEnd(): void {
    while (this.length > 1) {
      const last = this.#last();
      if (last !== SPACE_CODE && !SOFT.has(last)) return;
      if (last !== SPACE_CODE && !this.#isAfterValueOrWord()) return;
      this.length--;
    }
  }

  toString(): string {
    return String.fromCharCode(...this.codes.subarray(0, this.length));
  }

  #last(): number {
    return this.codes[this.length - 1] ?? 0;
  }

  #isAfterValueOrWord(): boolean {
    const before = classOf(this.codes[this.length - 2] ?? 0);
    return this.codes[this.length - 2] === WILDCARD_CODE || (before !== PUNCTUATION && before !== SPACE);
  }
}
