import type { KubernetesObject } from '../../domain/telemetry.ts';
import { withoutPodSuffix, type ServiceMap } from '../services.ts';
import { groupBy, groupByEach } from './group-by.ts';
import { at, booleanAt, listAt, numberAt, textAt, textsAt } from './json-path.ts';
import { ownerReferences, serviceCandidates, workloadNameOf } from './ownership.ts';

/** One object of the snapshot with the fields that every rule asks for. `service` is a canonical name. */
export interface KubeObject {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly service: string;
  readonly body: KubernetesObject;
}

/** The objects of one snapshot. Not in here means "not recorded", which is "absent" only when its kind `wasRead`. */
export interface Cluster {
  of(kind: string): readonly KubeObject[];
  find(kind: string, namespace: string, name: string): KubeObject | undefined;
  /** True when at least one object of the kind was recorded in the namespace: then a missing one really is missing. */
  wasRead(kind: string, namespace: string): boolean;
  /** Pods of the namespace that carry all labels of the selector; none for an empty selector. */
  podsMatching(namespace: string, selector: Readonly<Record<string, string>>): readonly KubeObject[];
  podsOfService(service: string): readonly KubeObject[];
  podsOnNode(node: string): readonly KubeObject[];
  /** True when the service has pods and all of them are recorded as ready: what they need to start was there when they did. */
  isServing(service: string): boolean;
  /** Pod specs of pods and of the templates of workloads that are meant to run: what a service is configured with. */
  readonly podSpecs: readonly PodSpec[];
}

export interface PodSpec {
  readonly owner: KubeObject;
  readonly spec: unknown;
}

const WORKLOADS = ['Deployment', 'StatefulSet', 'DaemonSet'];

export function indexCluster(objects: readonly KubernetesObject[], services: ServiceMap): Cluster {
  const owners = new Map(objects.map((body) => [ownerKey(kindOf(body), namespaceOf(body), nameOf(body)), body]));
  const all = objects.flatMap((body) => readObject(body, owners, services) ?? []);
  const byKind = groupBy(all, (object) => object.kind);
  const byId = new Map(all.map((object) => [ownerKey(object.kind, object.namespace, object.name), object]));
  const pods = byKind.get('Pod') ?? [];
  const podsByLabel = groupByEach(pods, (pod) =>
    Object.entries(pod.labels).map((pair) => labelKey(pod.namespace, ...pair)),
  );
  const podsByService = groupBy(pods, (pod) => pod.service);
  const podsByNode = groupBy(pods, (pod) => textAt(pod.body, 'spec', 'nodeName') ?? '');
  const readKinds = new Set(all.map((object) => `${object.kind}/${object.namespace}`));
  return {
    of: (kind) => byKind.get(kind) ?? [],
    find: (kind, namespace, name) => byId.get(ownerKey(kind, namespace, name)),
    wasRead: (kind, namespace) => readKinds.has(`${kind}/${namespace}`),
    podsMatching: (namespace, selector) => {
      // Every selector asked for here has a pair; its first one narrows the search from all pods to a few.
      const [first] = Object.entries(selector);
      const some = first ? (podsByLabel.get(labelKey(namespace, ...first)) ?? []) : [];
      return some.filter((pod) => matches(pod.labels, selector));
    },
    podsOfService: (service) => podsByService.get(service) ?? [],
    podsOnNode: (node) => podsByNode.get(node) ?? [],
    isServing: (service) => {
      const own = podsByService.get(service) ?? [];
      return own.length > 0 && own.every(isReady);
    },
    podSpecs: podSpecsOf(byKind),
  };
}

/** True when `labels` carry every pair of the selector. */
export function matches(labels: Readonly<Record<string, string>>, selector: Readonly<Record<string, string>>): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}

function readObject(
  body: KubernetesObject,
  owners: ReadonlyMap<string, KubernetesObject>,
  services: ServiceMap,
): KubeObject | undefined {
  const [kind, name, namespace] = [kindOf(body), nameOf(body), namespaceOf(body)];
  if (!kind || !name) return undefined;
  const labels = { ...textsAt(body, 'labels'), ...textsAt(body, 'metadata', 'labels') };
  const workload = workloadOf(body, owners);
  return { kind, name, namespace, labels, service: serviceNameOf(body, workload, labels, services), body };
}

/** Follows controllers upwards (Pod → ReplicaSet → Deployment); the name of the last one known, without the hash a pod name carries. */
function workloadOf(body: KubernetesObject, owners: ReadonlyMap<string, KubernetesObject>): string {
  let current = body;
  let name = kindOf(body) === 'Pod' ? withoutPodSuffix(nameOf(body)) : nameOf(body);
  for (let depth = 0; depth < 4; depth++) {
    const owner = ownerReferences(current)[0];
    if (!owner || owner.kind === 'Node') break;
    name = workloadNameOf(owner);
    const next = owners.get(ownerKey(owner.kind, namespaceOf(body), owner.name));
    if (!next) break;
    current = next;
    name = nameOf(next);
  }
  return name;
}

/** A name that stands in the topology wins, the workload's own before those of labels; else the workload's own. */
function serviceNameOf(
  body: KubernetesObject,
  workload: string,
  labels: Readonly<Record<string, string>>,
  services: ServiceMap,
): string {
  const candidates = serviceCandidates(body, workload, labels).map((name) => services.canonical(name));
  const known = candidates.find((name) => services.inTopology(name));
  return known ?? candidates[0] ?? workload;
}

function isReady(pod: KubeObject): boolean {
  const containers = listAt(pod.body, 'status', 'containerStatuses');
  return containers.length > 0 && containers.every((container) => booleanAt(container, 'ready') === true);
}

function podSpecsOf(byKind: ReadonlyMap<string, readonly KubeObject[]>): readonly PodSpec[] {
  const pods = (byKind.get('Pod') ?? []).map((owner) => ({ owner, spec: owner.body['spec'] }));
  const templates = WORKLOADS.flatMap((kind) => byKind.get(kind) ?? [])
    .filter((workload) => numberAt(workload.body, 'spec', 'replicas') !== 0)
    .map((owner) => ({ owner, spec: at(owner.body, 'spec', 'template', 'spec') }));
  return [...templates, ...pods].filter(({ spec }) => listAt(spec, 'containers').length > 0);
}

const labelKey = (namespace: string, name: string, value: string) => `${namespace}\n${name}=${value}`;
const ownerKey = (kind: string, namespace: string, name: string) => `${kind}/${namespace}/${name}`;
const kindOf = (body: KubernetesObject) => textAt(body, 'kind') ?? '';
const nameOf = (body: KubernetesObject) => textAt(body, 'metadata', 'name') ?? textAt(body, 'name') ?? '';
const namespaceOf = (body: KubernetesObject) =>
  textAt(body, 'metadata', 'namespace') ?? textAt(body, 'namespace') ?? '';
