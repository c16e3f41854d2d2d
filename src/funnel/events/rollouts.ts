import type { Change } from '../../domain/telemetry.ts';
import type { Cluster, KubeObject } from './cluster.ts';
import { groupBy } from './group-by.ts';
import { at, listAt, textAt, timeAt } from './json-path.ts';
import { ownerReferences } from './ownership.ts';

const MINUTE_MS = 60_000;
const LOOK_BACK_MS = 60 * MINUTE_MS;
const LOOK_AHEAD_MS = 5 * MINUTE_MS;

/** Deployments that got a new ReplicaSet beside older ones shortly before the trigger, and restarts ordered by `kubectl rollout restart`. */
export function findRollouts(cluster: Cluster, triggerMs: number): readonly Change[] {
  const owned = cluster.of('ReplicaSet').flatMap((set) => {
    const owner = ownerReferences(set.body).find(({ kind }) => kind === 'Deployment');
    const createdMs = timeAt(set.body, 'metadata', 'creationTimestamp');
    return owner && createdMs !== undefined ? [{ set, createdMs, owner: `${set.namespace}/${owner.name}` }] : [];
  });
  return [...groupBy(owned, ({ owner }) => owner).values()].flatMap((sets) => {
    const [newest, previous] = sets.toSorted((a, b) => b.createdMs - a.createdMs);
    // A single ReplicaSet is a first deployment, not a change of one.
    if (!newest || !previous || !isNear(newest.createdMs, triggerMs)) return [];
    return {
      timeMs: newest.createdMs,
      service: newest.set.service,
      namespace: newest.set.namespace,
      kind: 'rollout',
      summary: describeDifference(previous.set, newest.set),
    };
  });
}

function isNear(timeMs: number, triggerMs: number): boolean {
  return timeMs > triggerMs - LOOK_BACK_MS && timeMs < triggerMs + LOOK_AHEAD_MS;
}

function describeDifference(before: KubeObject, after: KubeObject): string {
  const images = changedImages(before, after);
  const parts = [...images, ...changedSections(before, after)];
  const what = parts.length > 0 ? parts.slice(0, 6).join('; ') : 'what changed is not recorded';
  return `ReplicaSet ${after.name} replaced ${before.name}: ${what}`;
}

const containersOf = (set: KubeObject) => listAt(set.body, 'spec', 'template', 'spec', 'containers');

function changedImages(before: KubeObject, after: KubeObject): readonly string[] {
  const old = new Map(containersOf(before).map((container) => [textAt(container, 'name'), textAt(container, 'image')]));
  return containersOf(after).flatMap((container) => {
    const name = textAt(container, 'name');
    const [from, to] = [old.get(name), textAt(container, 'image')];
    return from && to && from !== to ? [`image of ${name ?? '(unnamed)'} ${from} → ${to}`] : [];
  });
}

/** Names of what differs, not the values: those can be long or confidential. */
function changedSections(before: KubeObject, after: KubeObject): readonly string[] {
  const old = new Map(containersOf(before).map((container) => [textAt(container, 'name'), container]));
  return containersOf(after).flatMap((container) => {
    const previous = old.get(textAt(container, 'name'));
    if (previous === undefined) return [`container ${textAt(container, 'name') ?? '(unnamed)'} added`];
    return ['command', 'args', 'env', 'envFrom', 'resources', 'readinessProbe', 'livenessProbe', 'ports']
      .filter((section) => JSON.stringify(at(previous, section)) !== JSON.stringify(at(container, section)))
      .map((section) => `${section} changed`);
  });
}
