import type { KubernetesObject } from '../../domain/telemetry.ts';
import type { ServiceMap } from '../services.ts';
import { usesIn, type AddressUse } from './addresses.ts';
import { readCalls, type Calls } from './calls.ts';
import { groupBy } from './group-by.ts';
import { hiddenUses } from './hidden-addresses.ts';
import { identify, kindOf, nameOf, namespaceOf, objectKey, unifyNames } from './identity.ts';
import { at, listAt, numberAt, textAt } from './json-path.ts';
import { ownerReferences } from './ownership.ts';
import { indexPods } from './pods-index.ts';

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
  /** Namespace that the alert is about: by its label, else where the known services live. */
  readonly home: string | undefined;
  of(kind: string): readonly KubeObject[];
  find(kind: string, namespace: string, name: string): KubeObject | undefined;
  /** True when a list of the kind was recorded in the namespace: then a missing object really is missing. */
  wasRead(kind: string, namespace: string): boolean;
  /** Pods of the namespace that carry all labels of the selector; none for an empty selector. */
  podsMatching(namespace: string, selector: Readonly<Record<string, string>>): readonly KubeObject[];
  podsOfService(service: string): readonly KubeObject[];
  podsOnNode(node: string): readonly KubeObject[];
  /** Pods of the namespace, and workloads that are meant to run, which mount the claim. */
  mounting(namespace: string, claim: string): readonly KubeObject[];
  /** Services whose selector matches the pod. */
  routesTo(pod: KubeObject): readonly KubeObject[];
  /** True when the service has pods that stay and all of these are recorded as ready: what they need to start was there when they did. */
  isServing(service: string): boolean;
  /** Deployments, StatefulSets and DaemonSets of the service. */
  workloadsOf(service: string): readonly KubeObject[];
  /** Pod specs of the templates of workloads that are meant to run, and of pods, one of each revision: what services are configured with. */
  readonly podSpecs: readonly PodSpec[];
  /** Addresses in the configuration of pods. */
  readonly uses: readonly AddressUse[];
  readonly calls: Calls;
}

export interface PodSpec {
  readonly owner: KubeObject;
  readonly spec: unknown;
}

export const WORKLOADS = ['Deployment', 'StatefulSet', 'DaemonSet'] as const;

export function indexCluster(
  objects: readonly KubernetesObject[],
  services: ServiceMap,
  alertNamespace?: string,
): Cluster {
  const owners = new Map(objects.map((body) => [objectKey(kindOf(body), namespaceOf(body), nameOf(body)), body]));
  const identified = objects.flatMap((body): KubeObject[] => {
    const identity = identify(body, owners, services);
    return identity ? [{ ...identity, body }] : [];
  });
  const home = homeOf(identified, services, alertNamespace);
  const all = unifyNames(identified, services, home);
  const byKind = groupBy(all, (object) => object.kind);
  const byId = new Map(all.map((object) => [objectKey(object.kind, object.namespace, object.name), object]));
  const workloadsByService = groupBy(
    WORKLOADS.flatMap((kind) => byKind.get(kind) ?? []),
    (workload) => workload.service,
  );
  const readKinds = kindsRead(all);
  const lookup: Pick<Cluster, 'of' | 'find' | 'wasRead'> = {
    of: (kind) => byKind.get(kind) ?? [],
    find: (kind, namespace, name) => byId.get(objectKey(kind, namespace, name)),
    wasRead: (kind, namespace) => readKinds.has(`${kind}/${namespace}`),
  };
  const podSpecs = podSpecsOf(byKind);
  const uses = usesIn(podSpecs, lookup);
  return {
    ...lookup,
    ...indexPods(lookup.of('Pod'), podSpecs, lookup.of('Service')),
    home,
    workloadsOf: (service) => workloadsByService.get(service) ?? [],
    podSpecs,
    uses,
    calls: readCalls(services, [...uses, ...hiddenUses(podSpecs, lookup)], lookup),
  };
}

/** So many descriptions of single objects are as good as a list. */
const DESCRIBED_FOR_LIST = 3;

/** `kind/namespace` of which a list was read: what was described one by one, or is a part of a list, says nothing of its neighbours. */
function kindsRead(all: readonly KubeObject[]): ReadonlySet<string> {
  const described = new Map<string, number>();
  const read = new Set<string>();
  const partial = new Set<string>();
  for (const { kind, namespace, body } of all) {
    const key = `${kind}/${namespace}`;
    if (textAt(body, 'metadata', 'annotations', 'recording/list') === 'partial') partial.add(key);
    if (textAt(body, 'metadata', 'annotations', 'recording/source') !== 'describe') read.add(key);
    else described.set(key, (described.get(key) ?? 0) + 1);
  }
  for (const [key, count] of described) if (count >= DESCRIBED_FOR_LIST) read.add(key);
  for (const key of partial) read.delete(key);
  return read;
}

/** The pod template of a workload. */
export const templateOf = (workload: KubeObject): unknown => at(workload.body, 'spec', 'template');

/** Where most pods of known services are; system namespaces only when nothing else is there. */
function homeOf(
  objects: readonly KubeObject[],
  services: ServiceMap,
  alertNamespace: string | undefined,
): string | undefined {
  const isThere = objects.length === 0 || objects.some(({ namespace }) => namespace === alertNamespace);
  // A scrape may be labelled with the namespace of who scrapes.
  if (alertNamespace !== undefined && isThere) return alertNamespace;
  const votes = new Map<string, number>();
  for (const { kind, namespace, service } of objects) {
    if (kind !== 'Pod' && kind !== 'Deployment' && kind !== 'Service') continue;
    const vote = services.inTopology(service) ? 100 : isSystemNamespace(namespace) ? 0.01 : 1;
    if (namespace !== '') votes.set(namespace, (votes.get(namespace) ?? 0) + vote);
  }
  return [...votes].sort(([a, most], [b, least]) => least - most || (a < b ? -1 : 1))[0]?.[0];
}

/** Namespaces in which the cluster runs its own parts. */
export function isSystemNamespace(namespace: string): boolean {
  return /^(kube-|openshift-)/.test(namespace);
}

function podSpecsOf(byKind: ReadonlyMap<string, readonly KubeObject[]>): readonly PodSpec[] {
  const workloads = WORKLOADS.flatMap((kind) => byKind.get(kind) ?? []);
  const described = new Set(workloads.map(({ namespace, service }) => `${namespace}/${service}`));
  const revisions = new Set<string>();
  const pods = (byKind.get('Pod') ?? []).filter((pod) => {
    // Pods made of one template are configured alike: where the workload speaks for them, one of each revision is enough.
    const revision = revisionOf(pod);
    if (revision === undefined || !described.has(`${pod.namespace}/${pod.service}`)) return true;
    return !revisions.has(revision) && revisions.add(revision);
  });
  const templates = workloads
    .filter((workload) => numberAt(workload.body, 'spec', 'replicas') !== 0)
    .map((owner) => ({ owner, spec: at(templateOf(owner), 'spec') }));
  return [...templates, ...pods.map((owner) => ({ owner, spec: owner.body['spec'] }))].filter(
    ({ spec }) => listAt(spec, 'containers').length > 0,
  );
}

/** What made the pod, of which template; undefined where that is not recorded, and for sets, whose pods have claims of their own. */
function revisionOf({ namespace, labels, body }: KubeObject): string | undefined {
  const maker = ownerReferences(body)[0];
  if (maker?.kind === 'StatefulSet') return undefined;
  return maker && [maker.kind, namespace, maker.name, labels['controller-revision-hash'] ?? ''].join('/');
}
