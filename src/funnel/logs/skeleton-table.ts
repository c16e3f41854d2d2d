import type { Skeleton } from './skeleton.ts';

/** Skeletons seen so far, found by two 32-bit hashes of their bytes: a known one costs no string. */
export class SkeletonTable {
  readonly #mask: number;
  readonly #capacity: number;
  readonly #first: Int32Array;
  readonly #second: Int32Array;
  /** Id + 1; 0 for an empty slot. */
  readonly #ids: Int32Array;
  #size = 0;

  /** Holds at most `capacity` skeletons; twice as many slots keep the probes short. */
  constructor(capacity: number) {
    const slots = 2 ** Math.ceil(Math.log2(capacity * 2));
    this.#capacity = capacity;
    this.#mask = slots - 1;
    this.#first = new Int32Array(slots);
    this.#second = new Int32Array(slots);
    this.#ids = new Int32Array(slots);
  }

  isFull(): boolean {
    return this.#size >= this.#capacity;
  }

  /** Id of the skeleton; `newId` when it was not known, which is then remembered. The table must not be full. */
  findOrAdd(skeleton: Skeleton, newId: number): number {
    const { bytes, words, length } = skeleton;
    // The hash reads four bytes at a time.
    bytes[length] = bytes[length + 1] = bytes[length + 2] = 0;
    let first = Math.imul(length, 0x9e3779b1);
    let second = 0x9747b28c | 0;
    const end = (length + 3) >>> 2;
    for (let i = 0; i < end; i++) {
      const word = words[i] ?? 0;
      first = Math.imul(first ^ word, 0x85ebca6b);
      first ^= first >>> 15;
      second = Math.imul(second + word, 0xc2b2ae35);
      second = (second << 13) | (second >>> 19);
    }
    first ^= first >>> 13;
    let slot = first & this.#mask;
    for (let id = this.#ids[slot] ?? 0; id !== 0; id = this.#ids[slot] ?? 0) {
      if (this.#first[slot] === first && this.#second[slot] === second) return id - 1;
      slot = (slot + 1) & this.#mask;
    }
    this.#first[slot] = first;
    this.#second[slot] = second;
    this.#ids[slot] = newId + 1;
    this.#size++;
    return newId;
  }

  /** Forgets the skeletons whose ids are not wanted; all of them when the wanted ones alone would fill the table. */
  keepOnly(isWanted: (id: number) => boolean): void {
    const entries: (readonly [first: number, second: number, id: number])[] = [];
    for (let slot = 0; slot < this.#ids.length; slot++) {
      const id = this.#ids[slot] ?? 0;
      if (id !== 0 && isWanted(id - 1)) entries.push([this.#first[slot] ?? 0, this.#second[slot] ?? 0, id]);
    }
    this.#ids.fill(0);
    this.#size = 0;
    if (entries.length >= this.#capacity) return;
    for (const [first, second, id] of entries) this.#place(first, second, id);
  }

  #place(first: number, second: number, id: number): void {
    let slot = first & this.#mask;
    while (this.#ids[slot] !== 0) slot = (slot + 1) & this.#mask;
    this.#first[slot] = first;
    this.#second[slot] = second;
    this.#ids[slot] = id;
    this.#size++;
  }
}
