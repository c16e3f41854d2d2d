export const DEFAULT_LOCK_MS = 15_000;
/** A dead worker's job starts elsewhere after at most lock + interval; the defaults of BullMQ make that a minute. */
const STALLED_CHECKS_PER_LOCK = 3;

/** Options of a worker whose jobs start elsewhere when it has been silent for `lockMs`. */
export function lockTimes(lockMs: number): { readonly lockDuration: number; readonly stalledInterval: number } {
  // Whole milliseconds: Redis refuses others, and then nothing would ever be found dead.
  return { lockDuration: lockMs, stalledInterval: Math.ceil(lockMs / STALLED_CHECKS_PER_LOCK) };
}
