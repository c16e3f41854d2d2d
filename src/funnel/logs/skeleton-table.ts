import type { Skeleton } from './skeleton.ts';

/** Skeletons seen so far, found by two 32-bit hashes of their characters: a known one costs no string. */
export class SkeletonTable {
  readonly #mask: number;
  readonly #first: Int32Array;
  readonly #second: Int32Array;
  /** Id + 1; 0 for an empty slot. */
  readonly #ids: Int32Array;

  /** Holds at most `capacity` skeletons; twice as many slots keep the probes short. */
  constructor(capacity: number) {
    const slots = 2 ** Math.ceil(Math.log2(capacity * 2));
    this.#mask = slots - 1;
    this.#first = new Int32Array(slots);
    this.#second = new Int32Array(slots);
    this.#ids = new Int32Array(slots);
  }

  /** Id of the skeleton; `newId` when it was not known, which is then remembered. The caller keeps the table from overflowing. */
  findOrAdd(skeleton: Skeleton, newId: number): number {
    let first = 0x811c9dc5 | 0;
    let second = 0x9747b28c | 0;
    const { codes, length } = skeleton;
    for (let i = 0; i < length; i++) {
      const code = codes[i] ?? 0;
      first = Math.imul(first ^ code, 16777619);
      second = Math.imul(second ^ code, 0x85ebca6b);
      second ^= second >>> 15;
    }
    first ^= first >>> 15;
    let slot = first & this.#mask;
    for (let id = this.#ids[slot] ?? 0; id !== 0; id = this.#ids[slot] ?? 0) {
      if (this.#first[slot] === first && this.#second[slot] === second) return id - 1;
      slot = (slot + 1) & this.#mask;
    }
    this.#first[slot] = first;
    this.#second[slot] = second;
    this.#ids[slot] = newId + 1;
    return newId;
  }

  clear(): void {
    this.#ids.fill(0);
  }
}
