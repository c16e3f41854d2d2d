import { at, hasAt, listAt, numberAt, textAt } from '../../../funnel/events/json-path.ts';
import { momentText } from '../moments.ts';
import { containerState, podSpecFacts } from './containers.ts';
import { badConditions, fact, facts, pairs, selectorText, type DescribeObject } from './facts.ts';

const POD_BAD = /^(?:DisruptionTarget)$/;
const WORKLOAD_BAD = /^(?:ReplicaFailure|Failed|Suspended|FailureTarget)$/;

export const describePod: DescribeObject = (pod, triggerMs) => {
  const statuses = [...listAt(pod, 'status', 'initContainerStatuses'), ...listAt(pod, 'status', 'containerStatuses')];
  const containers = statuses.map((status) => containerState(status, triggerMs));
  const phase = textAt(pod, 'status', 'phase');
  const isDone = phase === 'Succeeded';
  // The conditions of a pod that has done its work are false, and that is well.
  const bad = isDone ? [] : badConditions(pod, POD_BAD, triggerMs);
  const conditions = bad.filter((text) => !(text.startsWith('ContainersReady ') && bad.some(isAboutReady)));
  const deletedMs = Date.parse(textAt(pod, 'metadata', 'deletionTimestamp') ?? '');
  const shown = textAt(pod, 'metadata', 'annotations', 'recording/status');
  return {
    state: [
      ...(phase ? [phase] : []),
      ...(shown && shown !== phase ? [`shown as ${shown}`] : []),
      ...fact('reason', textAt(pod, 'status', 'reason')),
      ...fact('message', textAt(pod, 'status', 'message')),
      ...fact('on node', textAt(pod, 'spec', 'nodeName')),
      ...(Number.isNaN(deletedMs) ? [] : [`being deleted, due ${momentText(deletedMs, triggerMs)}`]),
      ...containers.map(({ text }) => text),
      ...conditions,
    ],
    spec: [...podSpecFacts(at(pod, 'spec')), ...fact('QoS', textAt(pod, 'status', 'qosClass'))],
    isNotable:
      phase === 'Failed' ||
      phase === 'Pending' ||
      conditions.length > 0 ||
      (!isDone && containers.some(({ isBad }) => isBad)) ||
      (shown !== undefined && !/^(?:Running|Completed|Succeeded)$/.test(shown)),
  };
};

/** Says what `ContainersReady` says, too. */
const isAboutReady = (text: string) => text.startsWith('Ready ');

/** Deployment, StatefulSet, DaemonSet, ReplicaSet: wanted against there. */
export const describeWorkload: DescribeObject = (workload, triggerMs) => {
  const status = (field: string) => numberAt(workload, 'status', field);
  // The API leaves out a count of none, a recording what it does not know.
  const hasStatus = hasAt(workload, 'status', 'replicas') || hasAt(workload, 'status', 'conditions');
  const wanted = numberAt(workload, 'spec', 'replicas') ?? status('desiredNumberScheduled') ?? status('replicas');
  const ready = status('readyReplicas') ?? status('numberReady') ?? (hasStatus ? 0 : undefined);
  const updated = status('updatedReplicas') ?? status('updatedNumberScheduled');
  const [meant, seen] = [numberAt(workload, 'metadata', 'generation'), status('observedGeneration')];
  const conditions = badConditions(workload, WORKLOAD_BAD, triggerMs);
  // Old revisions have none either; a workload without any was scaled down.
  const isScaledDown = wanted === 0 && /^(?:Deployment|StatefulSet)$/.test(textAt(workload, 'kind') ?? '');
  return {
    state: [
      `${ready ?? '?'} of ${wanted ?? '?'} replicas ready`,
      ...(isScaledDown ? ['scaled to zero'] : []),
      ...(updated === undefined || updated === wanted ? [] : [`${updated} updated`]),
      ...fact('available', status('availableReplicas') ?? status('numberAvailable')),
      ...fact('unavailable', status('unavailableReplicas') ?? status('numberUnavailable')),
      ...(meant !== undefined && seen !== undefined && seen < meant ? ['the newest spec is not yet observed'] : []),
      ...(at(workload, 'spec', 'paused') === true ? ['paused'] : []),
      ...conditions,
    ],
    spec: [
      ...fact('revision', textAt(workload, 'metadata', 'annotations', 'deployment.kubernetes.io/revision')),
      ...fact('selector', selectorText(workload, 'spec', 'selector')),
      ...fact('strategy', textAt(workload, 'spec', 'strategy', 'type')),
      ...podSpecFacts(at(workload, 'spec', 'template', 'spec')),
    ],
    isNotable: isScaledDown || (ready ?? wanted ?? 0) < (wanted ?? 0) || conditions.length > 0,
  };
};

export const describeJob: DescribeObject = (job, triggerMs) => {
  const conditions = badConditions(job, WORKLOAD_BAD, triggerMs).filter((text) => !text.startsWith('Complete is'));
  const failed = numberAt(job, 'status', 'failed') ?? 0;
  return {
    state: [
      ...fact('active', numberAt(job, 'status', 'active')),
      ...fact('succeeded', numberAt(job, 'status', 'succeeded')),
      ...fact('failed', failed || undefined),
      ...fact('last scheduled', textAt(job, 'status', 'lastScheduleTime')),
      ...(at(job, 'spec', 'suspend') === true ? ['suspended'] : []),
      ...conditions,
    ],
    spec: [
      ...fact('schedule', textAt(job, 'spec', 'schedule')),
      ...fact('backoff limit', numberAt(job, 'spec', 'backoffLimit')),
      ...podSpecFacts(
        at(job, 'spec', 'template', 'spec') ?? at(job, 'spec', 'jobTemplate', 'spec', 'template', 'spec'),
      ),
    ],
    isNotable: failed > 0 || conditions.length > 0,
  };
};

export const describeAutoscaler: DescribeObject = (scaler, triggerMs) => {
  const conditions = badConditions(scaler, /^ScalingLimited$/, triggerMs);
  const [current, wanted] = ['currentReplicas', 'desiredReplicas'].map((field) => numberAt(scaler, 'status', field));
  const metrics = [...listAt(scaler, 'status', 'currentMetrics'), ...listAt(scaler, 'spec', 'metrics')];
  return {
    state: [`${current ?? '?'} replicas, wants ${wanted ?? '?'}`, ...conditions],
    spec: [
      ...fact('min', numberAt(scaler, 'spec', 'minReplicas')),
      ...fact('max', numberAt(scaler, 'spec', 'maxReplicas')),
      ...fact('target', textAt(scaler, 'spec', 'scaleTargetRef', 'name')),
      ...facts(
        'metrics',
        metrics.map((metric) => JSON.stringify(metric)),
      ),
    ],
    isNotable: conditions.length > 0 || (current !== undefined && wanted !== undefined && current < wanted),
  };
};

export const describeDisruptionBudget: DescribeObject = (budget) => {
  const [healthy, wanted] = ['currentHealthy', 'desiredHealthy'].map((field) => numberAt(budget, 'status', field));
  return {
    state: [`${healthy ?? '?'} healthy of ${wanted ?? '?'} wanted`],
    spec: pairs(budget, 'spec'),
    isNotable: healthy !== undefined && wanted !== undefined && healthy < wanted,
  };
};
