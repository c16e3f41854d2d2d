import type { Cluster, KubeObject } from '../cluster.ts';
import { matches } from '../cluster.ts';
import type { Condition, Rule } from '../condition.ts';
import { at, listAt, numberAt, textAt, textsAt } from '../json-path.ts';

type Direction = 'Ingress' | 'Egress';

/**
 * Pods that policies cut off. Policies add up: a pod that any policy selects for a direction may talk in that direction only as far as
 * one of them allows, so a pod is cut off when they allow nothing together.
 */
export const networkPolicies: Rule = (cluster) => {
  const services = new Map(cluster.of('Pod').map((pod) => [pod.service, pod]));
  return [...services.values()].flatMap((pod) => [
    ...(isolation(pod, 'Ingress', cluster) ?? closedPort(pod, cluster) ?? []),
    ...(isolation(pod, 'Egress', cluster) ?? []),
  ]);
};

function policiesFor(pod: KubeObject, direction: Direction, cluster: Cluster): readonly KubeObject[] {
  return cluster.of('NetworkPolicy').filter((policy) => {
    const selector = at(policy.body, 'spec', 'podSelector');
    // Expressions are not evaluated: a policy that may or may not select the pod proves nothing.
    const isPlain = selector !== undefined && listAt(selector, 'matchExpressions').length === 0;
    return (
      policy.namespace === pod.namespace &&
      isPlain &&
      matches(pod.labels, textsAt(selector, 'matchLabels')) &&
      directionsOf(policy).includes(direction)
    );
  });
}

/** Default of the API: Ingress always, Egress when there are egress rules. */
function directionsOf(policy: KubeObject): readonly string[] {
  const types = listAt(policy.body, 'spec', 'policyTypes').filter((type) => typeof type === 'string');
  if (types.length > 0) return types;
  return listAt(policy.body, 'spec', 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
}

const rulesOf = (policy: KubeObject, direction: Direction) => listAt(policy.body, 'spec', direction.toLowerCase());

function isolation(pod: KubeObject, direction: Direction, cluster: Cluster): readonly Condition[] | undefined {
  const policies = policiesFor(pod, direction, cluster);
  const [first] = policies;
  if (!first || policies.some((policy) => rulesOf(policy, direction).length > 0)) return undefined;
  return [
    {
      object: first,
      service: pod.service,
      reason: `Denies${direction}`,
      statement: `allows no ${direction.toLowerCase()} traffic ${direction === 'Ingress' ? 'to' : 'from'} pods of ${pod.service}`,
      severity: 0.9,
      type: 'network_loss',
    },
  ];
}

/** Ingress is allowed, but on no port that the pod's Services send to. */
function closedPort(pod: KubeObject, cluster: Cluster): readonly Condition[] | undefined {
  const policies = policiesFor(pod, 'Ingress', cluster);
  const [first] = policies;
  const ports = policies.flatMap((policy) => rulesOf(policy, 'Ingress').map((rule) => listAt(rule, 'ports')));
  // A rule without ports allows all of them.
  if (!first || ports.some((list) => list.length === 0)) return undefined;
  const targets = targetPortsOf(pod, cluster);
  const allowed = ports.flat().map((port) => textAt(port, 'port') ?? numberAt(port, 'port'));
  const isRange = ports.flat().some((port) => numberAt(port, 'endPort') !== undefined);
  const isUnknown = targets.length === 0 || isRange || allowed.includes(undefined);
  if (isUnknown || targets.some((target) => allowed.includes(target))) return undefined;
  return [
    {
      object: first,
      service: pod.service,
      reason: 'ClosesServicePort',
      statement: `allows ingress on ${allowed.slice(0, 6).join(', ')} only; the Service of ${pod.service} sends to ${targets.join(', ')}`,
      severity: 0.85,
      type: 'network_loss',
    },
  ];
}

function targetPortsOf(pod: KubeObject, cluster: Cluster): readonly (string | number)[] {
  const services = cluster.of('Service').filter((service) => {
    const selector = textsAt(service.body, 'spec', 'selector');
    return service.namespace === pod.namespace && Object.keys(selector).length > 0 && matches(pod.labels, selector);
  });
  return services
    .flatMap((service) => listAt(service.body, 'spec', 'ports'))
    .flatMap((port) => textAt(port, 'targetPort') ?? numberAt(port, 'targetPort') ?? numberAt(port, 'port') ?? []);
}
