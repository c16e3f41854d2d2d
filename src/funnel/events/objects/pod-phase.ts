import type { KubeObject } from '../cluster.ts';
import type { Condition, Rule } from '../condition.ts';
import { at, booleanAt, listAt, textAt, timeAt } from '../json-path.ts';
import { ownerReferences } from '../ownership.ts';
import { judgeText } from '../severities.ts';

/** Pods that cannot be placed, failed, or run without being ready. */
export const podPhases: Rule = (cluster) =>
  cluster.of('Pod').flatMap((pod) => {
    if (isLeaving(pod)) return [];
    return unschedulable(pod) ?? failed(pod) ?? notReady(pod) ?? pending(pod) ?? [];
  });

/** A pod that is being deleted or has done its work is rightly not ready. */
export function isLeaving(pod: KubeObject): boolean {
  const phase = phaseOf(pod);
  return (
    textAt(pod.body, 'metadata', 'deletionTimestamp') !== undefined || phase === 'Succeeded' || phase === 'Completed'
  );
}

function phaseOf(pod: KubeObject): string | undefined {
  return textAt(pod.body, 'status', 'phase') ?? textAt(pod.body, 'phase');
}

function conditionOf(pod: KubeObject, type: string): unknown {
  return listAt(pod.body, 'status', 'conditions').find((condition) => textAt(condition, 'type') === type);
}

function unschedulable(pod: KubeObject): Condition | undefined {
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (textAt(scheduled, 'status') !== 'False') return undefined;
  const message = textAt(scheduled, 'message') ?? textAt(scheduled, 'reason') ?? 'no reason recorded';
  const quotaOrVolume = /persistentvolumeclaim|volume/i.test(message);
  return {
    object: pod,
    service: pod.service,
    reason: 'Unschedulable',
    statement: `cannot be placed on a node: ${message}`,
    severity: 0.9,
    type: quotaOrVolume ? 'config_change' : 'scheduling',
    atMs: timeAt(scheduled, 'lastTransitionTime'),
  };
}

function failed(pod: KubeObject): Condition | undefined {
  const phase = phaseOf(pod);
  if (phase !== 'Failed' && phase !== 'Unknown') return undefined;
  const reason = textAt(pod.body, 'status', 'reason') ?? phase;
  const message = textAt(pod.body, 'status', 'message');
  const judged = judgeText(`${reason} ${message ?? ''}`) ?? { severity: 0.7, type: 'unknown' };
  return {
    object: pod,
    service: pod.service,
    reason,
    statement: `is in phase ${phase}: ${reason}${message ? ` (${message})` : ''}`,
    // A failed run of a job is tried again, and hurts nobody who calls.
    severity: judged.severity * (ownerReferences(pod.body)[0]?.kind === 'Job' ? 0.5 : 1),
    type: phase === 'Unknown' ? 'node_failure' : judged.type,
  };
}

/** Only containers that run: one that waits or ended is told by its own rule. */
function notReady(pod: KubeObject): Condition | undefined {
  const unready = listAt(pod.body, 'status', 'containerStatuses').filter(
    (container) => booleanAt(container, 'ready') === false && at(container, 'state', 'running') !== undefined,
  );
  if (unready.length === 0) return undefined;
  const names = unready.map((container) => textAt(container, 'name') ?? '(unnamed)').join(', ');
  return {
    object: pod,
    service: pod.service,
    reason: 'NotReady',
    statement: `runs but is not ready: container ${names}`,
    severity: 0.6,
    type: 'probe_failure',
    atMs: timeAt(conditionOf(pod, 'Ready'), 'lastTransitionTime'),
  };
}

function pending(pod: KubeObject): Condition | undefined {
  const hasContainerState = listAt(pod.body, 'status', 'containerStatuses').length > 0;
  if (phaseOf(pod) !== 'Pending' || hasContainerState) return undefined;
  return {
    object: pod,
    service: pod.service,
    reason: 'Pending',
    statement: 'is in phase Pending, no container was started',
    severity: 0.75,
    type: 'scheduling',
  };
}
