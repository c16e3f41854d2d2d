import type { Redis } from 'ioredis';
import type { RunningJobs } from './running-jobs.ts';

/** Share of the grace period that jobs get to finish; the rest is for handing them back. */
const FINISH_SHARE = 0.8;
const MAX_HAND_BACK_MS = 3000;

/** What is needed of a BullMQ worker. */
interface Closable {
  close(): Promise<void>;
}

/**
 * Closes a worker in three bounded steps: let jobs finish, make them stop and go back to the queue, cut the connections. BullMQ's own
 * close waits for jobs without limit, and for ever when Redis was never reachable.
 */
export async function closeWorker(worker: Closable, jobs: RunningJobs, redis: Redis, graceMs: number): Promise<void> {
  const handBackMs = Math.min(MAX_HAND_BACK_MS, graceMs * (1 - FINISH_SHARE));
  const closed = worker.close().then(() => true);
  const closedWithin = (ms: number) => Promise.race([closed, delay(ms)]);
  if (!(await closedWithin(graceMs - handBackMs))) {
    jobs.stopAll('shutdown');
    await closedWithin(handBackMs);
  }
  redis.disconnect();
}

async function delay(ms: number): Promise<false> {
  await new Promise((resolve) => setTimeout(resolve, ms).unref());
  return false;
}
