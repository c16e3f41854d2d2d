import { setTimeout as pause } from 'node:timers/promises';
import type { AdmissionStore, JobQueue, TracedJob } from './admission.ts';
import { rejectAfter } from './deadline.ts';

/** Between two batches: what comes in meanwhile goes into the next one, and costs a fraction of what it would alone. */
const REST_MS = 10;
const MOST_AT_ONCE = 100;
/** BullMQ waits for a connection for ever; what comes after must not wait with it. */
const BATCH_DEADLINE_MS = 10_000;
/** After Redis, or its client, has just been away, the next attempt mostly gets through. */
const PAUSE_AFTER_FAILURE_MS = 500;
const MOST_FAILURES = 10;
/** Beyond this many the outbox keeps the rest for the sweep: Redis cannot take them now. */
const MOST_WAITING = 10_000;

/** Brings what was admitted from the outbox to the queue, right behind the decision and many at once. */
export interface Drain {
  put(jobs: readonly TracedJob[]): void;
  /** Resolves when everything that was put is queued, or was left to the sweep. Never rejects. */
  emptied(): Promise<void>;
}

/**
 * What cannot be queued stays in the outbox, where a repeat of the alert and every worker's sweep find it (queue/outbox-sweep.ts): nothing
 * depends on this process living on.
 */
export function createDrain(store: Pick<AdmissionStore, 'settle'>, queue: JobQueue): Drain {
  /** By kind, incident and round: until a job is queued every repeat of its alert brings it again. */
  const waiting = new Map<string, TracedJob>();
  let running: Promise<void> | undefined;

  const remember = (jobs: readonly TracedJob[]): void => {
    for (const job of jobs) {
      if (waiting.size >= MOST_WAITING) break;
      waiting.set(`${job.kind} ${job.incidentId} ${job.round ?? ''}`, job);
    }
  };
  const pass = async (): Promise<void> => {
    // What the same call decided goes in together.
    await new Promise((resolve) => setImmediate(resolve));
    let failures = 0;
    while (waiting.size > 0 && failures < MOST_FAILURES) {
      const batch = takeFirst(waiting, MOST_AT_ONCE);
      try {
        await rejectAfter(queue.addAll(batch), BATCH_DEADLINE_MS);
        await store.settle(batch);
        failures = 0;
        if (waiting.size < MOST_AT_ONCE) await pause(REST_MS);
      } catch {
        failures += 1;
        remember(batch);
        await pause(PAUSE_AFTER_FAILURE_MS);
      }
    }
    // Whoever sweeps up what is left says so in the log.
    waiting.clear();
    running = undefined;
  };
  const emptied = async (): Promise<void> => {
    if (!running) return;
    await running;
    return emptied();
  };
  return {
    put: (jobs) => {
      remember(jobs);
      if (jobs.length > 0) running ??= pass();
    },
    emptied,
  };
}

function takeFirst(waiting: Map<string, TracedJob>, most: number): readonly TracedJob[] {
  const batch: TracedJob[] = [];
  for (const [key, job] of waiting) {
    if (batch.length >= most) break;
    batch.push(job);
    waiting.delete(key);
  }
  return batch;
}
