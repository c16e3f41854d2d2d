import type { ObjectState } from '../../../domain/probe.ts';
import { claimUnbound } from './claims.ts';
import { cronJobMissed, jobFailed } from './jobs.ts';
import { nodeNotReady, nodePressure } from './nodes.ts';
import { containerOomKilled, containerRestarted, containerWaiting, podNotReady, podPending } from './pods.ts';
import type { StateRule } from './state-rule.ts';
import { autoscalerAtMax, workloadUnavailable } from './workloads.ts';

/** The ready-made states by the names that probes have for them. */
export const STATES: Readonly<Record<ObjectState, StateRule>> = {
  'pod-not-ready': podNotReady,
  'pod-pending': podPending,
  'container-restarted': containerRestarted,
  'container-oom-killed': containerOomKilled,
  'container-waiting': containerWaiting,
  'workload-unavailable': workloadUnavailable,
  'job-failed': jobFailed,
  'cronjob-missed': cronJobMissed,
  'claim-unbound': claimUnbound,
  'node-not-ready': nodeNotReady,
  'node-pressure': nodePressure,
  'autoscaler-at-max': autoscalerAtMax,
};
