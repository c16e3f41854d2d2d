import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from '../platform/logger.ts';
import { openQueue } from './open-queue.ts';

export const QUEUE_STATES = ['waiting', 'active', 'delayed', 'failed'] as const;
export type QueueState = (typeof QUEUE_STATES)[number];

/** Jobs with a priority stand in its order and not in that of their age. */
const MOST_LOOKED_AT = 199;

export interface QueueStatus {
  readonly depth: Readonly<Record<QueueState, number>>;
  /** Age of the job that has waited longest; 0 when none waits. Liveness of workers shows here, not in their connections. */
  readonly oldestAgeMs: number;
}

export async function readStatus(queue: Pick<Queue, 'getJobCounts' | 'getJobs'>): Promise<QueueStatus> {
  const counts = await queue.getJobCounts(...QUEUE_STATES, 'prioritized');
  const [first] = await queue.getJobs(['waiting'], 0, 0, true);
  const later = (counts['prioritized'] ?? 0) > 0 ? await queue.getJobs(['prioritized'], 0, MOST_LOOKED_AT, true) : [];
  // A job that was to wait waits for a worker only from then on.
  const added = [first, ...later].flatMap((job) => (job ? [job.timestamp + (job.opts.delay ?? 0)] : []));
  const depth = Object.fromEntries(QUEUE_STATES.map((state) => [state, counts[state] ?? 0]));
  return {
    depth: {
      ...(depth as Record<QueueState, number>),
      waiting: (counts['waiting'] ?? 0) + (counts['prioritized'] ?? 0),
    },
    oldestAgeMs: added.length > 0 ? Math.max(0, Date.now() - Math.min(...added)) : 0,
  };
}

/** A queue that is only looked at. The caller owns and closes the connection. */
export function watchQueue(
  redis: Redis,
  prefix: string,
  name: string,
  log: Logger,
): { status(): Promise<QueueStatus>; close(): Promise<void> } {
  const queue = openQueue(name, redis, prefix, log);
  return { status: () => readStatus(queue), close: () => queue.close() };
}
