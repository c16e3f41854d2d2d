import type { DigitPlaces } from './skeleton.ts';

/** Longer lines rarely come again, and hashing them costs as much as reading them. */
const MAX_LENGTH = 1024;
/** The table begins small, for there are short logs, and grows with the lines that are kept. */
const FIRST_SLOTS = 2 ** 12;
const MAX_SLOTS = 2 ** 17;
const GROWTH = 4;
/** Digits of one line that may decide: a status, versions in a path. */
const MAX_DIGITS = 3;

/** What a slot holds: two hashes, the id + 1 (0 when the slot is empty), and the digits, each as place × 256 + byte. */
const SECOND = 1;
const ID = 2;
const DIGITS = 3;
const SLOT_SIZE = DIGITS + MAX_DIGITS;

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
  #slots = new Int32Array(FIRST_SLOTS * SLOT_SIZE);
  #mask = FIRST_SLOTS - 1;
  #used = 0;
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
    const slots = this.#slots;
    const slot = (first & this.#mask) * SLOT_SIZE;
    if (slots[slot] !== first || slots[slot + SECOND] !== second) return -1;
    for (let i = slot + DIGITS; i < slot + SLOT_SIZE; i++) {
      const digit = slots[i] ?? 0;
      if (digit === 0) break;
      if (bytes[digit >> 8] !== (digit & 255)) return -1;
    }
    return (slots[slot + ID] ?? 0) - 1;
  }

  /** Keeps the id for the line that `find` looked for last, unless more digits decided than there is room for. */
  remember(id: number, bytes: Uint8Array, { places, count }: DigitPlaces): void {
    if (!this.#isHashed || count > MAX_DIGITS) return;
    const slots = this.#slots;
    const slot = (this.#first & this.#mask) * SLOT_SIZE;
    if (slots[slot + ID] === 0) this.#used++;
    slots[slot] = this.#first;
    slots[slot + SECOND] = this.#second;
    slots[slot + ID] = id + 1;
    for (let i = 0; i < MAX_DIGITS; i++) {
      const place = places[i] ?? 0;
      slots[slot + DIGITS + i] = i < count ? place * 256 + (bytes[place] ?? 0) : 0;
    }
    if (2 * this.#used > this.#mask && this.#mask + 1 < MAX_SLOTS) this.#grow();
  }

  clear(): void {
    this.#slots = new Int32Array(FIRST_SLOTS * SLOT_SIZE);
    this.#mask = FIRST_SLOTS - 1;
    this.#used = 0;
  }

  #grow(): void {
    const old = this.#slots;
    this.#mask = GROWTH * (this.#mask + 1) - 1;
    this.#slots = new Int32Array((this.#mask + 1) * SLOT_SIZE);
    this.#used = 0;
    for (let from = 0; from < old.length; from += SLOT_SIZE) {
      if (old[from + ID] === 0) continue;
      this.#slots.set(old.subarray(from, from + SLOT_SIZE), ((old[from] ?? 0) & this.#mask) * SLOT_SIZE);
      this.#used++;
    }
  }
}
