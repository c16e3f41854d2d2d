import type { KubernetesObject } from '../../domain/telemetry.ts';
import { kindOf, nameOf, namespaceOf } from '../../funnel/events/identity.ts';
import { textAt, textsAt, timeAt } from '../../funnel/events/json-path.ts';
import { describeCommand } from '../../funnel/events/kubectl.ts';
import { ownerReferences, serviceCandidates, workloadNameOf } from '../../funnel/events/ownership.ts';
import { withoutPodSuffix } from '../../funnel/services.ts';
import type { CitedLine } from './cited-line.ts';
import { momentText } from './moments.ts';
import { describerOf } from './object-facts/index.ts';

/** Of more objects than this the state is told without what they are meant to be. */
const MOST_IN_FULL = 6;
/** Of more objects than this those of a kind that show nothing notable share a line. */
const MOST_APART = 12;

/** What tells most about a service that fails comes first; kinds that are not here come last. */
const KINDS = (
  'Pod Deployment StatefulSet DaemonSet Job CronJob Service Endpoints EndpointSlice Ingress HorizontalPodAutoscaler ' +
  'PersistentVolumeClaim Node ResourceQuota NetworkPolicy PersistentVolume ConfigMap PodDisruptionBudget LimitRange ReplicaSet'
).split(' ');

function placeOf(object: KubernetesObject): number {
  const place = KINDS.indexOf(kindOf(object));
  return place < 0 ? KINDS.length : place;
}

/** False for what holds secret values by its nature; nothing of it is ever shown. */
export function isOpen(object: KubernetesObject): boolean {
  return !/secret/i.test(kindOf(object));
}

/** The objects that say themselves that something is notable about them first, then by kind; else in the order given. */
export function notableFirst(objects: readonly KubernetesObject[], triggerMs: number): readonly KubernetesObject[] {
  const byKind = objects.toSorted((a, b) => placeOf(a) - placeOf(b));
  const notable = new Set(byKind.filter((object) => factsOf(object, triggerMs).isNotable));
  return [...notable, ...byKind.filter((object) => !notable.has(object))];
}

/**
 * Kubernetes objects, one line each; with their configuration when they are few. Of many, those of a kind that show nothing notable share a line.
 * Redacted objects, please: a secret that is clipped here is not recognised later.
 */
export function summarizeObjects(objects: readonly KubernetesObject[], triggerMs: number): readonly CitedLine[] {
  const inFull = objects.length <= MOST_IN_FULL;
  if (objects.length <= MOST_APART) return objects.map((object) => summarizeObject(object, triggerMs, inFull));
  const notable = objects.filter((object) => factsOf(object, triggerMs).isNotable);
  const others = new Map<string, KubernetesObject[]>();
  for (const object of objects.filter((one) => !notable.includes(one))) {
    const group = others.get(kindOf(object));
    if (group) group.push(object);
    else others.set(kindOf(object), [object]);
  }
  return [
    ...notable.map((object) => summarizeObject(object, triggerMs, false)),
    ...[...others].map(([kind, group]) => summarizeKind(kind, group, triggerMs)),
  ];
}

const factsOf = (object: KubernetesObject, triggerMs: number) => describerOf(kindOf(object))(object, triggerMs);

/** `Pod, 18 with nothing notable: cart-0 (Running), …`. */
function summarizeKind(kind: string, objects: readonly KubernetesObject[], triggerMs: number): CitedLine {
  const words = objects.map((object) => {
    const [first] = factsOf(object, triggerMs).state;
    return `${nameOf(object)}${first ? ` (${first})` : ''}`;
  });
  const statement = `${kind}, ${objects.length} with nothing notable: ${words.join(', ')}`;
  return { key: `objects:${statement}`, draft: { kind: 'state', service: undefined, statement, atMs: undefined } };
}

function summarizeObject(object: KubernetesObject, triggerMs: number, inFull: boolean): CitedLine {
  const [kind, name, namespace] = [kindOf(object), nameOf(object), namespaceOf(object)];
  const { state, spec, isNotable } = factsOf(object, triggerMs);
  const createdMs = timeAt(object, 'metadata', 'creationTimestamp');
  const born = createdMs === undefined ? ageOf(object) : [`created ${momentText(createdMs, triggerMs)}`];
  const facts = [...state, ...born, ...(inFull ? spec : [])];
  const query = describeCommand({ kind, name, namespace });
  const statement = `${kind} ${name}${namespace ? ` in ${namespace}` : ''}${isNotable ? ' (notable)' : ''}: ${facts.join('; ')}`;
  return {
    key: `object:${statement}`,
    draft: {
      kind: 'state',
      service: serviceOf(object, kind, name),
      statement,
      atMs: undefined,
      ...(query === undefined ? {} : { query }),
    },
  };
}

/** As a recorder printed it, where no time is known. */
function ageOf(object: KubernetesObject): readonly string[] {
  const age = textAt(object, 'metadata', 'annotations', 'recording/age');
  return age === undefined ? [] : [`age ${age}`];
}

function serviceOf(object: KubernetesObject, kind: string, name: string): string | undefined {
  if (kind === 'Node' || kind === 'Namespace') return undefined;
  const owner = ownerReferences(object)[0];
  const workload = owner ? workloadNameOf(owner) : kind === 'Pod' ? withoutPodSuffix(name) : '';
  return serviceCandidates(object, workload, textsAt(object, 'metadata', 'labels'))[0] ?? (name || undefined);
}
