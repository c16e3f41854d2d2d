import type { KubernetesObject } from '../../../domain/telemetry.ts';
import { booleanAt, textAt, timeAt } from '../../events/json-path.ts';
import { nameOf, namespaceOf } from '../../events/identity.ts';
import { ownerReferences } from '../../events/ownership.ts';
import { conditionOf, createdMs, HOUR_MS, isRecent, type StateRule } from './state-rule.ts';

export const jobFailed: StateRule = {
  kinds: ['Job'],
  limit: 'succeeds',
  judge: (job, options, all) => {
    const condition = conditionOf(job, 'Failed');
    const sinceMs = timeAt(condition, 'lastTransitionTime');
    if (textAt(condition, 'status') !== 'True' || !isRecent(sinceMs, options, 24 * HOUR_MS)) return undefined;
    if (isMadeGood(job, sinceMs ?? 0, all)) return undefined;
    const why = textAt(condition, 'message') ?? textAt(condition, 'reason') ?? 'no reason given';
    return { what: `failed: ${why}`, value: textAt(condition, 'reason') ?? 'failed', sinceMs };
  },
};

export const cronJobMissed: StateRule = {
  kinds: ['CronJob'],
  limit: 'a recent success',
  judge: (schedule, options) => {
    if (booleanAt(schedule, 'spec', 'suspend') === true) return undefined;
    const successMs = timeAt(schedule, 'status', 'lastSuccessfulTime');
    const sinceMs = successMs ?? createdMs(schedule);
    if (sinceMs === undefined || isRecent(sinceMs, options, 26 * HOUR_MS)) return undefined;
    const what = successMs === undefined ? 'has never succeeded' : 'has not succeeded';
    return { what, value: successMs === undefined ? 'never succeeded' : 'no success', sinceMs };
  },
};

/** A later run of the same schedule did the work. */
function isMadeGood(job: KubernetesObject, failedMs: number, all: readonly KubernetesObject[]): boolean {
  const [owner] = ownerReferences(job);
  if (owner?.kind !== 'CronJob') return false;
  return all.some((other) => {
    const [own] = ownerReferences(other);
    const doneMs = timeAt(other, 'status', 'completionTime');
    return own?.name === owner.name && namespaceOf(other) === namespaceOf(job) && (doneMs ?? 0) > failedMs;
  });
}

/** Names of a job: its own, and that of its schedule. */
export function namesOfJob(job: KubernetesObject): readonly string[] {
  return [nameOf(job), ...ownerReferences(job).map(({ name }) => name)];
}
