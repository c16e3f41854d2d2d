import type { Redis } from 'ioredis';
import type { Logger } from '../platform/logger.ts';
import { INCIDENT_QUEUE, type IncidentJobData, type IncidentJobName } from './jobs.ts';
import { openQueue } from './open-queue.ts';

export interface InvestigationJob {
  /** `interrupted`: its worker is gone, and the job starts again by itself. `waiting`: for a worker, a cool-down or the end of a mute. */
  readonly state: 'running' | 'interrupted' | 'waiting';
  /** Starts so far. */
  readonly attempt: number;
  /** When it was started last, else when it was added. */
  readonly startedAtMs: number;
}

/** Jobs of investigations, only looked at. The caller owns the connection and closes this first. */
export function watchInvestigations(redis: Redis, prefix: string, log: Logger) {
  const queue = openQueue<IncidentJobData, IncidentJobName>(INCIDENT_QUEUE, redis, prefix, log);
  return {
    /** Undefined when there is none, or it has ended. */
    find: async (jobId: string | undefined): Promise<InvestigationJob | undefined> => {
      const job = jobId === undefined ? undefined : await queue.getJob(jobId);
      if (!job) return undefined;
      const state = await job.getState();
      if (state === 'completed' || state === 'failed' || state === 'unknown') return undefined;
      const about = { attempt: job.attemptsStarted, startedAtMs: job.processedOn ?? job.timestamp };
      if (state === 'delayed') return { state: 'waiting', ...about };
      if (state !== 'active') return { state: job.attemptsStarted > 0 ? 'interrupted' : 'waiting', ...about };
      const isLocked = (await redis.exists(`${prefix}:${INCIDENT_QUEUE}:${jobId}:lock`)) === 1;
      return { state: isLocked ? 'running' : 'interrupted', ...about };
    },
    close: () => queue.close(),
  };
}
