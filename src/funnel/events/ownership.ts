import type { KubernetesObject } from '../../domain/telemetry.ts';
import { booleanAt, listAt, textAt } from './json-path.ts';

export interface OwnerReference {
  readonly kind: string;
  readonly name: string;
}

/** Owners, the controller first. */
export function ownerReferences(body: KubernetesObject): readonly OwnerReference[] {
  return listAt(body, 'metadata', 'ownerReferences')
    .map((owner) => ({
      kind: textAt(owner, 'kind') ?? '',
      name: textAt(owner, 'name') ?? '',
      controller: booleanAt(owner, 'controller') === true,
    }))
    .filter((owner) => owner.kind && owner.name)
    .toSorted((a, b) => Number(b.controller) - Number(a.controller));
}

/** Name of the workload an owner stands for: a ReplicaSet's is its Deployment's name and a hash. */
export function workloadNameOf(owner: OwnerReference): string {
  return owner.kind === 'ReplicaSet' ? owner.name.replace(/-[a-z0-9]{5,10}$/, '') : owner.name;
}

/** By convention these name the service, most specific first. */
const SERVICE_LABELS = [
  'app.kubernetes.io/component',
  'app',
  'k8s-app',
  'io.kompose.service',
  'service',
  'name',
  'app.kubernetes.io/name',
  'app.kubernetes.io/instance',
];

/** Names that may be the service's, best first; never empty for an object that has a name. */
export function serviceCandidates(
  body: KubernetesObject,
  workload: string,
  labels: Readonly<Record<string, string>>,
): readonly string[] {
  const said = [textAt(body, 'service'), textAt(body, 'app'), textAt(body, 'deployment'), textAt(body, 'workload')];
  const labelled = SERVICE_LABELS.map((label) => labels[label]);
  return [workload, ...said, ...labelled].filter((name): name is string => Boolean(name));
}
