import type { ClusterEvent, KubernetesObject } from '../domain/telemetry.ts';
import { kindOf, nameOf } from '../funnel/events/identity.ts';
import { textsAt } from '../funnel/events/json-path.ts';
import { ownerReferences, serviceCandidates, workloadNameOf } from '../funnel/events/ownership.ts';
import { withoutPodSuffix } from '../funnel/services.ts';
import { matcher } from './wildcard.ts';

/** Kinds whose name is the workload's own or derived from it: `cart-db` among them is another service, not a part of `cart`. */
const NAMED_AFTER_THEMSELVES: ReadonlySet<string> = new Set([
  'Pod',
  'ReplicaSet',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'Service',
  'Endpoints',
  'Node',
  'Namespace',
]);

/** Whether an event is about the service: it says so, or its object is named after it or is a pod of it. */
export function eventBelongsTo(service: string | undefined): (event: ClusterEvent) => boolean {
  const matches = matcher(service);
  return (event) =>
    service === undefined ||
    (event.service !== undefined && matches(event.service)) ||
    matches(event.objectName) ||
    matches(workloadNameOf({ kind: event.objectKind, name: withoutPodSuffix(event.objectName) }));
}

/** Whether an object belongs to the service: by its name, its owner or the labels that name services by convention. */
export function objectBelongsTo(service: string | undefined): (object: KubernetesObject) => boolean {
  const matches = matcher(service);
  const isPartOf = matcher(service === undefined ? undefined : `${service}-*`);
  return (object) => {
    const [kind, name] = [kindOf(object), nameOf(object)];
    const owner = ownerReferences(object)[0];
    const workload = owner ? workloadNameOf(owner) : kind === 'Pod' ? withoutPodSuffix(name) : name;
    const names = [name, ...serviceCandidates(object, workload, textsAt(object, 'metadata', 'labels'))];
    return names.some(matches) || (!NAMED_AFTER_THEMSELVES.has(kind) && isPartOf(name));
  };
}
