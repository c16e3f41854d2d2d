import type { Cluster, KubeObject } from '../cluster.ts';
import { largest } from '../extremes.ts';
import { booleanAt, listAt, textAt, timeAt } from '../json-path.ts';
import { ownerReferences } from '../ownership.ts';

export function phaseOf(pod: KubeObject): string | undefined {
  return textAt(pod.body, 'status', 'phase') ?? textAt(pod.body, 'phase');
}

/** A pod that is being deleted or has done its work is rightly not ready. */
export function isLeaving(pod: KubeObject): boolean {
  // The pod table has one word for a phase and what containers do.
  const word = phaseOf(pod) ?? textAt(pod.body, 'metadata', 'annotations', 'recording/status');
  return isTerminating(pod) || word === 'Succeeded' || word === 'Completed' || word === 'Terminating';
}

/** A pod that will never run again, whether it did its work or not. */
export function isFinished(pod: KubeObject): boolean {
  return isLeaving(pod) || phaseOf(pod) === 'Failed';
}

/** What is left of the weight of a pod that failed and was replaced: it shows what happened, not what is. */
export const REPLACED_FACTOR = 0.3;

/** A pod that failed while those after it serve, or after which its job was completed; both are kept for people to look at. */
export function isReplaced(pod: KubeObject, cluster: Cluster): boolean {
  if (phaseOf(pod) !== 'Failed') return false;
  const [owner] = ownerReferences(pod.body);
  const job = owner?.kind === 'Job' ? cluster.find('Job', pod.namespace, owner.name) : undefined;
  return cluster.isServing(pod.service) || textAt(job && conditionOf(job, 'Complete'), 'status') === 'True';
}

/** True when the pod and all its containers are recorded as ready. */
export function isReady(pod: KubeObject): boolean {
  const containers = listAt(pod.body, 'status', 'containerStatuses');
  const verdict = listAt(pod.body, 'status', 'conditions').find((condition) => textAt(condition, 'type') === 'Ready');
  // Of a node that does not answer the containers are still called ready, the pod is not.
  if (textAt(verdict, 'status') === 'False') return false;
  if (containers.length > 0) return containers.every((container) => booleanAt(container, 'ready') === true);
  const [, ready, wanted] =
    /^(\d+)\/(\d+)$/.exec(textAt(pod.body, 'metadata', 'annotations', 'recording/ready') ?? '') ?? [];
  return ready !== undefined && ready === wanted;
}

export function isTerminating(pod: KubeObject): boolean {
  const mark = textAt(pod.body, 'metadata', 'annotations', 'recording/terminating');
  return textAt(pod.body, 'metadata', 'deletionTimestamp') !== undefined || (mark !== undefined && mark !== 'false');
}

export function conditionOf(object: KubeObject, type: string): unknown {
  return listAt(object.body, 'status', 'conditions').find((condition) => textAt(condition, 'type') === type);
}

/** A pod that waits for a node. */
export function isUnplaced(pod: KubeObject): boolean {
  return phaseOf(pod) === 'Pending' && textAt(pod.body, 'spec', 'nodeName') === undefined;
}

/** Creation time, epoch ms: as recorded, else from the age that was printed when the objects were read, near the alert. */
export function createdMsOf(object: KubeObject, triggerMs: number): number | undefined {
  const createdMs = timeAt(object.body, 'metadata', 'creationTimestamp');
  if (createdMs !== undefined) return createdMs;
  const ageMs = parseAge(textAt(object.body, 'metadata', 'annotations', 'recording/age') ?? '');
  return ageMs === undefined ? undefined : triggerMs - ageMs;
}

/** Creation of the newest pod of a service: since then it runs as its specification is now. */
export function newestPodMs(service: string, cluster: Cluster, triggerMs: number): number | undefined {
  const times = cluster.podsOfService(service).flatMap((pod) => createdMsOf(pod, triggerMs) ?? []);
  return times.length > 0 ? largest(times) : undefined;
}

export const timesText = (count: number) => (count === 1 ? 'once' : `${count} times`);

const DAY_MS = 86_400_000;

/** How much a number of restarts tells that carries no time: over the life of an old pod a few of them are usual. */
export function untimedRestarts(pod: KubeObject, restarts: number, triggerMs: number): number {
  const ageMs = triggerMs - (createdMsOf(pod, triggerMs) ?? triggerMs);
  return Math.min(0.3, 0.1 + 0.05 * restarts) * (ageMs > 2 * DAY_MS ? 0.3 : 1);
}

/** Pods that were started with all others differ by no more than this. */
const TOGETHER_MS = 120_000;
/** What a service has lived with since the beginning is hardly what ails it now. */
const FROM_THE_BEGINNING = 0.4;

/**
 * How much an oddity in a service's configuration can matter: little when its pods are ready and as old as those of most others, since
 * then it always was so. 1 where pods are not ready, were started later than the rest, or where no times are known.
 */
export function noveltyOf(cluster: Cluster, triggerMs: number): (service: string) => number {
  const times = cluster
    .of('Pod')
    .filter(({ namespace }) => namespace === cluster.home)
    .flatMap((pod) => createdMsOf(pod, triggerMs) ?? [])
    .toSorted((a, b) => a - b);
  const usualMs = times[times.length >> 1];
  const weigh = (service: string) => {
    const newestMs = newestPodMs(service, cluster, triggerMs);
    if (newestMs === undefined || usualMs === undefined || !cluster.isServing(service)) return 1;
    return newestMs - usualMs > TOGETHER_MS ? 1 : FROM_THE_BEGINNING;
  };
  const known = new Map<string, number>();
  return (service) => {
    const weight = known.get(service) ?? weigh(service);
    known.set(service, weight);
    return weight;
  };
}

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  y: 31_536_000_000,
};

/** `65s`, `4h5m`, `2d3h`, `1y20d` as milliseconds; undefined for anything else. */
export function parseAge(text: string): number | undefined {
  if (!/^(\d+[smhdy])+$/.test(text)) return undefined;
  return [...text.matchAll(/(\d+)([smhdy])/g)].reduce(
    (total, [, count, unit]) => total + Number(count) * (UNIT_MS[unit ?? ''] ?? 0),
    0,
  );
}
