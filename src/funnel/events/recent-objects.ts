import type { Change } from '../../domain/telemetry.ts';
import { WORKLOADS, type Cluster, type KubeObject } from './cluster.ts';
import { smallest } from './extremes.ts';
import { listAt, numberAt, textAt, timeAt } from './json-path.ts';
import { createdMsOf } from './objects/pod-life.ts';

const MINUTE_MS = 60_000;
const LOOK_BACK_MS = 30 * MINUTE_MS;
const LOOK_AHEAD_MS = 2 * MINUTE_MS;
/** What is this much younger than most of its kind was made for itself, not with the rest. */
const APART_MS = 10 * MINUTE_MS;

/** Kinds that somebody makes; pods and replica sets are made by controllers. */
const MADE_BY_PEOPLE = [
  'Service',
  'ConfigMap',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'PersistentVolumeClaim',
] as const;

/**
 * Deliberate acts that objects themselves tell of: what was made shortly before the alert while its neighbours are older, and workloads
 * rolled out or restarted lately. Nothing in a cluster that is young as a whole.
 */
export function findRecentObjects(cluster: Cluster, triggerMs: number): readonly Change[] {
  return [
    ...MADE_BY_PEOPLE.flatMap((kind) =>
      youngOnes(cluster.of(kind), triggerMs).map(({ object, createdMs }) => made(object, createdMs)),
    ),
    ...rolledOut(cluster, triggerMs),
    ...restarted(cluster, triggerMs),
  ];
}

interface Young {
  readonly object: KubeObject;
  readonly createdMs: number;
}

function youngOnes(objects: readonly KubeObject[], triggerMs: number): readonly Young[] {
  const dated = objects.flatMap((object) => {
    const createdMs = createdMsOf(object, triggerMs);
    return createdMs === undefined ? [] : [{ object, createdMs }];
  });
  return apart(dated, ({ createdMs }) => createdMs, triggerMs);
}

/** Those whose time lies shortly before the alert, and well after the usual one. */
function apart<T>(items: readonly T[], timeOf: (item: T) => number, triggerMs: number): readonly T[] {
  const times = items.map(timeOf).toSorted((a, b) => a - b);
  const usual = times[times.length >> 1];
  if (usual === undefined || times.length < 3) return [];
  return items.filter((item) => {
    const timeMs = timeOf(item);
    return timeMs > triggerMs - LOOK_BACK_MS && timeMs < triggerMs + LOOK_AHEAD_MS && timeMs - usual > APART_MS;
  });
}

function made({ kind, name, namespace, service }: KubeObject, timeMs: number): Change {
  return {
    timeMs,
    service,
    namespace,
    kind: 'creation',
    summary: `${kind} ${name}, long after the others of its kind`,
  };
}

/** `Progressing` tells when a Deployment last rolled something out. */
function rolledOut(cluster: Cluster, triggerMs: number): readonly Change[] {
  const dated = cluster.of('Deployment').flatMap((deployment) => {
    const progressing = listAt(deployment.body, 'status', 'conditions').find(
      (one) => textAt(one, 'type') === 'Progressing',
    );
    const timeMs = timeAt(progressing, 'lastUpdateTime');
    return timeMs === undefined ? [] : [{ deployment, timeMs }];
  });
  return apart(dated, ({ timeMs }) => timeMs, triggerMs).map(({ deployment, timeMs }) => ({
    timeMs,
    service: deployment.service,
    namespace: deployment.namespace,
    kind: 'rollout',
    summary: `Deployment ${deployment.name} rolled out${revisionText(deployment)}`,
  }));
}

/** Workloads all of whose pods are young while they are not: crashes make no new pods, and an autoscaler leaves the old ones. */
function restarted(cluster: Cluster, triggerMs: number): readonly Change[] {
  const dated = WORKLOADS.flatMap((kind) => cluster.of(kind)).flatMap((workload) => {
    const times = cluster.podsOfService(workload.service).map((pod) => createdMsOf(pod, triggerMs) ?? Number.NaN);
    const oldestMs = smallest(times);
    return times.length > 0 && !Number.isNaN(oldestMs) ? [{ workload, oldestMs }] : [];
  });
  return apart(dated, ({ oldestMs }) => oldestMs, triggerMs)
    .filter(({ workload, oldestMs }) => oldestMs - (createdMsOf(workload, triggerMs) ?? oldestMs) > APART_MS)
    .map(({ workload, oldestMs }) => ({
      timeMs: oldestMs,
      service: workload.service,
      namespace: workload.namespace,
      kind: 'restart',
      summary: `all pods of ${workload.kind} ${workload.name} were started anew`,
    }));
}

function revisionText(deployment: KubeObject): string {
  const revision = numberAt(deployment.body, 'metadata', 'annotations', 'deployment.kubernetes.io/revision');
  return revision === undefined ? '' : ` revision ${revision}`;
}
