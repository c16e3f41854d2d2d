import { REPLICA_SET_POD, withoutPodSuffix } from '../domain/pod-name.ts';
import type { Topology } from '../domain/telemetry.ts';

export { withoutPodSuffix } from '../domain/pod-name.ts';

/** The services of one incident: one name each, and who calls whom. */
export interface ServiceMap {
  /** Canonical names, sorted. */
  readonly names: readonly string[];
  /** The alerting service's canonical name, when it is a known service. */
  readonly alerting: string | undefined;
  /** Canonical name of a pod, workload or differently spelled service name; the cleaned name itself when unknown. */
  canonical(name: string): string;
  has(service: string): boolean;
  callees(service: string): ReadonlySet<string>;
  callers(service: string): ReadonlySet<string>;
  /** Calls from the alerting service to this one; 0 for itself, undefined when not reachable or no topology. */
  distance(service: string): number | undefined;
  /** True when the service stands in the topology (so that "not reachable" means something). */
  inTopology(service: string): boolean;
}

const WORKLOAD_SUFFIX = /[-_](deployment|deploy|statefulset|svc|service|pod|app|v\d+)$/;

function nameResolver(known: ReadonlySet<string>): (name: string) => string {
  const byLowerCase = new Map([...known].map((name) => [name.toLowerCase(), name]));
  const cache = new Map<string, string>();
  const lookUp = (name: string) => (known.has(name) ? name : byLowerCase.get(name.toLowerCase()));
  const resolve = (name: string): string => {
    const exact = lookUp(name);
    if (exact) return exact;
    const workload = withoutPodSuffix(name);
    const bare = workload.replace(WORKLOAD_SUFFIX, '');
    return lookUp(workload) ?? lookUp(bare) ?? lookUp(`${bare}-service`) ?? lookUp(`${bare}service`) ?? workload;
  };
  return (name) => {
    const cached = cache.get(name);
    if (cached !== undefined) return cached;
    const resolved = resolve(name);
    cache.set(name, resolved);
    return resolved;
  };
}

/**
 * Builds the map. `mentioned` are names seen in telemetry (series, logs, spans, objects): pods among them are folded onto
 * their workload when the topology or another name knows it.
 */
export function mapServices(topology: Topology, mentioned: Iterable<string>, alerting: string | undefined): ServiceMap {
  const inTopology = new Set([...topology.services, ...topology.edges.flatMap((edge) => [edge.from, edge.to])]);
  const known = knownServices(inTopology, mentioned);
  const canonical = nameResolver(known);
  const calls = topology.edges.filter(({ from, to }) => from !== to);
  const callees = neighbours(calls.map(({ from, to }) => [from, to]));
  const callers = neighbours(calls.map(({ from, to }) => [to, from]));
  const start = alerting === undefined ? undefined : canonical(alerting);
  const alertingService = start !== undefined && known.has(start) ? start : undefined;
  const distance = distancesFrom(alertingService, callees);
  const none: ReadonlySet<string> = new Set();
  return {
    names: [...known].toSorted(),
    alerting: alertingService,
    canonical,
    has: (service) => known.has(service),
    callees: (service) => callees.get(service) ?? none,
    callers: (service) => callers.get(service) ?? none,
    distance: (service) => distance.get(service),
    inTopology: (service) => inTopology.has(service),
  };
}

/** Canonical names: those of the topology, and what telemetry mentions beside. */
function knownServices(inTopology: ReadonlySet<string>, mentioned: Iterable<string>): ReadonlySet<string> {
  const fromTopology = nameResolver(inTopology);
  const known = new Set(inTopology);
  for (const name of new Set(mentioned)) {
    if (name === '') continue;
    const resolved = fromTopology(name);
    known.add(inTopology.has(resolved) ? resolved : (REPLICA_SET_POD.exec(name)?.[1] ?? name));
  }
  // A set's pods (`db-0`) are the set's when the set itself is known, else services of their own. Shortest first, whatever was seen first.
  for (const name of [...known].sort((a, b) => a.length - b.length)) {
    const workload = withoutPodSuffix(name);
    if (workload !== name && known.has(workload) && !inTopology.has(name)) known.delete(name);
  }
  return known;
}

type Neighbours = ReadonlyMap<string, ReadonlySet<string>>;

function neighbours(pairs: readonly (readonly [from: string, to: string])[]): Neighbours {
  const byName = new Map<string, Set<string>>();
  for (const [from, to] of pairs) byName.set(from, (byName.get(from) ?? new Set<string>()).add(to));
  return byName;
}

/** Breadth-first over calls. Empty when there is no start or it calls nobody: then nothing is known about reachability. */
function distancesFrom(start: string | undefined, callees: Neighbours): Map<string, number> {
  const distance = new Map<string, number>();
  if (start === undefined || !callees.get(start)?.size) return distance;
  distance.set(start, 0);
  const queue = [start];
  for (let service = queue.shift(); service !== undefined; service = queue.shift()) {
    for (const callee of callees.get(service) ?? []) {
      if (distance.has(callee)) continue;
      distance.set(callee, (distance.get(service) ?? 0) + 1);
      queue.push(callee);
    }
  }
  return distance;
}
