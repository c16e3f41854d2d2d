import type { Change, KubernetesObject } from '../../domain/telemetry.ts';
import { kindOf, nameOf, namespaceOf } from '../../funnel/events/identity.ts';
import { at, listAt, numberAt, textAt, textsAt, timeAt } from '../../funnel/events/json-path.ts';
import { ownerReferences } from '../../funnel/events/ownership.ts';
import type { ReadObject } from './listing.ts';
import { compareTemplates } from './template-diff.ts';

/** A change of one workload. */
export interface Act {
  /** `kind/namespace/name` of the workload. */
  readonly workload: string;
  readonly change: Change;
}

/** `kind/namespace/name` */
export function keyOf(object: KubernetesObject): string {
  return `${kindOf(object)}/${namespaceOf(object)}/${nameOf(object)}`;
}

/** New revisions of workloads, and returns to older ones, with what differs between their pod templates. */
export function findRollouts(
  objects: readonly ReadObject[],
  workloads: ReadonlyMap<string, ReadObject>,
): readonly Act[] {
  return [...revisionsByWorkload(objects)].flatMap(([workload, revisions]) =>
    rolloutsOf(revisions, workloads.get(workload)),
  );
}

interface Revision {
  readonly number: number;
  readonly createdMs: number;
  readonly template: unknown;
  readonly name: string;
  readonly namespace: string;
  readonly owner: string;
}

/** Replica sets of deployments, and the revisions that stateful and daemon sets keep; oldest first. */
function revisionsByWorkload(objects: readonly ReadObject[]): ReadonlyMap<string, readonly Revision[]> {
  const all = new Map<string, Revision[]>();
  for (const { object } of objects) {
    const kind = kindOf(object);
    if (kind !== 'ReplicaSet' && kind !== 'ControllerRevision') continue;
    const [owner] = ownerReferences(object);
    const createdMs = timeAt(object, 'metadata', 'creationTimestamp');
    if (!owner || createdMs === undefined) continue;
    const key = `${owner.kind}/${namespaceOf(object)}/${owner.name}`;
    const revision = {
      number: numberOf(object, createdMs),
      createdMs,
      template: at(object, 'spec', 'template') ?? at(object, 'data', 'spec', 'template'),
      name: `${kind} ${nameOf(object)}`,
      namespace: namespaceOf(object),
      owner: owner.name,
    };
    all.set(key, [...(all.get(key) ?? []), revision]);
  }
  for (const revisions of all.values()) revisions.sort((a, b) => a.number - b.number || a.createdMs - b.createdMs);
  return all;
}

function numberOf(object: KubernetesObject, createdMs: number): number {
  const said = textsAt(object, 'metadata', 'annotations')['deployment.kubernetes.io/revision'];
  return numberAt(object, 'revision') ?? (said === undefined ? createdMs : Number(said));
}

/** The first revision is no change of anything. */
function rolloutsOf(revisions: readonly Revision[], workload: ReadObject | undefined): readonly Act[] {
  return revisions.slice(1).flatMap((now, i) => {
    const before = revisions[i];
    if (before === undefined) return [];
    const isNewest = i === revisions.length - 2;
    // Going back to an older revision makes no new one: it gets the next number, and keeps its time.
    const isReturn = now.createdMs < before.createdMs;
    const timeMs = isReturn ? (isNewest ? lastEditMs(workload) : undefined) : now.createdMs;
    if (timeMs === undefined) return [];
    const { parts, isConfiguration } = compareTemplates(before.template, now.template);
    const what = parts.length > 0 ? parts.join('; ') : 'nothing of the pod template that is read here differs';
    const kind = workload ? kindOf(workload.object) : 'workload';
    const verb = isReturn ? 'went back to' : 'rolled out';
    return {
      workload: workload ? keyOf(workload.object) : '',
      change: {
        timeMs,
        service: now.owner,
        namespace: now.namespace,
        kind: isConfiguration ? 'rollout of configuration' : 'rollout',
        summary: `${kind} ${now.owner} ${verb} ${now.name} in place of ${before.name}: ${what}`,
      },
    };
  });
}

function lastEditMs(workload: ReadObject | undefined): number | undefined {
  const times = (workload?.edits ?? []).filter(({ isScaling }) => !isScaling).map(({ timeMs }) => timeMs);
  const conditions = listAt(workload?.object, 'status', 'conditions');
  const progress = conditions.find((condition) => textAt(condition, 'type') === 'Progressing');
  return times.length > 0 ? Math.max(...times) : timeAt(progress, 'lastUpdateTime');
}
