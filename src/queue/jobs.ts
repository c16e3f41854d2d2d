import type { JobsOptions } from 'bullmq';
import type { JobKind, PendingJob } from '../intake/admission.ts';
import type { JobData } from './job-worker.ts';

export const INCIDENT_QUEUE = 'incidents';
export interface IncidentJobData extends JobData {
  /** Of whoever sent the alert that opened the incident. */
  readonly traceparent?: string;
}
export type IncidentJobName = JobKind;

export const SUB_AGENT_QUEUE = 'subagents';
export interface SubAgentJobData extends JobData {
  readonly orderId: string;
  /** Of the agent that waits for it. */
  readonly traceparent?: string;
}
export type SubAgentJobName = 'run';

const HOUR_SECONDS = 3600;

/** Bounded by age and by count. The failed set is the dead letter; finished ids are kept so that a late duplicate does not run again. */
export const JOB_OPTIONS = {
  attempts: 3,
  backoff: { type: 'exponential', delay: 2000, jitter: 0.5 },
  removeOnComplete: { age: HOUR_SECONDS, count: 1000 },
  removeOnFail: { age: 7 * 24 * HOUR_SECONDS, count: 1000 },
} as const satisfies JobsOptions;

/** Incident ids begin with a letter and hold no `:`, so these are legal BullMQ ids. */
export function jobId(job: PendingJob): string {
  const round = job.round === undefined ? '' : `_${job.round}`;
  return `${job.kind}_${job.incidentId}${round}`;
}
