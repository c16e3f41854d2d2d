import type { LogRecord } from '../../domain/telemetry.ts';

const CAPACITY = 48;

/**
 * A sample of at most 48 of the records offered: those whose hash of time and length is least (bottom-k). Which these are does not depend on the order of
 * offering, and a sample of the same records is always the same.
 */
export class LineSample {
  #kept: { readonly hash: number; readonly record: LogRecord }[] = [];
  #limit = Infinity;

  offer(record: LogRecord): void {
    const hash = hashOf(record);
    if (hash >= this.#limit) return;
    this.#kept.push({ hash, record });
    // Sorting every 48th time keeps the cost of one record constant.
    if (this.#kept.length >= 2 * CAPACITY) this.#shrink();
  }

  get size(): number {
    return Math.min(CAPACITY, this.#kept.length);
  }

  /** At most so many of the sample, in order of time. */
  lines(most = CAPACITY): readonly LogRecord[] {
    this.#shrink();
    const chosen = this.#kept.slice(0, most).map(({ record }) => record);
    return chosen.sort((a, b) => a.timeMs - b.timeMs);
  }

  #shrink(): void {
    this.#kept = this.#kept.sort((a, b) => a.hash - b.hash).slice(0, CAPACITY);
    if (this.#kept.length === CAPACITY) this.#limit = this.#kept.at(-1)?.hash ?? Infinity;
  }
}

function hashOf({ timeMs, message }: LogRecord): number {
  let hash = Math.imul(Math.floor(timeMs / 4294967296) ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(timeMs | 0, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15) ^ message.length, 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}
