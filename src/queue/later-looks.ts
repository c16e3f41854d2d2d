import type { Redis } from 'ioredis';
import type { Logger } from '../platform/logger.ts';
import {
  INCIDENT_QUEUE,
  JOB_OPTIONS,
  LATER_PRIORITY,
  lookJobId,
  type IncidentJobName,
  type LaterLook,
  type LookJobData,
} from './jobs.ts';
import { openQueue } from './open-queue.ts';

export interface LaterLooks {
  /** The job waits in Redis, so that it outlives this process. Scheduling it again changes nothing. */
  schedule(look: LaterLook, afterMs: number): Promise<void>;
  /** Settles also when Redis was never reachable. Leaves the connection to its owner. */
  close(): Promise<void>;
}

/** The caller owns and closes the connection. */
export function createLaterLooks(redis: Redis, prefix: string, log: Logger): LaterLooks {
  const queue = openQueue<LookJobData, IncidentJobName>(INCIDENT_QUEUE, redis, prefix, log);
  return {
    schedule: async (look, afterMs) => {
      const delay = Math.max(0, Math.ceil(afterMs));
      await queue.add('look', look, { ...JOB_OPTIONS, priority: LATER_PRIORITY, delay, jobId: lookJobId(look) });
    },
    close: () => queue.close(),
  };
}
