import type { RootCauseType } from '../../domain/root-cause-type.ts';
import type { StateFinding } from '../layers.ts';
import type { ServiceMap } from '../services.ts';
import type { Cluster } from './cluster.ts';
import { isNetworkPlugin } from './components.ts';
import { textAt } from './json-path.ts';
import { readNodeAgents } from './node-agents.ts';
import { isReady } from './objects/pod-life.ts';
import { relationWeights } from './relations.ts';
import { failingWebhook } from './webhooks.ts';

/** A condition that something broken further down also produces, while that something is in a worse state. */
const CONSEQUENCE_WEIGHT = 0.6;
/** A reason shared by more services than this share says something about the cluster, not about one of them. */
const COMMON_SHARE = 0.3;
const COMMON_WEIGHT = 0.4;

/** States that a broken dependency produces in healthy services: not ready, no endpoints, crashing, fewer replicas. */
const OF_CALLS: ReadonlySet<RootCauseType> = new Set(['probe_failure', 'dependency_failure', 'unknown', 'code_error']);
/** What a broken node does to what runs there, or a broken part of the cluster to everything. */
const OF_GROUND: ReadonlySet<RootCauseType> = new Set([
  ...OF_CALLS,
  'scheduling',
  'node_failure',
  'memory_exhaustion',
  'disk_full',
  'dns',
  'network_loss',
]);

/**
 * Cause before consequence: a condition that also follows from a broken dependency gives way to a graver one of what the service calls,
 * of the nodes that its pods run on, or of the part of the cluster that does this work. What most services show says little about one.
 */
export function weighConsequences(
  findings: readonly StateFinding[],
  cluster: Cluster,
  services: ServiceMap,
): readonly StateFinding[] {
  const gravest = gravestBy(findings);
  const grounds = groundOf(cluster);
  const agents = readNodeAgents(findings, gravest, cluster);
  const isCommon = commonReasons(findings, grounds.names, cluster, services);
  const brokenNodes = grounds.nodes.filter((name) => (gravest.get(name) ?? 0) >= BROKEN);
  const broken = [...grounds.components].filter((name) => gravest.has(name));
  const standsOnBroken = ({ service, severity, rootCauseType: type, ...finding }: StateFinding): boolean => {
    const isWorse = (name: string) => name !== service && (gravest.get(name) ?? 0) > severity;
    return (
      (OF_GROUND.has(type) && [...grounds.nodesOf(service)].some(isWorse)) ||
      (type === 'scheduling' && isForWantOfNodes(finding) && brokenNodes.length > 0) ||
      broken.some((name) => isWorse(name) && carries(name, type)) ||
      refusingWebhook(finding, service) !== undefined ||
      agents.lackDriver({ service, ...finding }, grounds.nodesOf(service))
    );
  };
  const relationOf = relationWeights(cluster, services);
  const isOwn = (finding: StateFinding) => finding.evidence.kind !== 'change' && !grounds.names.has(finding.service);
  const sunk = new Set(findings.filter((one) => isOwn(one) && standsOnBroken(one)).map(({ service }) => service));
  return findings.map((finding) => {
    const { service, severity, rootCauseType: type } = finding;
    if (type === 'node_failure' && agents.withoutNetwork.has(service)) return lessen(finding, CONSEQUENCE_WEIGHT);
    if (!isOwn(finding)) return finding;
    const isWorse = (name: string) => name !== service && (gravest.get(name) ?? 0) > severity;
    const follows =
      standsOnBroken(finding) ||
      (sunk.has(service) && (OF_CALLS.has(type) || type === 'scheduling' || isUnexplained(finding))) ||
      (OF_CALLS.has(type) && [...cluster.calls.reached(service)].some(isWorse));
    const dependsOn = OF_CALLS.has(type) ? { dependsOn: [...cluster.calls.callees(service)] } : {};
    const weight = (follows ? CONSEQUENCE_WEIGHT : 1) * (isCommon(finding) ? COMMON_WEIGHT : 1) * relationOf(service);
    return { ...lessen(finding, weight), ...dependsOn };
  });
}

export function lessen(finding: StateFinding, weight: number): StateFinding {
  return { ...finding, severity: finding.severity * weight, weight: finding.weight * weight };
}

/** Severity of the worst condition or event of each service, node and component. */
function gravestBy(findings: readonly StateFinding[]): ReadonlyMap<string, number> {
  const gravest = new Map<string, number>();
  for (const { service, severity, evidence } of findings) {
    if (evidence.kind !== 'change') gravest.set(service, Math.max(gravest.get(service) ?? 0, severity));
  }
  return gravest;
}

/** The API's own explanation was not recorded, or there is none: why a container is long in the making only events tell. */
const isUnexplained = ({ evidence }: StateFinding) =>
  /no (reason|message) recorded|in ContainerCreating for more than/.test(evidence.statement);

/** The webhook that keeps the service from getting pods, when that is another. */
function refusingWebhook({ evidence }: Pick<StateFinding, 'evidence'>, service: string): string | undefined {
  const webhook = failingWebhook(evidence.statement);
  return webhook === service ? undefined : webhook;
}

/** A node is out of use from this severity on. */
const BROKEN = 0.8;

/** Pods without a place, or driven from theirs, in words that tell of nodes and not of what the pods ask for. */
function isForWantOfNodes({ evidence }: Pick<StateFinding, 'evidence'>): boolean {
  return /taint|unschedulable|pressure|not.?ready|unreachable|low on resource|no reason recorded/i.test(
    evidence.statement,
  );
}

/** What a part of the cluster is needed for, by the type of trouble that its loss shows as. */
function carries(component: string, type: RootCauseType): boolean {
  if (component === 'kube-scheduler')
    return type === 'scheduling' || type === 'unknown' || type === 'dependency_failure';
  if (component === 'kube-controller-manager') return type === 'unknown' || type === 'dependency_failure';
  if (component === 'coredns' || component === 'kube-dns') return OF_CALLS.has(type) || type === 'dns';
  return OF_GROUND.has(type);
}

interface Ground {
  readonly nodes: readonly string[];
  readonly components: ReadonlySet<string>;
  /** Nodes and components: what services stand on. */
  readonly names: ReadonlySet<string>;
  nodesOf(service: string): ReadonlySet<string>;
}

/** Parts of the cluster that services stand on; not the cloud's controller, which those that run do not miss. */
const COMPONENTS = [
  'kube-scheduler',
  'kube-controller-manager',
  'kube-apiserver',
  'etcd',
  'coredns',
  'kube-dns',
  'kube-proxy',
] as const;

function groundOf(cluster: Cluster): Ground {
  const nodes = cluster.of('Node').map(({ name }) => name);
  const plugins = cluster.of('Pod').flatMap(({ service }) => (isNetworkPlugin(service) ? [service] : []));
  const components = new Set<string>([...COMPONENTS, ...plugins]);
  const known = new Map<string, ReadonlySet<string>>();
  return {
    nodes,
    components,
    names: new Set([...nodes, ...components]),
    nodesOf: (service) => {
      const own = known.get(service) ?? new Set(unreadyNodes(service, cluster));
      known.set(service, own);
      return own;
    },
  };
}

/** Nodes of the pods that are not ready: a node explains what ails its own pods. */
function unreadyNodes(service: string, cluster: Cluster): readonly string[] {
  return cluster
    .podsOfService(service)
    .filter((pod) => !isReady(pod))
    .flatMap((pod) => textAt(pod.body, 'spec', 'nodeName') ?? []);
}

function commonReasons(
  findings: readonly StateFinding[],
  grounds: ReadonlySet<string>,
  cluster: Cluster,
  services: ServiceMap,
): (finding: StateFinding) => boolean {
  const affected = new Map<string, Set<string>>();
  for (const finding of findings) {
    if (grounds.has(finding.service)) continue;
    const reason = reasonOf(finding);
    affected.set(reason, (affected.get(reason) ?? new Set()).add(finding.service));
  }
  const atHome = new Set(
    cluster.of('Pod').flatMap(({ namespace, service }) => (namespace === cluster.home ? [service] : [])),
  );
  const most = Math.max(3, COMMON_SHARE * (atHome.size > 0 ? atHome.size : services.names.length));
  return (finding) => (affected.get(reasonOf(finding))?.size ?? 0) > most;
}

/** First word of the last part of `state:<kind>[/<namespace>]/<name>/<reason>`; what follows it names the object that is missing, for example. */
function reasonOf({ key }: StateFinding): string {
  return key.slice(key.lastIndexOf('/') + 1).split(' ')[0] ?? '';
}
