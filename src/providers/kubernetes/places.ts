import type { Incident } from '../../domain/incident.ts';
import type { Labels } from '../../domain/labels.ts';
import type { KubernetesObject } from '../../domain/telemetry.ts';
import { kindOf, nameOf, namespaceOf } from '../../funnel/events/identity.ts';
import { objectBelongsTo } from '../belongs-to.ts';
import { namespacesOf } from '../namespaces-of.ts';
import type { ReadObject } from './listing.ts';
import type { ClusterReading } from './reading.ts';
import { NAMING_RESOURCES, SYSTEM_NAMESPACE, TEMPLATED } from './resources.ts';

/** Where objects are looked for: one namespace, or undefined for all at once. */
export type Place = string | undefined;

/** A service that many namespaces have is looked at in so many. */
const MOST_PLACES = 4;
const MOST_NAMED = 20_000;

export interface Places {
  readonly places: readonly Place[];
  /** The node that the alert is about: then pods there are looked at, wherever they belong. */
  readonly node?: string;
  /** What a reader of the report has to know about the choice. */
  readonly note?: string;
}

/**
 * The namespaces that an incident is about: those its labels name, else those in which something is named after its service, else all. Never more than
 * `allowed`, unless that is empty.
 */
export async function placesOf(
  incident: Incident,
  allowed: readonly string[],
  reading: ClusterReading,
  signal: AbortSignal,
): Promise<Places> {
  const everywhere: readonly Place[] = allowed.length > 0 ? allowed : [undefined];
  const named = namespacesOf(incident).filter(isNamespaceName);
  const node = nodeOf(incident);
  // The namespace beside a node is that of who measures it.
  if (node !== undefined && (named.length === 0 || incident.service === node)) return { places: [], node };
  const open = named.filter((name) => allowed.length === 0 || allowed.includes(name));
  if (open.length > 0) return { places: open.slice(0, MOST_PLACES) };
  if (named.length > 0)
    return {
      places: [],
      note: `the alert is about ${named.join(', ')}, which is not among KUBERNETES_NAMESPACES (${allowed.join(', ')}): nothing was read there.`,
    };
  // A check names a place to look at, no service that complains.
  if (incident.service === undefined || incident.kind === 'check') return { places: everywhere };
  const found = await placesOfService(incident.service, allowed, reading, signal);
  if (found.length === 0) return { places: everywhere };
  const note =
    found.length > MOST_PLACES
      ? {
          note: `${incident.service} is in ${found.length} namespaces; looked at ${found.slice(0, MOST_PLACES).join(', ')}.`,
        }
      : {};
  return { places: found.slice(0, MOST_PLACES), ...note };
}

/** Further namespaces that are looked at after the first ones. */
const MOST_FURTHER = 2;

/**
 * Where else to look once the places of the incident were read: in the namespaces of its service, when nothing there belongs to it (a scrape may carry the namespace of who
 * scrapes), else in those that pods there are told to call.
 */
export async function furtherPlaces(
  { service, kind }: Incident,
  places: readonly Place[],
  read: readonly ReadObject[],
  allowed: readonly string[],
  reading: ClusterReading,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (signal.aborted || places.length === 0 || places.includes(undefined)) return [];
  const atHome = read.map(({ object }) => object).filter((object) => places.includes(namespaceOf(object)));
  const isLost = service !== undefined && kind !== 'check' && !atHome.some(objectBelongsTo(service));
  const found = isLost ? await placesOfService(service, allowed, reading, signal) : calledNamespaces(atHome);
  const isThere = new Set(
    read.filter(({ object }) => kindOf(object) === 'Namespace').map(({ object }) => nameOf(object)),
  );
  return found
    .filter((name) => !places.includes(name) && name !== SYSTEM_NAMESPACE)
    .filter((name) => (allowed.length === 0 || allowed.includes(name)) && (isThere.size === 0 || isThere.has(name)))
    .slice(0, MOST_FURTHER);
}

/** `orders.sales.svc`, with or without the cluster's own domain. */
const IN_ANOTHER_NAMESPACE = /\.([a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)\.svc(?![-\w])/g;

/** Namespaces in the addresses that pods are configured with, the most frequent first. Templates speak for their pods. */
function calledNamespaces(objects: readonly KubernetesObject[]): readonly string[] {
  const counts = new Map<string, number>();
  const templates = objects.filter((object) => TEMPLATED.has(kindOf(object)));
  for (const object of templates) {
    for (const [, name = ''] of JSON.stringify(object['spec'] ?? {}).matchAll(IN_ANOTHER_NAMESPACE))
      counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].toSorted(([a, most], [b, least]) => least - most || (a < b ? -1 : 1)).map(([name]) => name);
}

const NODE_LABELS = ['node', 'kubernetes_node', 'nodename'] as const;

function nodeOf({ labels, alerts }: Incident): string | undefined {
  const all: readonly Labels[] = [labels, ...alerts.map((one) => one.labels)];
  const names = NODE_LABELS.flatMap((label) => all.map((one) => one[label]));
  return names.find((name) => name !== undefined && isObjectName(name));
}

/** Labels are untrusted: what is no name of a namespace goes into no path. */
export function isNamespaceName(text: string): boolean {
  return /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text);
}

/** What goes into a selector as it stands: names of objects have no upper case, commas or stars. */
export function isObjectName(text: string): boolean {
  return /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(text);
}

/** Namespaces with a workload or a Service that is named after the service or labelled with it, by names and labels alone. */
export async function placesOfService(
  service: string,
  allowed: readonly string[],
  reading: ClusterReading,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const places: readonly Place[] = allowed.length > 0 ? allowed : [undefined];
  const wanted = NAMING_RESOURCES.flatMap((resource) =>
    places.map((namespace) => ({ resource: { ...resource, metadataOnly: true }, namespace, most: MOST_NAMED })),
  );
  const belongs = objectBelongsTo(service);
  const listings = await reading.readAll(wanted, signal);
  const found = listings.flatMap(({ kept }) => kept.filter(({ object }) => belongs(object)));
  return [...new Set(found.map(({ object }) => namespaceOf(object)))].toSorted();
}
