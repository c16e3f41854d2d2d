import { serviceAt, type AddressUse } from '../addresses.ts';
import type { Cluster, KubeObject } from '../cluster.ts';
import type { Condition, Rule, RuleContext } from '../condition.ts';
import { groupBy } from '../group-by.ts';
import { listAt, numberAt, textAt } from '../json-path.ts';
import { newestPodMs, noveltyOf } from './pod-life.ts';

/** Receivers of traces and metrics: many manifests name one that is not installed, and nobody waits for it. */
const OBSERVER =
  /otel|opentelemetry|jaeger|zipkin|tempo|collector|statsd|datadog|telemetry|tracing|prometheus|sentry|apm\b|fluent/i;

/** Addresses in the configuration of pods that name no Service, or a port which that Service does not offer. */
export const configuredAddresses: Rule = (cluster, context) => {
  const novelty = noveltyOf(cluster, context.triggerMs);
  return misdirected(cluster, context).map((found) =>
    // A reader's own mistake, not that of whom it means to call.
    found.service === found.object.service && found.object.kind !== 'Service'
      ? { ...found, severity: found.severity * novelty(found.service) }
      : found,
  );
};

function misdirected(cluster: Cluster, context: RuleContext): readonly Condition[] {
  const byTarget = groupBy(
    cluster.uses,
    ({ owner, address }) => `${address.namespace ?? owner.namespace}\n${address.host}`,
  );
  return [...byTarget.values()].flatMap((group) => {
    const [{ owner, address }] = group as [AddressUse, ...AddressUse[]];
    if (!cluster.wasRead('Service', address.namespace ?? owner.namespace)) return [];
    const service = serviceAt(address, owner, cluster);
    return service ? wrongPorts(group, service, cluster, context) : noService(group, cluster, context);
  });
}

/**
 * When the workload of that name exists its Service was removed or never made, which is that workload's fault, as when several count on
 * a Service that is not there; one reader alone has a wrong address.
 */
function noService(group: readonly AddressUse[], cluster: Cluster, context: RuleContext): readonly Condition[] {
  const sure = group.filter(({ address }) => address.isSure);
  const [first] = sure;
  if (!first) return [];
  const { host } = first.address;
  const target = context.services.canonical(host);
  const exists = cluster.podsOfService(target).length > 0 || cluster.workloadsOf(target).length > 0;
  const readers = new Set(sure.map(({ owner }) => owner.service));
  const isRouted = cluster.podsOfService(target).some((pod) => cluster.routesTo(pod).length > 0);
  const isWanted = (readers.size > 1 && !OBSERVER.test(host)) || context.services.inTopology(target);
  // A workload that has a Service of another name is only called by the wrong one.
  const isTargets = isWanted || (exists && !isRouted);
  const weight = OBSERVER.test(host) ? 0.2 : 1;
  return sure.map(({ owner, address }) => ({
    object: owner,
    service: isTargets ? target : owner.service,
    reason: `NoService ${host}`,
    statement: `reads ${address.place}, which names ${host}; no Service has that name${exists ? `, though the workload ${target} exists` : ''}`,
    severity: (isTargets ? (exists ? 0.92 : 0.85) : 0.8) * weight,
    type: isTargets ? ('dns' as const) : ('config_change' as const),
    // A reader that has run for long with this address does without it.
    atMs: isTargets ? undefined : newestPodMs(owner.service, cluster, context.triggerMs),
  }));
}

/** Readers that agree with each other or with what the pods open are right, and the Service's port is wrong. */
function wrongPorts(
  group: readonly AddressUse[],
  service: KubeObject,
  cluster: Cluster,
  context: RuleContext,
): readonly Condition[] {
  const offered = listAt(service.body, 'spec', 'ports').flatMap((port) => numberAt(port, 'port') ?? []);
  const isUnknown = offered.length === 0 || textAt(service.body, 'spec', 'type') === 'ExternalName';
  const wrong = group.filter(({ address: { port } }) => port !== undefined && !offered.includes(port));
  if (isUnknown || wrong.length === 0) return [];
  const opened = openedBehind(service, cluster);
  const isHeadless = textAt(service.body, 'spec', 'clusterIP') === 'None';
  return wrong.flatMap(({ owner, address }): readonly Condition[] => {
    const port = address.port ?? 0;
    // Without an address of its own a Service sends nowhere: the name leads to the pods, on any port.
    if (isHeadless && (opened.length === 0 || opened.includes(port))) return [];
    const agreeing = new Set(wrong.filter((use) => use.address.port === port).map((use) => use.owner.service));
    const others = group.some((use) => offered.includes(use.address.port ?? -1));
    const isServices = !others && (agreeing.size > 1 || opened.includes(port));
    return [
      {
        object: isServices ? service : owner,
        service: isServices ? service.service : owner.service,
        reason: `WrongPort ${address.host}`,
        statement: isServices
          ? `offers port ${offered.slice(0, 6).join(', ')}; ${[...agreeing].slice(0, 3).join(', ')} ${agreeing.size > 1 ? 'call' : 'calls'} it on ${port}`
          : `reads ${address.place}, which names ${address.host}:${port}; that Service offers ${offered.slice(0, 6).join(', ')}`,
        severity: address.isSure ? (isServices ? 0.9 : 0.82) : 0.5,
        type: 'config_change',
        atMs: isServices ? undefined : newestPodMs(owner.service, cluster, context.triggerMs),
        numbers: [port, ...offered.slice(0, 6)],
      },
    ];
  });
}

function openedBehind(service: KubeObject, cluster: Cluster): readonly number[] {
  return cluster
    .podsOfService(service.service)
    .flatMap((pod) => listAt(pod.body, 'spec', 'containers'))
    .flatMap((container) => listAt(container, 'ports'))
    .flatMap((port) => numberAt(port, 'containerPort') ?? []);
}
