import type { DigitPlaces } from './skeleton.ts';

/** Longer lines rarely come again, and hashing them costs as much as reading them. */
const MAX_LENGTH = 1024;
const SLOTS = 2 ** 14;
/** Digits of one line that may decide: a status, versions in a path. */
const MAX_DIGITS = 4;

const DIGIT_ZERO = 0x30303030;
const SEVEN_BITS = 0x7f7f7f7f;
const HIGH_BITS = 0x80808080;
/** Added to a byte of seven bits, sets its high bit unless the byte is less than ten. */
const LESS_THAN_TEN = 0x76767676;

/**
 * Remembers what lines became, by their bytes with all digits made the same. Most lines of a log differ from an earlier one
 * in digits alone, and no reader tells one digit from another, but for the few places that it names. So a line
 * that is found needs no reading. Bounded: a newer line takes the place of an older one.
 */
export class LineCache {
  /** By slot: both hashes of a line and its id + 1; 0 for an empty slot. */
  readonly #firsts = new Int32Array(SLOTS);
  readonly #seconds = new Int32Array(SLOTS);
  readonly #ids = new Int32Array(SLOTS);
  /** By slot: digits that decided, each as place × 256 + byte; 0 for none. Another line must have the same there. */
  readonly #digits = new Int32Array(SLOTS * MAX_DIGITS);
  /** Hash of the line looked for last, for `remember`. */
  #first = 0;
  #second = 0;
  #isHashed = false;

  /** Id of an earlier line that differs in digits alone; -1 when there is none. `words` are the bytes, four at a time, zeros behind. */
  find(bytes: Uint8Array, words: Int32Array, length: number): number {
    this.#isHashed = length <= MAX_LENGTH;
    if (!this.#isHashed) return -1;
    let first = Math.imul(length, 0x9e3779b1);
    let second = 0x9747b28c | 0;
    const end = (length + 3) >>> 2;
    for (let i = 0; i < end; i++) {
      const word = words[i] ?? 0;
      const offset = word ^ DIGIT_ZERO;
      const others = ((offset & SEVEN_BITS) + LESS_THAN_TEN) | offset;
      const digits = (~others & HIGH_BITS) >>> 7;
      const masked = word & ~(digits * 15);
      first = Math.imul(first ^ masked, 0x85ebca6b);
      first ^= first >>> 15;
      second = Math.imul(second + masked, 0xc2b2ae35);
      second = (second << 13) | (second >>> 19);
    }
    first ^= first >>> 13;
    this.#first = first;
    this.#second = second;
    const slot = first & (SLOTS - 1);
    if (this.#firsts[slot] !== first || this.#seconds[slot] !== second) return -1;
    for (let i = slot * MAX_DIGITS; i < (slot + 1) * MAX_DIGITS; i++) {
      const digit = this.#digits[i] ?? 0;
      if (digit === 0) break;
      if (bytes[digit >> 8] !== (digit & 255)) return -1;
    }
    return (this.#ids[slot] ?? 0) - 1;
  }

  /** Keeps the id for the line that `find` looked for last, unless more digits decided than there is room for. */
  remember(id: number, bytes: Uint8Array, { places, count }: DigitPlaces): void {
    if (!this.#isHashed || count > MAX_DIGITS) return;
    const slot = this.#first & (SLOTS - 1);
    this.#firsts[slot] = this.#first;
    this.#seconds[slot] = this.#second;
    this.#ids[slot] = id + 1;
    for (let i = 0; i < MAX_DIGITS; i++) {
      const place = places[i] ?? 0;
      this.#digits[slot * MAX_DIGITS + i] = i < count ? place * 256 + (bytes[place] ?? 0) : 0;
    }
  }

  clear(): void {
    this.#ids.fill(0);
  }
}
