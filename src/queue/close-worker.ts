import type { Redis } from 'ioredis';
import type { RunningJobs } from './running-jobs.ts';

/** Share of the grace period that jobs get to finish; the rest is for handing them back. */
const FINISH_SHARE = 0.8;
const MAX_HAND_BACK_MS = 3000;

/** What is needed of a BullMQ worker. */
interface Closable {
  pause(doNotWaitActive: boolean): Promise<void>;
  close(force: boolean): Promise<void>;
}

/**
 * Closes a worker and its connection in three bounded steps: take no more jobs and let the running ones finish, make the rest stop and go
 * back to the queue, cut the connections. BullMQ's own close waits for jobs without limit, and for ever when Redis is gone; only
 * a forced one gets over that. Settles within `graceMs`, never rejects.
 */
export async function closeWorker(worker: Closable, jobs: RunningJobs, redis: Redis, graceMs: number): Promise<void> {
  const handBackMs = Math.min(MAX_HAND_BACK_MS, graceMs * (1 - FINISH_SHARE));
  const deadline = Date.now() + graceMs;
  worker.pause(true).catch(() => undefined);
  jobs.refuseMore();
  if (!(await within(jobs.idle(), graceMs - handBackMs))) jobs.stopAll('shutdown');
  const force = redis.status !== 'ready';
  await within(worker.close(force), Math.max(handBackMs / 2, deadline - Date.now()));
  redis.disconnect();
}

/** False when the time is up first. */
async function within(done: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const settled = done.then(
    () => true,
    () => true,
  );
  const inTime = await Promise.race([settled, late]);
  clearTimeout(timer);
  return inTime;
}
