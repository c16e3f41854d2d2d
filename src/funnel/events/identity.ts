import type { KubernetesObject } from '../../domain/telemetry.ts';
import { withoutPodSuffix, type ServiceMap } from '../services.ts';
import type { KubeObject } from './cluster.ts';
import { groupByEach } from './group-by.ts';
import { matches } from './selectors.ts';
import { systemComponent } from './components.ts';
import { hasAt, textAt, textsAt } from './json-path.ts';
import { ownerReferences, serviceCandidates, workloadNameOf } from './ownership.ts';

/** What one object is called: its own names, and the service it is counted to. */
export type Identity = Omit<KubeObject, 'body'>;

export type Owners = ReadonlyMap<string, KubernetesObject>;

export const objectKey = (kind: string, namespace: string, name: string) => `${kind}/${namespace}/${name}`;
export const kindOf = (body: KubernetesObject) => textAt(body, 'kind') ?? '';
export const nameOf = (body: KubernetesObject) => textAt(body, 'metadata', 'name') ?? textAt(body, 'name') ?? '';
export const namespaceOf = (body: KubernetesObject) =>
  textAt(body, 'metadata', 'namespace') ?? textAt(body, 'namespace') ?? '';

/** Undefined for what is no object: without a kind or a name nothing can be said of it. */
export function identify(body: KubernetesObject, owners: Owners, services: ServiceMap): Identity | undefined {
  const [kind, name, namespace] = [kindOf(body), nameOf(body), namespaceOf(body)];
  if (!kind || !name) return undefined;
  const own = hasAt(body, 'metadata', 'labels') ? textsAt(body, 'metadata', 'labels') : textsAt(body, 'labels');
  const chain = ownersOf(body, owners);
  const labels = kind === 'Pod' && Object.keys(own).length === 0 ? templateLabels(chain) : own;
  const workload = workloadOf(body, chain, labels);
  return { kind, name, namespace, labels, service: serviceNameOf(body, workload, labels, services) };
}

/** The recorded controllers of an object, from the nearest up (Pod → ReplicaSet → Deployment). */
function ownersOf(body: KubernetesObject, owners: Owners): readonly KubernetesObject[] {
  const chain: KubernetesObject[] = [];
  for (let current = body; chain.length < 4;) {
    const owner = ownerReferences(current)[0];
    const next = owner && owners.get(objectKey(owner.kind, namespaceOf(body), owner.name));
    if (!next) break;
    chain.push(next);
    current = next;
  }
  return chain;
}

/** Pods carry the labels of the template that they were made of, also where their own were not recorded. */
function templateLabels(chain: readonly KubernetesObject[]): Readonly<Record<string, string>> {
  const labels = chain.map((owner) => textsAt(owner, 'spec', 'template', 'metadata', 'labels'));
  return labels.find((each) => Object.keys(each).length > 0) ?? textsAt({});
}

/** Name of the last controller that is known, without the hash that a pod's or replica set's name carries. */
function workloadOf(
  body: KubernetesObject,
  chain: readonly KubernetesObject[],
  labels: Readonly<Record<string, string>>,
): string {
  const last = chain.at(-1) ?? body;
  const owner = ownerReferences(last)[0];
  if (owner?.kind === 'Node') return staticPodName(body, owner.name);
  if (owner) return workloadNameOf(owner);
  if (last !== body || kindOf(body) !== 'Pod') return nameOf(last);
  const component = namespaceOf(body) === 'kube-system' ? systemComponent(nameOf(body), labels) : undefined;
  return component ?? withoutPodSuffix(nameOf(body));
}

/** A kubelet names the pods of its manifests `<component>-<node>`. */
function staticPodName(body: KubernetesObject, node: string): string {
  const name = nameOf(body);
  const host = textAt(body, 'spec', 'nodeName') ?? node;
  return name.endsWith(`-${host}`) ? name.slice(0, -host.length - 1) : (systemComponent(name, {}) ?? name);
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

const WORKLOAD_KINDS: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'Pod']);
const ROUTES: ReadonlySet<string> = new Set(['Service', 'Endpoints', 'EndpointSlice', 'Ingress']);
const ROUTE_SUFFIX = /[-_.](svc|service|headless|hl|internal|external|lb|nodeport|cluster|clusterip)$/;

/**
 * One name for a workload and the Service in front of it, where they differ (`cart` and `cart-svc`): the one in the topology, else the
 * workload's. Objects of other namespaces than the alert's whose name is taken there are told apart by their namespace.
 */
export function unifyNames(all: readonly KubeObject[], services: ServiceMap, home: string | undefined): KubeObject[] {
  const renamed = new Map<string, string>();
  const workloads = all.filter(({ kind }) => WORKLOAD_KINDS.has(kind));
  const byLabel = indexByLabel(workloads);
  const taken = new Set(workloads.map(({ namespace, service }) => `${namespace}\n${service}`));
  for (const route of all.filter(({ kind }) => kind === 'Service')) {
    const { namespace, service } = route;
    if (taken.has(`${namespace}\n${service}`)) continue;
    const workload = workloadBehind(route, byLabel) ?? namesake(route, taken);
    if (workload === undefined || workload === service) continue;
    if (services.inTopology(service) && !services.inTopology(workload))
      renamed.set(`${namespace}\n${workload}`, service);
    else if (!services.inTopology(service)) renamed.set(`${namespace}\n${service}`, workload);
  }
  const atHome = new Set(all.filter(({ namespace }) => namespace === home).map(({ service }) => service));
  return all.map((object) => {
    const { namespace, service } = object;
    const isRoute =
      ROUTES.has(object.kind) || WORKLOAD_KINDS.has(object.kind) || ownerReferences(object.body).length > 0;
    const name = (isRoute ? renamed.get(`${namespace}\n${service}`) : undefined) ?? service;
    const isAway = home !== undefined && namespace !== '' && namespace !== home;
    return { ...object, service: isAway && atHome.has(name) ? `${name}.${namespace}` : name };
  });
}

type FindWorkloads = (namespace: string, pair: readonly [string, string]) => readonly Selectable[];

interface Selectable {
  readonly service: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Workloads and pods by each of the labels that their pods carry. */
function indexByLabel(workloads: readonly KubeObject[]): FindWorkloads {
  const byLabel = groupByEach(
    workloads.map(({ kind, namespace, service, labels, body }) => ({
      namespace,
      service,
      labels: kind === 'Pod' ? labels : textsAt(body, 'spec', 'template', 'metadata', 'labels'),
    })),
    ({ namespace, labels }) => Object.entries(labels).map(([name, value]) => `${namespace}\n${name}=${value}`),
  );
  return (namespace, [name, value]) => byLabel.get(`${namespace}\n${name}=${value}`) ?? [];
}

/** The one workload whose pods or pod template a Service selects; undefined when there is none or several. */
function workloadBehind({ namespace, body }: KubeObject, find: FindWorkloads): string | undefined {
  const selector = textsAt(body, 'spec', 'selector');
  const [first] = Object.entries(selector);
  if (!first) return undefined;
  const selected = find(namespace, first).filter(({ labels }) => matches(labels, selector));
  const names = new Set(selected.map(({ service }) => service));
  return names.size === 1 ? [...names][0] : undefined;
}

function namesake({ namespace, service }: KubeObject, taken: ReadonlySet<string>): string | undefined {
  const bare = service.replace(ROUTE_SUFFIX, '');
  return taken.has(`${namespace}\n${bare}`) ? bare : undefined;
}
