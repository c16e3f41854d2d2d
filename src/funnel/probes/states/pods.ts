import { counted } from '../../../domain/counted.ts';
import type { RootCauseType } from '../../../domain/root-cause-type.ts';
import type { KubernetesObject } from '../../../domain/telemetry.ts';
import { booleanAt, listAt, numberAt, textAt, timeAt } from '../../events/json-path.ts';
import { conditionOf, createdMs, HOUR_MS, isRecent, lasts, MINUTE_MS, type StateRule } from './state-rule.ts';

const KINDS = ['Pod'];
/** Reasons for which a container waits that do not pass by themselves; `ContainerCreating` does. */
const STUCK: ReadonlyMap<string | undefined, RootCauseType> = new Map(
  Object.entries<RootCauseType>({
    CrashLoopBackOff: 'code_error',
    RunContainerError: 'config_change',
    CreateContainerError: 'config_change',
    CreateContainerConfigError: 'config_change',
    ImagePullBackOff: 'image_pull',
    ErrImagePull: 'image_pull',
    InvalidImageName: 'image_pull',
    ErrImageNeverPull: 'image_pull',
  }),
);

export const podNotReady: StateRule = {
  kinds: KINDS,
  limit: 'ready',
  judge: (pod, options) => {
    if (isOver(pod) || textAt(pod, 'status', 'phase') === 'Pending') return undefined;
    const condition = conditionOf(pod, 'Ready');
    const notReady = containersOf(pod).filter((container) => booleanAt(container, 'ready') === false);
    if (textAt(condition, 'status') !== 'False' && (condition !== undefined || notReady.length === 0)) return undefined;
    const sinceMs = timeAt(condition, 'lastTransitionTime') ?? createdMs(pod);
    if (!lasts(sinceMs, options, 5 * MINUTE_MS)) return undefined;
    const waiting = notReady.map((container) => waitingReason(container)).find(Boolean);
    const why = waiting ?? textAt(condition, 'reason') ?? 'no reason given';
    return { what: `is not ready (${why})`, value: `not ready: ${why}`, sinceMs, type: STUCK.get(waiting) };
  },
};

export const podPending: StateRule = {
  kinds: KINDS,
  limit: 'scheduled and started',
  judge: (pod, options) => {
    if (textAt(pod, 'status', 'phase') !== 'Pending' || isOver(pod)) return undefined;
    const sinceMs = createdMs(pod);
    if (!lasts(sinceMs, options, 5 * MINUTE_MS)) return undefined;
    const scheduled = conditionOf(pod, 'PodScheduled');
    const isUnplaced = textAt(scheduled, 'status') === 'False';
    const waiting = containersOf(pod).map(waitingReason).find(Boolean);
    const why = isUnplaced ? (textAt(scheduled, 'message') ?? 'no node takes it') : (waiting ?? 'not started');
    const type = isUnplaced ? 'scheduling' : STUCK.get(waiting);
    return { what: `is pending: ${why}`, value: isUnplaced ? 'unschedulable' : why, sinceMs, type };
  },
};

export const containerRestarted: StateRule = {
  kinds: KINDS,
  limit: 'no restarts',
  judge: (pod, options) => {
    const recent = containersOf(pod).filter((container) =>
      isRecent(timeAt(container, 'lastState', 'terminated', 'finishedAt'), options, HOUR_MS),
    );
    const restarts = recent.reduce<number>((sum, container) => sum + (numberAt(container, 'restartCount') ?? 0), 0);
    if (restarts <= (options.above ?? 0)) return undefined;
    const [first] = recent;
    const reason = textAt(first, 'lastState', 'terminated', 'reason') ?? 'unknown reason';
    const code = numberAt(first, 'lastState', 'terminated', 'exitCode');
    const end = code === undefined ? reason : `${reason}, exit code ${code}`;
    return {
      what: `restarted lately, ${counted(restarts, 'restart')} by now (last: ${end})`,
      value: counted(restarts, 'restart'),
      sinceMs: timeAt(first, 'lastState', 'terminated', 'finishedAt'),
      type: reason === 'OOMKilled' ? 'memory_exhaustion' : undefined,
      weight: 1 + restarts,
      numbers: [restarts],
    };
  },
};

export const containerOomKilled: StateRule = {
  kinds: KINDS,
  limit: 'never killed for memory',
  judge: (pod, options) => {
    for (const container of containersOf(pod)) {
      for (const state of ['state', 'lastState']) {
        const sinceMs = timeAt(container, state, 'terminated', 'finishedAt');
        if (textAt(container, state, 'terminated', 'reason') !== 'OOMKilled') continue;
        if (!isRecent(sinceMs, options, 24 * HOUR_MS)) continue;
        const name = textAt(container, 'name') ?? 'a container';
        const what = `had ${name} killed for memory (OOMKilled)`;
        return { what, value: `OOMKilled: ${name}`, sinceMs, type: 'memory_exhaustion' };
      }
    }
    return undefined;
  },
};

export const containerWaiting: StateRule = {
  kinds: KINDS,
  limit: 'containers run',
  judge: (pod, options) => {
    if (isOver(pod)) return undefined;
    const reason = containersOf(pod)
      .map(waitingReason)
      .find((one) => STUCK.has(one));
    if (reason === undefined) return undefined;
    const sinceMs = timeAt(conditionOf(pod, 'Ready'), 'lastTransitionTime') ?? createdMs(pod);
    if (!lasts(sinceMs, options, MINUTE_MS)) return undefined;
    return { what: `has a container that waits: ${reason}`, value: reason, sinceMs, type: STUCK.get(reason) };
  },
};

function containersOf(pod: KubernetesObject): readonly unknown[] {
  return [...listAt(pod, 'status', 'initContainerStatuses'), ...listAt(pod, 'status', 'containerStatuses')];
}

function waitingReason(container: unknown): string | undefined {
  return textAt(container, 'state', 'waiting', 'reason');
}

/** It has done its work, or is being deleted: rightly not ready. */
function isOver(pod: KubernetesObject): boolean {
  const phase = textAt(pod, 'status', 'phase');
  return phase === 'Succeeded' || textAt(pod, 'metadata', 'deletionTimestamp') !== undefined;
}
