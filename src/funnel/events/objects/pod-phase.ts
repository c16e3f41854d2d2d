import type { Cluster, KubeObject } from '../cluster.ts';
import type { Condition, Rule, RuleContext } from '../condition.ts';
import { largest } from '../extremes.ts';
import { at, booleanAt, listAt, textAt, timeAt } from '../json-path.ts';
import { withoutPreemption } from '../scheduler-words.ts';
import { judgeText } from '../severities.ts';
import {
  conditionOf,
  createdMsOf,
  isLeaving,
  isReplaced,
  isTerminating,
  phaseOf,
  REPLACED_FACTOR,
} from './pod-life.ts';

const MINUTE_MS = 60_000;

/** Pods that cannot be placed, failed, cannot leave, or run without being ready. */
export const podPhases: Rule = (cluster, context) =>
  cluster.of('Pod').flatMap((pod) => {
    if (isTerminating(pod)) return stuckLeaving(pod, context) ?? [];
    if (isLeaving(pod)) return [];
    return unschedulable(pod) ?? failed(pod, cluster) ?? notReady(pod, context) ?? pending(pod, cluster, context) ?? [];
  });

function unschedulable(pod: KubeObject): Condition | undefined {
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (textAt(scheduled, 'status') !== 'False') return undefined;
  const message = textAt(scheduled, 'message') ?? textAt(scheduled, 'reason') ?? 'no reason recorded';
  const reason = textAt(scheduled, 'reason');
  const isVolume = /persistentvolumeclaim|volume/i.test(message);
  return {
    object: pod,
    service: pod.service,
    reason: reason === 'SchedulingGated' ? 'SchedulingGated' : 'Unschedulable',
    statement: `cannot be placed on a node: ${withoutPreemption(message)}`,
    severity: 0.9,
    type: isVolume ? 'config_change' : 'scheduling',
    atMs: timeAt(scheduled, 'lastTransitionTime'),
  };
}

function failed(pod: KubeObject, cluster: Cluster): Condition | undefined {
  const phase = phaseOf(pod);
  if (phase !== 'Failed' && phase !== 'Unknown') return undefined;
  const recorded = textAt(pod.body, 'status', 'reason');
  const reason = recorded ?? phase;
  const message = textAt(pod.body, 'status', 'message')?.trim();
  const judged = judgeText(`${reason} ${message ?? ''}`) ?? { severity: 0.7, type: 'unknown' };
  return {
    object: pod,
    service: pod.service,
    reason,
    statement: `is in phase ${phase}: ${recorded ?? 'no reason recorded'}${message ? ` (${message})` : ''}`,
    severity: judged.severity * (isReplaced(pod, cluster) ? REPLACED_FACTOR : 1),
    type: phase === 'Unknown' ? 'node_failure' : judged.type,
    atMs: timeAt(conditionOf(pod, 'Ready'), 'lastTransitionTime'),
  };
}

/** Only containers that run: one that waits or ended is told by its own rule. */
function notReady(pod: KubeObject, { triggerMs }: RuleContext): Condition | undefined {
  const unready = listAt(pod.body, 'status', 'containerStatuses').filter(
    (container) => booleanAt(container, 'ready') === false && at(container, 'state', 'running') !== undefined,
  );
  if (unready.length === 0) return unmetGate(pod);
  const names = unready.map((container) => textAt(container, 'name') ?? '(unnamed)').join(', ');
  const startedMs = largest(unready.map((one) => timeAt(one, 'state', 'running', 'startedAt') ?? -Infinity));
  // Every pod is not ready for a while after its start.
  const isStarting = triggerMs - startedMs < MINUTE_MS / 2;
  return {
    object: pod,
    service: pod.service,
    reason: 'NotReady',
    statement: `runs but is not ready: container ${names}`,
    severity: isStarting ? 0.4 : 0.6,
    type: 'probe_failure',
    atMs: timeAt(conditionOf(pod, 'Ready'), 'lastTransitionTime'),
  };
}

/** All containers are ready and the pod is not: a readiness gate that nobody opens, or a node that does not answer. */
function unmetGate(pod: KubeObject): Condition | undefined {
  const ready = conditionOf(pod, 'Ready');
  const hasRunning = listAt(pod.body, 'status', 'containerStatuses').some((one) => booleanAt(one, 'ready') === true);
  if (textAt(ready, 'status') !== 'False' || !hasRunning || phaseOf(pod) !== 'Running') return undefined;
  const why = textAt(ready, 'message') ?? textAt(ready, 'reason');
  return {
    object: pod,
    service: pod.service,
    reason: 'NotReady',
    statement: `is not ready though its containers are${why ? `: ${why}` : ''}`,
    severity: 0.6,
    type: 'probe_failure',
    atMs: timeAt(ready, 'lastTransitionTime'),
  };
}

function pending(pod: KubeObject, cluster: Cluster, context: RuleContext): Condition | undefined {
  const hasContainerState =
    listAt(pod.body, 'status', 'containerStatuses').length + listAt(pod.body, 'status', 'initContainerStatuses').length;
  if (phaseOf(pod) !== 'Pending' || hasContainerState > 0) return undefined;
  const createdMs = createdMsOf(pod, context.triggerMs);
  const node = textAt(pod.body, 'spec', 'nodeName');
  const isUnknownNode = node !== undefined && cluster.wasRead('Node', '') && !cluster.find('Node', '', node);
  return {
    object: pod,
    service: pod.service,
    reason: isUnknownNode ? `NoNode ${node}` : 'Pending',
    statement: isUnknownNode
      ? `is bound to node ${node}, which does not exist`
      : `is in phase Pending, no container was started${node ? ` on node ${node}` : ''}`,
    severity: isUnknownNode ? 0.95 : 0.75,
    type: 'scheduling',
    atMs: createdMs,
  };
}

/** A deletion that is long overdue: its node does not answer, or a finalizer holds the pod. `deletionTimestamp` includes the grace period. */
function stuckLeaving(pod: KubeObject, { triggerMs }: RuleContext): Condition | undefined {
  const dueMs = timeAt(pod.body, 'metadata', 'deletionTimestamp');
  if (dueMs === undefined || triggerMs - dueMs < MINUTE_MS) return undefined;
  const finalizers = listAt(pod.body, 'metadata', 'finalizers').filter((name) => typeof name === 'string');
  return {
    object: pod,
    service: pod.service,
    reason: 'StuckTerminating',
    statement: `should have ended ${finalizers.length > 0 ? `but is held by finalizer ${finalizers.slice(0, 3).join(', ')}` : 'long ago and has not'}`,
    severity: 0.5,
    type: 'node_failure',
    atMs: dueMs,
  };
}
