import type { JobQueue, PendingJob } from '../intake/admission.ts';
import type { Logger } from '../platform/logger.ts';

/** Together the longest time that work waits whose worker dies right after it decided on it. */
const SWEEP_EVERY_MS = 2000;
/** Younger ones are still in the hands of the worker that admitted them. */
const MIN_AGE_MS = 3000;
const BATCH = 200;

export interface OverdueWork {
  overdue(minAgeMs: number, limit: number): Promise<readonly PendingJob[]>;
  settle(jobs: readonly PendingJob[]): Promise<void>;
}

/** Queues what a worker admitted and died over. Returns how many jobs it added. */
export async function sweepOutbox(outbox: OverdueWork, queue: JobQueue, minAgeMs = MIN_AGE_MS): Promise<number> {
  let added = 0;
  for (;;) {
    const jobs = await outbox.overdue(minAgeMs, BATCH);
    if (jobs.length > 0) await queue.addAll(jobs);
    await outbox.settle(jobs);
    added += jobs.length;
    if (jobs.length < BATCH) return added;
  }
}

/** Sweeps now and every two seconds. A failed sweep is logged; the next one tries again. */
export function startOutboxSweep(outbox: OverdueWork, queue: JobQueue, log: Logger): { stop(): void } {
  let sweeping = false;
  const sweep = async () => {
    if (sweeping) return;
    sweeping = true;
    try {
      const added = await sweepOutbox(outbox, queue);
      // Planned for now, the end of an incident that flapped; or of a process that died, or could not queue it.
      if (added > 0) log.info({ jobs: added }, 'queued work that has come due, or was left by another process');
    } catch (error) {
      log.warn({ err: error instanceof Error ? error.message : String(error) }, 'the outbox could not be swept');
    } finally {
      sweeping = false;
    }
  };
  void sweep();
  const timer = setInterval(() => void sweep(), SWEEP_EVERY_MS);
  return { stop: () => clearInterval(timer) };
}
