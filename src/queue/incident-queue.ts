import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { JobQueue } from '../intake/admission.ts';
import type { Logger } from '../platform/logger.ts';
import { readStatus, type QueueStatus } from './queue-status.ts';
import { INCIDENT_QUEUE, JOB_OPTIONS, jobId, type IncidentJobData, type IncidentJobName } from './jobs.ts';

export interface IncidentQueue extends JobQueue {
  status(): Promise<QueueStatus>;
  /** Settles also when Redis was never reachable. Leaves the connection to its owner. */
  close(): Promise<void>;
}

type BullQueue = Queue<IncidentJobData, void, IncidentJobName>;

/** The producer's side. The caller owns and closes the connection. */
export function createIncidentQueue(redis: Redis, prefix: string, log: Logger): IncidentQueue {
  let queue = openQueue(redis, prefix, log);
  return {
    add: async (job, traceparent) => {
      const data = { incidentId: job.incidentId, ...(traceparent === undefined ? {} : { traceparent }) };
      try {
        await queue.add(job.kind, data, { ...JOB_OPTIONS, jobId: jobId(job), priority: job.priority ?? 0 });
      } catch (error) {
        // BullMQ remembers a failed first handshake (Redis froze during it) for ever: only a new Queue gets over that.
        queue.getBackend().client.catch(() => {
          queue = openQueue(redis, prefix, log);
        });
        throw error;
      }
    },
    status: () => readStatus(queue),
    close: () => queue.close(),
  };
}

function openQueue(redis: Redis, prefix: string, log: Logger): BullQueue {
  const queue: BullQueue = new Queue(INCIDENT_QUEUE, { connection: redis, prefix });
  // Without a listener an error event ends the process. The connection reports its own loss (platform/redis.ts).
  queue.on('error', (error) => log.debug({ err: error.message, queue: INCIDENT_QUEUE }, 'queue error'));
  return queue;
}
