import type { Change, KubernetesObject } from '../../domain/telemetry.ts';
import { kindOf, nameOf, namespaceOf } from '../../funnel/events/identity.ts';
import { at, listAt, numberAt, textAt, textsAt, timeAt } from '../../funnel/events/json-path.ts';
import { ownerReferences, serviceCandidates } from '../../funnel/events/ownership.ts';
import type { Edit } from './edits.ts';
import type { ReadObject } from './listing.ts';
import { compareTemplates } from './template-diff.ts';

/** A rollout is one act with what was written to start it. */
const SAME_ACT_MS = 30_000;
const MOST_READERS = 5;

/** What was deliberately changed, as far as the newest state of the objects still shows it: rollouts, scaling, edits. Oldest first. */
export function changesOf(objects: readonly ReadObject[]): readonly Change[] {
  const workloads = new Map(
    objects.filter(({ object }) => WORKLOADS.has(kindOf(object))).map((read) => [keyOf(read.object), read]),
  );
  const rollouts = [...revisionsByWorkload(objects)].flatMap(([workload, revisions]) =>
    rolloutsOf(revisions, workloads.get(workload)),
  );
  const edits = objects.flatMap(({ object, edits: all }) =>
    all.filter((edit) => !startsRollout(object, edit, rollouts)).flatMap((edit) => tellEdit(object, edit, objects)),
  );
  return [...rollouts.map(({ change }) => change), ...edits].toSorted((a, b) => a.timeMs - b.timeMs);
}

const keyOf = (object: KubernetesObject) => `${kindOf(object)}/${namespaceOf(object)}/${nameOf(object)}`;

interface Revision {
  readonly number: number;
  readonly createdMs: number;
  readonly template: unknown;
  readonly name: string;
  readonly owner: string;
}

interface Rollout {
  /** Key of the workload. */
  readonly workload: string;
  readonly change: Change;
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
function rolloutsOf(revisions: readonly Revision[], workload: ReadObject | undefined): readonly Rollout[] {
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

function startsRollout(object: KubernetesObject, edit: Edit, rollouts: readonly Rollout[]): boolean {
  const key = keyOf(object);
  return (
    !edit.isScaling &&
    rollouts.some(({ workload, change }) => workload === key && Math.abs(change.timeMs - edit.timeMs) <= SAME_ACT_MS)
  );
}

function tellEdit(object: KubernetesObject, edit: Edit, all: readonly ReadObject[]): readonly Change[] {
  const [kind, name] = [kindOf(object), nameOf(object)];
  const { timeMs, by } = edit;
  const fields = edit.fields.join(', ');
  if (edit.isScaling) {
    const replicas = numberAt(object, 'spec', 'replicas');
    const isAutomatic = by === 'kube-controller-manager';
    const summary = `${kind} ${name} scaled to ${replicas ?? '?'} replicas by ${isAutomatic ? 'its autoscaler' : by}`;
    return [{ timeMs, service: name, kind: isAutomatic ? 'autoscaling' : 'scaling', summary }];
  }
  const summary = `${kind} ${name} changed by ${by}, which sets ${fields}`;
  if (kind !== 'ConfigMap') return [{ timeMs, service: serviceOf(object, kind, name), kind: 'edit', summary }];
  const readers = readersOf(name, namespaceOf(object), all);
  const services = readers.length > 0 ? readers : [serviceOf(object, kind, name)];
  return services.map((service) => ({ timeMs, service, kind: 'config change', summary }));
}

/** Kinds of which one concerns many services. */
const SHARED: ReadonlySet<string> = new Set(['ResourceQuota', 'LimitRange', 'StorageClass']);

function serviceOf(object: KubernetesObject, kind: string, name: string): string | undefined {
  if (SHARED.has(kind)) return undefined;
  const target = textAt(object, 'spec', 'scaleTargetRef', 'name');
  return (
    target ??
    serviceCandidates(object, kind === 'ConfigMap' ? '' : name, textsAt(object, 'metadata', 'labels'))[0] ??
    name
  );
}

const WORKLOADS: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob']);

/** Workloads whose pods read the config map. */
function readersOf(name: string, namespace: string, all: readonly ReadObject[]): readonly string[] {
  return all
    .filter(({ object }) => WORKLOADS.has(kindOf(object)) && namespaceOf(object) === namespace)
    .filter(({ object }) => configMapsOf(object).includes(name))
    .map(({ object }) => nameOf(object))
    .slice(0, MOST_READERS);
}

function configMapsOf(workload: KubernetesObject): readonly (string | undefined)[] {
  const spec =
    at(workload, 'spec', 'template', 'spec') ?? at(workload, 'spec', 'jobTemplate', 'spec', 'template', 'spec');
  const containers = [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')];
  return [
    ...containers.flatMap((one) => listAt(one, 'envFrom')).map((source) => textAt(source, 'configMapRef', 'name')),
    ...containers
      .flatMap((one) => listAt(one, 'env'))
      .map((entry) => textAt(entry, 'valueFrom', 'configMapKeyRef', 'name')),
    ...listAt(spec, 'volumes').flatMap((volume) => [
      textAt(volume, 'configMap', 'name'),
      ...listAt(volume, 'projected', 'sources').map((source) => textAt(source, 'configMap', 'name')),
    ]),
  ];
}
