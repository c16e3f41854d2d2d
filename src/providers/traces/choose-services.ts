import type { Incident } from '../../domain/incident.ts';
import type { Topology } from '../../domain/telemetry.ts';
import { mapServices } from '../../funnel/services.ts';

/** Whose traces are read beside those of the alerting service: enough to see who else loads a shared callee. */
const MOST_NEIGHBOURS = 4;
/** Entries of the system that are read when the alert names no service that has traces. */
const MOST_ENTRIES = 3;

export interface ServiceChoice {
  /** First whose traces are wanted most. Undefined stands for those of all services. */
  readonly services: readonly (string | undefined)[];
  /** Why these, when the alert does not say. */
  readonly note?: string;
}

/**
 * The alerting service as the server spells it (pods, namespaces and suffixes do not matter). When the alert names none that has traces: all of them
 * where the server can do that, else the services that nobody calls, through which every request comes.
 */
export function chooseServices(
  { service, labels, alerts }: Incident,
  known: readonly string[],
  edges: Topology['edges'],
  searchesAll: boolean,
): ServiceChoice {
  const names = [service, ...Object.values({ ...labels, ...alerts[0]?.labels })].filter((name) => name !== undefined);
  const own = spelledAs(names, known);
  if (own !== undefined) return { services: [own] };
  const who = service === undefined ? 'the alert names no service' : `${service} has no traces`;
  const list = `services with traces: ${known.slice(0, 20).join(', ')}`;
  if (searchesAll) return { services: [undefined], note: `${who}, so those of all services were read; ${list}` };
  const called = new Set(edges.map(({ to }) => to));
  const entries = known.filter((name) => !called.has(name));
  const services = (entries.length > 0 ? entries : known).slice(0, MOST_ENTRIES);
  return { services, note: `${who}, so those of ${services.join(', ')} were read; ${list}` };
}

function spelledAs(candidates: readonly string[], known: readonly string[]): string | undefined {
  const names = new Set(known);
  const services = mapServices({ services: known, edges: [] }, [], undefined);
  // Kubernetes and OpenTelemetry write `namespace/name` in places.
  const spellings = candidates.flatMap((name) => [name, name.slice(name.lastIndexOf('/') + 1)]);
  return spellings.map((name) => services.canonical(name)).find((name) => names.has(name));
}

/** The services next to these, callees first: a cause lies downstream more often. At most four. */
export function nextTo(
  services: readonly (string | undefined)[],
  { edges }: Topology,
  known: readonly string[],
): readonly string[] {
  const own = new Set(services);
  const callees = edges.filter(({ from, to }) => own.has(from) && !own.has(to)).map(({ to }) => to);
  const callers = edges.filter(({ from, to }) => own.has(to) && !own.has(from)).map(({ from }) => from);
  const names = new Set(known);
  return [...new Set([...callees, ...callers])].filter((name) => names.has(name)).slice(0, MOST_NEIGHBOURS);
}
