import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { JobQueue, TracedJob } from '../intake/admission.ts';
import type { Logger } from '../platform/logger.ts';
import { readStatus, type QueueStatus } from './queue-status.ts';
import { INCIDENT_QUEUE, JOB_OPTIONS, jobId, type IncidentJobData, type IncidentJobName } from './jobs.ts';
import { openQueue } from './open-queue.ts';

export interface IncidentQueue extends JobQueue {
  add(job: TracedJob): Promise<void>;
  status(): Promise<QueueStatus>;
  /** Settles also when Redis was never reachable. Leaves the connection to its owner. */
  close(): Promise<void>;
}

type BullQueue = Queue<IncidentJobData, void, IncidentJobName>;

/** The producer's side. The caller owns and closes the connection. */
export function createIncidentQueue(redis: Redis, prefix: string, log: Logger): IncidentQueue {
  let queue = openIncidents(redis, prefix, log);
  const addAll = async (jobs: readonly TracedJob[]): Promise<void> => {
    const used = queue;
    try {
      await used.addBulk(jobs.map(toBullJob));
    } catch (error) {
      // BullMQ remembers a failed first handshake (Redis froze during it) for ever: only a new Queue gets over that.
      used.getBackend().client.catch(() => {
        if (queue === used) queue = openIncidents(redis, prefix, log);
      });
      throw error;
    }
  };
  return {
    add: (job) => addAll([job]),
    addAll,
    status: () => readStatus(queue),
    close: () => queue.close(),
  };
}

function toBullJob(job: TracedJob) {
  const { kind: name, incidentId, traceparent, priority = 0 } = job;
  const data = traceparent === undefined ? { incidentId } : { incidentId, traceparent };
  return { name, data, opts: { ...JOB_OPTIONS, jobId: jobId(job), priority } };
}

function openIncidents(redis: Redis, prefix: string, log: Logger): BullQueue {
  return openQueue<IncidentJobData, IncidentJobName>(INCIDENT_QUEUE, redis, prefix, log);
}
