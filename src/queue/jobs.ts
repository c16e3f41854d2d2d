import type { JobsOptions } from 'bullmq';
import { lookId } from '../domain/work-id.ts';
import type { JobKind, PendingJob } from '../intake/admission.ts';
import type { JobData } from './job-worker.ts';

export const INCIDENT_QUEUE = 'incidents';
export interface IncidentJobData extends JobData {
  /** Of whoever sent the alert that opened the incident. */
  readonly traceparent?: string;
}
/** Beside what intake asks for: a later look at an incident that still fires. */
export type IncidentJobName = JobKind | 'look';
/** Whatever comes after a first report lets first investigations pass. BullMQ takes jobs without a priority before all others. */
export const LATER_PRIORITY = 20;

/** A look at an incident some time after a round of it. */
export interface LaterLook {
  readonly incidentId: string;
  /** The full investigation whose verdict it looks at again, from 1. */
  readonly round: number;
  /** From 1, within the round. */
  readonly number: number;
}
export interface LookJobData extends IncidentJobData, LaterLook {}

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

export function lookJobId({ incidentId, round, number }: LaterLook): string {
  return `look_${lookId(incidentId, round, number)}`;
}
