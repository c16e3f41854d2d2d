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

/** False for what holds secret values by its nature; nothing of it is ever shown. */
export function isOpen(object: KubernetesObject): boolean {
  return !/secret/i.test(kindOf(object));
}

/** The objects that say that something is wrong with them first, else in the order given. */
export function troubledFirst(objects: readonly KubernetesObject[], triggerMs: number): readonly KubernetesObject[] {
  const isTroubled = (object: KubernetesObject) => describerOf(kindOf(object))(object, triggerMs).isTroubled;
  const troubled = new Set(objects.filter(isTroubled));
  return [...troubled, ...objects.filter((object) => !troubled.has(object))];
}

/** Kubernetes objects, one line each; with their configuration when they are few. Redacted objects, please: what is clipped here is not seen again. */
export function summarizeObjects(objects: readonly KubernetesObject[], triggerMs: number): readonly CitedLine[] {
  const inFull = objects.length <= MOST_IN_FULL;
  return objects.map((object) => summarizeObject(object, triggerMs, inFull));
}

function summarizeObject(object: KubernetesObject, triggerMs: number, inFull: boolean): CitedLine {
  const [kind, name, namespace] = [kindOf(object), nameOf(object), namespaceOf(object)];
  const { state, spec, isTroubled } = describerOf(kind)(object, triggerMs);
  const createdMs = timeAt(object, 'metadata', 'creationTimestamp');
  const born = createdMs === undefined ? ageOf(object) : [`created ${momentText(createdMs, triggerMs)}`];
  const facts = [...state, ...born, ...(inFull ? spec : [])];
  const query = describeCommand({ kind, name, namespace });
  const text = `${kind} ${name}${namespace ? ` in ${namespace}` : ''}${isTroubled ? ' (not as meant)' : ''}: ${facts.join('; ')}`;
  const service = serviceOf(object, kind, name);
  return {
    key: `object:${kind}/${namespace}/${name}:${text}`,
    draft: {
      kind: 'state',
      service,
      statement: text,
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
