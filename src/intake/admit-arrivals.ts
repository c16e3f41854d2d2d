import { setTimeout as pause } from 'node:timers/promises';
import type { AdmissionStore, Decided, JobQueue, Undecided } from './admission.ts';
import { createDrain } from './drain.ts';

/** What comes in meanwhile is decided together, at a fraction of the cost. Fewer at once than this are worth waiting for more. */
const REST_MS = 5;
const ENOUGH_AT_ONCE = 16;
/** After Redis has just been away the next attempt mostly gets through. */
const PAUSE_AFTER_FAILURE_MS = 500;

export interface Admitting {
  readonly store: AdmissionStore;
  readonly queue: JobQueue;
  /** Resolves when something has come in, or after a while: what a dead worker was woken for is then found by others. */
  readonly waitForArrival: () => Promise<void>;
  readonly onDecided: (decided: Decided | Undecided) => void;
  /** Told when what could not be decided is tried again. */
  readonly onRetry: (arrivals: number) => void;
  /** Told once until it works again. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Decides what comes in, until it is stopped, and puts the work that follows into the queue; once also what could not be decided before, behind all that waits. Any
 * number of workers may do so at once. `stop` waits for the call under way and for its work to be queued; it never rejects. Whoever stops it closes what
 * `waitForArrival` waits on, too.
 */
export function startAdmitting({ store, queue, waitForArrival, onDecided, onRetry, onFailure }: Admitting): {
  stop(): Promise<void>;
} {
  const drain = createDrain(store, queue);
  let isStopped = false;
  let hasFailed = false;
  let isRetried = false;
  const retryAside = async (): Promise<void> => {
    if (isRetried) return;
    const arrivals = await store.retryAside();
    isRetried = true;
    if (arrivals > 0) onRetry(arrivals);
  };
  const admitAll = async (): Promise<void> => {
    for (;;) {
      const decided = await store.admitNext();
      for (const one of decided) {
        if ('pending' in one) drain.put(one.pending);
        onDecided(one);
      }
      if (decided.length === 0 || isStopped) return;
      if (decided.length < ENOUGH_AT_ONCE) await pause(REST_MS);
    }
  };
  const run = async (): Promise<void> => {
    for (;;) {
      if (isStopped) return;
      try {
        await admitAll();
        if (!isStopped) await retryAside();
        hasFailed = false;
        if (!isStopped) await waitForArrival();
      } catch (error) {
        if (isStopped) return;
        if (!hasFailed) onFailure(error);
        hasFailed = true;
        await pause(PAUSE_AFTER_FAILURE_MS);
      }
    }
  };
  const running = run();
  return {
    stop: async () => {
      isStopped = true;
      await running;
      await drain.emptied();
    },
  };
}
