import type { Change, ClusterEvent, KubernetesObject } from '../../domain/telemetry.ts';
import { kindOf, nameOf, namespaceOf } from '../../funnel/events/identity.ts';
import { at, listAt, numberAt, textAt, textsAt } from '../../funnel/events/json-path.ts';
import { serviceCandidates } from '../../funnel/events/ownership.ts';
import type { Edit } from './edits.ts';
import type { ReadObject } from './listing.ts';
import { TEMPLATED } from './resources.ts';
import { findRollouts, keyOf, type Act } from './rollouts.ts';
import { findScaling, isAutomatic } from './scaling.ts';

/** A rollout or a scaling is one act with what was written to order it. */
const SAME_ACT_MS = 30_000;
const MOST_READERS = 5;

/**
 * What was deliberately changed, as far as the newest state of the objects and the events still show it: rollouts, scaling, edits. Oldest first. Of an edit Kubernetes keeps
 * who wrote last and when, not what it changed.
 */
export function changesOf(objects: readonly ReadObject[], events: readonly ClusterEvent[]): readonly Change[] {
  const workloads = new Map(
    objects.filter(({ object }) => TEMPLATED.has(kindOf(object))).map((read) => [keyOf(read.object), read]),
  );
  const acts = [...findRollouts(objects, workloads), ...findScaling(events, objects, workloads)];
  const edits = objects.flatMap(({ object, edits: all }) =>
    all.filter((edit) => !isToldBy(acts, object, edit)).flatMap((edit) => tellEdit(object, edit, objects)),
  );
  return [...acts.map(({ change }) => change), ...edits].toSorted((a, b) => a.timeMs - b.timeMs);
}

function isToldBy(acts: readonly Act[], object: KubernetesObject, { timeMs }: Edit): boolean {
  const key = keyOf(object);
  return acts.some(({ workload, change }) => workload === key && Math.abs(change.timeMs - timeMs) <= SAME_ACT_MS);
}

function tellEdit(object: KubernetesObject, edit: Edit, all: readonly ReadObject[]): readonly Change[] {
  const [kind, name, namespace] = [kindOf(object), nameOf(object), namespaceOf(object)];
  const { timeMs, by, fields } = edit;
  if (edit.isScaling) {
    const summary = `${kind} ${name} scaled to ${numberAt(object, 'spec', 'replicas') ?? '?'} by ${by}`;
    return [{ timeMs, service: name, namespace, kind: isAutomatic(edit) ? 'autoscaling' : 'scaling', summary }];
  }
  // Whoever owns many fields wrote the whole object at some time, and perhaps one of them now.
  const own = fields.length <= FEW_FIELDS ? ` (${fields.join(', ')})` : '';
  const summary = `${kind} ${name} last written by ${by}${own}`;
  if (kind !== 'ConfigMap')
    return [{ timeMs, service: serviceOf(object, kind, name), namespace, kind: 'edit', summary }];
  const readers = readersOf(name, namespace, all);
  const services = readers.length > 0 ? readers : [serviceOf(object, kind, name)];
  return services.map((service) => ({ timeMs, service, namespace, kind: 'config change', summary }));
}

/** So few fields of one writer are what it changed. */
const FEW_FIELDS = 2;

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

/** Workloads whose pods read the config map. */
function readersOf(name: string, namespace: string, all: readonly ReadObject[]): readonly string[] {
  return all
    .filter(({ object }) => TEMPLATED.has(kindOf(object)) && namespaceOf(object) === namespace)
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
