import { templateOf, WORKLOADS, type Cluster, type KubeObject } from '../cluster.ts';
import type { Condition, Rule, RuleContext } from '../condition.ts';
import { at, hasAt, listAt, numberAt, textAt, textsAt, timeAt } from '../json-path.ts';
import { matches } from '../selectors.ts';

/** A Service that reaches no pod, or reaches pods on a port that none of them opens. */
export const serviceRouting: Rule = (cluster, context) =>
  cluster.of('Service').flatMap((service) => {
    const selector = selectorOf(service);
    if (!selector) return withoutSelector(service, cluster) ?? [];
    const pods = cluster.podsMatching(service.namespace, selector);
    if (pods.length === 0) return withoutPods(service, selector, cluster, context);
    const specs = pods.map((pod) => specOf(pod, cluster));
    return [...targetPorts(service, specs), ...protocols(service, specs)];
  });

/** Where pods were not read, those that a template would make stand for them. */
function withoutPods(
  service: KubeObject,
  selector: Readonly<Record<string, string>>,
  cluster: Cluster,
  context: RuleContext,
): readonly Condition[] {
  if (cluster.wasRead('Pod', service.namespace)) {
    const found = selectsNothing(service, selector, cluster, context);
    return found ? [found] : [];
  }
  const templates = WORKLOADS.flatMap((kind) => cluster.of(kind))
    .filter(({ namespace }) => namespace === service.namespace)
    .map(templateOf)
    .filter((template) => matches(textsAt(template, 'metadata', 'labels'), selector));
  return templates.length > 0
    ? targetPorts(
        service,
        templates.map((template) => at(template, 'spec')),
      )
    : [];
}

/** Undefined without a selector: then endpoints are managed by hand or the name is external, which is no fault by itself. */
function selectorOf(service: KubeObject): Readonly<Record<string, string>> | undefined {
  const selector = textsAt(service.body, 'spec', 'selector');
  return Object.keys(selector).length > 0 ? selector : undefined;
}

/** A Service without a selector beside a workload of its name that no Service reaches: it used to lead there. */
function withoutSelector(service: KubeObject, cluster: Cluster): Condition | undefined {
  const own = cluster.podsOfService(service.service).filter((pod) => pod.namespace === service.namespace);
  const isReached = own.some((pod) => cluster.routesTo(pod).length > 0);
  const isRecorded = hasAt(service.body, 'spec') && Object.keys(own[0]?.labels ?? {}).length > 0;
  const external = textAt(service.body, 'spec', 'externalName');
  if (!isRecorded || isReached || (!external && leadsToOwn(service, own, cluster))) return undefined;
  return {
    object: service,
    service: service.service,
    reason: external ? 'ExternalNameForPods' : 'NoSelector',
    statement: `${external ? `leads to ${external}` : 'has no selector'}, so that no Service reaches the pods of ${service.service}`,
    severity: 0.92,
    type: 'config_change',
  };
}

/** Endpoints written by hand, or left from a selector, may do what the selector does elsewhere. */
function leadsToOwn(service: KubeObject, own: readonly KubeObject[], cluster: Cluster): boolean {
  const endpoints = cluster.find('Endpoints', service.namespace, service.name);
  const listed = listAt(endpoints?.body, 'subsets').flatMap((subset) => listAt(subset, 'addresses'));
  const ips = new Set(own.map((pod) => textAt(pod.body, 'status', 'podIP')));
  return listed.some((address) => ips.has(textAt(address, 'ip')) || ips.has(undefined));
}

/** A selector can be judged only where labels of pods were recorded. */
function selectsNothing(
  service: KubeObject,
  selector: Readonly<Record<string, string>>,
  cluster: Cluster,
  context: RuleContext,
): Condition | undefined {
  const [pod] = cluster.podsOfService(service.service);
  const judged = pod ? [pod] : cluster.of('Pod').filter(({ namespace }) => namespace === service.namespace);
  if (!judged.some(({ labels }) => Object.keys(labels).length > 0)) return undefined;
  // Its pods may be missing while the selector is right.
  const isRight = cluster
    .workloadsOf(service.service)
    .some((workload) => matches(textsAt(templateOf(workload), 'metadata', 'labels'), selector));
  const isWrong = pod !== undefined && !isRight;
  const text = Object.entries(selector)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
  return {
    object: service,
    service: service.service,
    reason: 'SelectorMatchesNoPod',
    statement: `selector ${text} matches no pod${isWrong ? `, though pods of ${service.service} exist${differenceTo(pod, selector)}` : ''}`,
    severity: isWrong ? 0.95 : isNeeded(service.service, cluster, context) ? 0.88 : 0.15,
    // Without pods the Service is right and the pods are what is missing.
    type: isWrong ? 'config_change' : 'dependency_failure',
  };
}

function differenceTo(pod: KubeObject, selector: Readonly<Record<string, string>>): string {
  const differing = Object.entries(selector).filter(([name, value]) => pod.labels[name] !== value);
  const shown = differing.slice(0, 2).map(([name]) => `${name}=${pod.labels[name] ?? '(none)'}`);
  return shown.length > 0 ? ` (they have ${shown.join(', ')})` : '';
}

/** TCP and UDP have ports of their own. */
function protocols(service: KubeObject, specs: readonly unknown[]): readonly Condition[] {
  const opened = specs.flatMap((spec) => listAt(spec, 'containers')).flatMap((one) => listAt(one, 'ports'));
  return listAt(service.body, 'spec', 'ports').flatMap((port): readonly Condition[] => {
    const protocol = textAt(port, 'protocol');
    const target = numberAt(port, 'targetPort') ?? textAt(port, 'targetPort');
    const same = opened.filter((one) => numberAt(one, 'containerPort') === target || textAt(one, 'name') === target);
    const offered = same.flatMap((one) => textAt(one, 'protocol') ?? []);
    if (protocol === undefined || offered.length === 0 || offered.includes(protocol)) return [];
    return [
      {
        object: service,
        service: service.service,
        reason: 'ProtocolMismatch',
        statement: `sends ${protocol} to port ${target}, which its pods open for ${offered[0]}`,
        severity: 0.85,
        type: 'config_change',
      },
    ];
  });
}

function targetPorts(service: KubeObject, specs: readonly unknown[]): readonly Condition[] {
  const opened = specs.map(portsOf);
  const targets = listAt(service.body, 'spec', 'ports').flatMap(
    (port) => textAt(port, 'targetPort') ?? numberAt(port, 'targetPort') ?? numberAt(port, 'port') ?? [],
  );
  const closed = targets.filter((target) => !opened.some((ports) => ports.mayOpen(String(target))));
  if (closed.length === 0) return [];
  const known = [...new Set(opened.flatMap((ports) => ports.all))].slice(0, 8).join(', ');
  return [
    {
      object: service,
      service: service.service,
      reason: 'TargetPortNotOpen',
      statement: `sends to port ${closed.join(', ')}, which no container of its pods opens (they open ${known})`,
      // A side port that nobody declared may still be open; when all of them are closed the Service reaches nothing.
      severity: closed.length === targets.length ? 0.9 : 0.5,
      type: 'config_change',
    },
  ];
}

interface OpenPorts {
  readonly all: readonly string[];
  /** False only when the pod's ports are recorded and this one is not among them. */
  mayOpen(target: string): boolean;
}

/** What a pod runs; of a pod known only from a list what its workload says. */
function specOf(pod: KubeObject, cluster: Cluster): unknown {
  const isRecorded = listAt(pod.body, 'spec', 'containers').length > 0;
  const [workload] = isRecorded ? [] : cluster.workloadsOf(pod.service);
  return workload ? at(templateOf(workload), 'spec') : pod.body['spec'];
}

function portsOf(spec: unknown): OpenPorts {
  const ports = listAt(spec, 'containers').flatMap((container) => listAt(container, 'ports'));
  const numbers = ports.flatMap((port) => numberAt(port, 'containerPort') ?? []).map(String);
  const names = ports.flatMap((port) => textAt(port, 'name') ?? []);
  return {
    all: [...numbers, ...names],
    mayOpen: (target) => {
      const known = /^\d+$/.test(target) ? numbers : names;
      // A recording may lack ports, or their names: nothing can be said then.
      return known.length === 0 || known.includes(target);
    },
  };
}

/** Endpoints that list no ready address, of a Service that selects pods. */
export const emptyEndpoints: Rule = (cluster, context) =>
  cluster.of('Endpoints').flatMap((endpoints) => {
    const service = cluster.find('Service', endpoints.namespace, endpoints.name);
    if (!service || !selectorOf(service) || !isEmpty(endpoints)) return [];
    const waiting = listAt(endpoints.body, 'subsets').flatMap((subset) => listAt(subset, 'notReadyAddresses')).length;
    return {
      object: endpoints,
      service: service.service,
      reason: 'NoReadyEndpoints',
      statement: `lists no ready address${waiting ? `, ${waiting} not ready` : ''}: calls to ${service.name} fail`,
      severity: waiting || isNeeded(service.service, cluster, context) ? 0.85 : 0.15,
      type: waiting ? ('probe_failure' as const) : ('dependency_failure' as const),
      atMs: timeAt(endpoints.body, 'metadata', 'annotations', 'endpoints.kubernetes.io/last-change-trigger-time'),
    };
  });

/** A Service that nobody calls may well lead nowhere, as far as calls are known. */
function isNeeded(service: string, cluster: Cluster, { services }: RuleContext): boolean {
  return !cluster.calls.isKnown || services.alerting === service || cluster.calls.callers(service).size > 0;
}

/** The API omits `subsets` when there are none; a recording may omit it because it was not read, and then says so nowhere else. */
function isEmpty(endpoints: KubeObject): boolean {
  if (!hasAt(endpoints.body, 'subsets')) {
    return at(endpoints.body, 'metadata', 'annotations', 'recording/source') === undefined;
  }
  // A subset has addresses of one sort or the other; where neither is told, they were not recorded.
  return listAt(endpoints.body, 'subsets').every(
    (subset) =>
      listAt(subset, 'addresses').length === 0 && (hasAt(subset, 'addresses') || hasAt(subset, 'notReadyAddresses')),
  );
}

/**
 * A Service that sends only to pods of another workload while its own namesake's pods are reached by no Service: a selector that was
 * pointed at the wrong workload.
 */
export const foreignSelectors: Rule = (cluster) =>
  cluster.of('Service').flatMap((service) => {
    const selector = selectorOf(service);
    const own = cluster.podsOfService(service.service).filter((pod) => pod.namespace === service.namespace);
    if (!selector || own.length === 0) return [];
    const reached = cluster.podsMatching(service.namespace, selector);
    if (reached.length === 0 || reached.some((pod) => pod.service === service.service)) return [];
    if (own.some((pod) => cluster.routesTo(pod).length > 0)) return [];
    const others = [...new Set(reached.map((pod) => pod.service))].slice(0, 3).join(', ');
    return {
      object: service,
      service: service.service,
      reason: 'SelectorMatchesOtherWorkload',
      statement: `sends to pods of ${others}; no Service reaches the pods of ${service.service}`,
      severity: 0.9,
      type: 'config_change' as const,
    };
  });

/** Pods that others call by what the call graph says, with no Service left that leads to them. */
export const unreachedPods: Rule = (cluster, { services }) => {
  const named = new Set(cluster.of('Service').map((service) => service.service));
  const pods = new Map(cluster.of('Pod').map((pod) => [pod.service, pod]));
  return [...pods.values()].flatMap((pod) => {
    const callers = [...services.callers(pod.service)];
    const canJudge = cluster.wasRead('Service', pod.namespace) && Object.keys(pod.labels).length > 0;
    if (callers.length === 0 || !canJudge || named.has(pod.service) || cluster.routesTo(pod).length > 0) return [];
    return {
      object: pod,
      service: pod.service,
      reason: 'NoServiceReachesPods',
      statement: `is reached by no Service, though ${callers.slice(0, 3).join(', ')} ${callers.length === 1 ? 'calls' : 'call'} ${pod.service}`,
      severity: 0.75,
      type: 'config_change' as const,
    };
  });
};
