import type { Cluster, KubeObject } from '../cluster.ts';
import type { Condition, Rule } from '../condition.ts';
import { groupBy } from '../group-by.ts';
import { at, hasAt, listAt, numberAt, textAt, textsAt } from '../json-path.ts';
import { matchesSelector } from '../selectors.ts';

type Direction = 'Ingress' | 'Egress';

/**
 * Pods that policies cut off. Policies add up: a pod that any policy selects for a direction may talk in that direction only as far as
 * one of them allows.
 */
export const networkPolicies: Rule = (cluster) => {
  const policies = cluster.of('NetworkPolicy');
  if (policies.length === 0) return [];
  const ofDirection = (direction: Direction) =>
    groupBy(
      policies.filter((policy) => directionsOf(policy).includes(direction)),
      (policy) => policy.namespace,
    );
  const [forIngress, forEgress] = [ofDirection('Ingress'), ofDirection('Egress')];
  const services = new Map(cluster.of('Pod').map((pod) => [pod.service, pod]));
  return [...services.values()].flatMap((pod) => {
    const [ingress, egress] = [policiesFor(pod, forIngress), policiesFor(pod, forEgress)];
    return [
      ...(isolation(pod, 'Ingress', ingress) ??
        closedPort(pod, ingress, cluster) ??
        barredCallers(pod, ingress, cluster)),
      ...(isolation(pod, 'Egress', egress) ?? barredCallees(pod, egress, cluster)),
    ];
  });
};

function policiesFor(pod: KubeObject, byNamespace: ReadonlyMap<string, readonly KubeObject[]>): readonly KubeObject[] {
  return (byNamespace.get(pod.namespace) ?? []).filter((policy) => {
    const selector = at(policy.body, 'spec', 'podSelector');
    return selector !== undefined && matchesSelector(selector, pod.labels);
  });
}

/** Default of the API: Ingress always, Egress when there are egress rules. */
function directionsOf(policy: KubeObject): readonly string[] {
  const types = listAt(policy.body, 'spec', 'policyTypes').filter((type) => typeof type === 'string');
  if (types.length > 0) return types;
  return listAt(policy.body, 'spec', 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
}

const rulesOf = (policies: readonly KubeObject[], direction: Direction) =>
  policies.flatMap((policy) => listAt(policy.body, 'spec', direction.toLowerCase()));

const problem = (
  pod: KubeObject,
  policy: KubeObject,
  rest: Pick<Condition, 'reason' | 'statement' | 'severity'>,
): readonly Condition[] => [{ object: policy, service: pod.service, type: 'network_loss', ...rest }];

function isolation(
  pod: KubeObject,
  direction: Direction,
  policies: readonly KubeObject[],
): readonly Condition[] | undefined {
  const [first] = policies;
  if (!first || rulesOf(policies, direction).length > 0) return undefined;
  return problem(pod, first, {
    reason: `Denies${direction}`,
    statement: `allows no ${direction.toLowerCase()} traffic ${direction === 'Ingress' ? 'to' : 'from'} pods of ${pod.service}`,
    severity: 0.92,
  });
}

/** Ingress is allowed, but on no port that the pod's Services send to. */
function closedPort(
  pod: KubeObject,
  policies: readonly KubeObject[],
  cluster: Cluster,
): readonly Condition[] | undefined {
  const [first] = policies;
  const ports = rulesOf(policies, 'Ingress').map((rule) => listAt(rule, 'ports'));
  const targets = targetPortsOf(pod, cluster);
  if (!first || targets.length === 0 || ports.some((list) => targets.some((target) => allowsPort(list, target)))) {
    return undefined;
  }
  const allowed = ports.flat().map((port) => textAt(port, 'port') ?? numberAt(port, 'port'));
  return problem(pod, first, {
    reason: 'ClosesServicePort',
    statement: `allows ingress on ${allowed.slice(0, 6).join(', ')} only; the Service of ${pod.service} sends to ${targets.join(', ')}`,
    severity: 0.88,
  });
}

/** A rule without ports allows all of them, a port without a number every port of its protocol; of a name the number may be unknown. */
function allowsPort(list: readonly unknown[], target: string | number): boolean {
  if (list.length === 0) return true;
  return list.some((entry) => {
    const port = textAt(entry, 'port') ?? numberAt(entry, 'port');
    const endPort = numberAt(entry, 'endPort');
    if (port === undefined || port === target || typeof port !== typeof target) return true;
    return endPort !== undefined && Number(port) <= Number(target) && Number(target) <= endPort;
  });
}

/** By number where the pod says what a name stands for. */
function targetPortsOf(pod: KubeObject, cluster: Cluster): readonly (string | number)[] {
  const opened = listAt(pod.body, 'spec', 'containers').flatMap((container) => listAt(container, 'ports'));
  const numbers = new Map(opened.map((port) => [textAt(port, 'name'), numberAt(port, 'containerPort')]));
  return cluster
    .routesTo(pod)
    .flatMap((service) => listAt(service.body, 'spec', 'ports'))
    .flatMap((port) => textAt(port, 'targetPort') ?? numberAt(port, 'targetPort') ?? numberAt(port, 'port') ?? [])
    .map((target) => (typeof target === 'string' ? (numbers.get(target) ?? target) : target));
}

/** Callers that no rule lets in. */
function barredCallers(pod: KubeObject, policies: readonly KubeObject[], cluster: Cluster): readonly Condition[] {
  const [first] = policies;
  if (!first) return [];
  const barred = barredOf([...cluster.calls.callers(pod.service)], rulesOf(policies, 'Ingress'), 'from', pod, cluster);
  if (barred.length === 0) return [];
  const statement = `keeps ${barred.slice(0, 3).join(', ')} from reaching pods of ${pod.service}, which ${barred.length > 1 ? 'they call' : 'it calls'}`;
  return problem(pod, first, { reason: 'BarsCallers', statement, severity: 0.9 });
}

/** Callees, or the cluster's name server, that no rule lets out to. */
function barredCallees(pod: KubeObject, policies: readonly KubeObject[], cluster: Cluster): readonly Condition[] {
  const [first] = policies;
  if (!first) return [];
  const rules = rulesOf(policies, 'Egress');
  const barred = barredOf([...cluster.calls.callees(pod.service)], rules, 'to', pod, cluster);
  if (barred.length > 0) {
    const statement = `keeps pods of ${pod.service} from reaching ${barred.slice(0, 3).join(', ')}`;
    return problem(pod, first, { reason: 'BarsCallees', statement, severity: 0.9 });
  }
  if (rules.some((rule) => allowsPort(listAt(rule, 'ports'), 53))) return [];
  const statement = `keeps pods of ${pod.service} from asking the name server (port 53)`;
  return problem(pod, first, { reason: 'BarsDns', statement, severity: 0.88 }).map((one) => ({ ...one, type: 'dns' }));
}

function barredOf(
  others: readonly string[],
  rules: readonly unknown[],
  side: 'from' | 'to',
  pod: KubeObject,
  cluster: Cluster,
): readonly string[] {
  return others.filter((other) => {
    const [peer] = cluster.podsOfService(other);
    return peer !== undefined && !rules.some((rule) => mayBe(listAt(rule, side), peer, pod, cluster));
  });
}

/** True unless the peer surely is none of those listed: no list allows all, and address blocks are not evaluated. */
function mayBe(peers: readonly unknown[], peer: KubeObject, pod: KubeObject, cluster: Cluster): boolean {
  const isUnlabelled = Object.keys(peer.labels).length === 0;
  if (peers.length === 0 || isUnlabelled) return true;
  return peers.some((entry) => {
    if (hasAt(entry, 'ipBlock')) return true;
    const inNamespace = hasAt(entry, 'namespaceSelector')
      ? mayBeIn(peer.namespace, at(entry, 'namespaceSelector'), cluster)
      : peer.namespace === pod.namespace;
    return inNamespace && matchesSelector(at(entry, 'podSelector'), peer.labels);
  });
}

/** The API sets one label on every namespace; of one that was not recorded nothing else is known. */
function mayBeIn(name: string, selector: unknown, cluster: Cluster): boolean {
  const byName = { 'kubernetes.io/metadata.name': name };
  const namespace = cluster.find('Namespace', '', name);
  if (namespace) return matchesSelector(selector, { ...byName, ...namespace.labels });
  const asked = textsAt(selector, 'matchLabels')['kubernetes.io/metadata.name'];
  return asked === undefined || asked === name;
}
