import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from '../platform/logger.ts';
import { INCIDENT_QUEUE, type IncidentJobData, type IncidentJobName } from './jobs.ts';

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
  const queue: Queue<IncidentJobData, void, IncidentJobName> = new Queue(INCIDENT_QUEUE, { connection: redis, prefix });
  // Without a listener an error event ends the process. The connection reports its own loss (platform/redis.ts).
  queue.on('error', (error) => log.debug({ err: error.message, queue: INCIDENT_QUEUE }, 'queue error'));
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
