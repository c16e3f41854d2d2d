import type { ServiceMap } from '../services.ts';
import { textAt } from './json-path.ts';
import type { Cluster } from './cluster.ts';

/** What the brief looks at (SPEC C4): the failing service, what it calls directly, and the nodes under them. */
export interface Scope {
  hasService(service: string): boolean;
  /** As `hasService`, for changes: anything the failing service depends on, directly or not. */
  reaches(service: string): boolean;
  hasNode(node: string): boolean;
  /** Place in the call chain: 0 failing service, 1 its callees, then the rest. */
  position(service: string | undefined): number;
  /** Said to the reader when the scope could not be narrowed. */
  readonly note: string | undefined;
}

const AFTER_THE_CHAIN = 1000;

export function scopeAround(services: ServiceMap, cluster: Cluster): Scope {
  const { alerting } = services;
  const position = (service: string | undefined) =>
    service === undefined
      ? AFTER_THE_CHAIN
      : service === alerting
        ? 0
        : (services.distance(service) ?? AFTER_THE_CHAIN - 1);
  const knowsCalls = services.names.some((name) => services.callees(name).size > 0);
  if (alerting === undefined || !knowsCalls) {
    const missing = alerting === undefined ? 'the alert names no known service' : 'no topology';
    const all = () => true;
    return { hasService: all, reaches: all, hasNode: all, position, note: `All services are looked at: ${missing}.` };
  }
  const scoped = new Set([alerting, ...services.callees(alerting)]);
  const nodes = new Set(
    [...scoped]
      .flatMap((service) => cluster.podsOfService(service))
      .flatMap((pod) => textAt(pod.body, 'spec', 'nodeName') ?? []),
  );
  return {
    hasService: (service) => scoped.has(service),
    reaches: (service) => scoped.has(service) || services.distance(service) !== undefined,
    hasNode: (node) => nodes.has(node),
    position,
    note: undefined,
  };
}
