import type { Incident } from '../../domain/incident.ts';
import { ProviderError, type GatherWindow } from '../../domain/provider.ts';
import {
  NO_TELEMETRY,
  type ClusterEvent,
  type Gap,
  type KubernetesObject,
  type Telemetry,
} from '../../domain/telemetry.ts';
import { kindOf, namespaceOf } from '../../funnel/events/identity.ts';
import { numberAt, timeAt } from '../../funnel/events/json-path.ts';
import { ownerReferences } from '../../funnel/events/ownership.ts';
import { byTime } from '../queries/answer.ts';
import { VERSION_PATH, type KubernetesApi } from './api.ts';
import { KubernetesError, PROVIDER } from './api-error.ts';
import { changesOf } from './changes.ts';
import { readEvents } from './events.ts';
import type { ReadObject } from './listing.ts';
import { readLogs, type LogOptions } from './logs.ts';
import { furtherPlaces, placesOf, type Place } from './places.ts';
import { ClusterReading, type Wanted } from './reading.ts';
import {
  CLUSTER_RESOURCES,
  HOME_RESOURCES,
  LEASE_NAMESPACE,
  LEASES,
  NEIGHBOUR_RESOURCES,
  PODS,
  SYSTEM_NAMESPACE,
  SYSTEM_RESOURCES,
} from './resources.ts';

export interface GatherOptions {
  readonly api: KubernetesApi;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly maxObjects: number;
  readonly logs: LogOptions;
}

/**
 * What the cluster knows about the incident: the objects of its namespaces and of the cluster, the events, what was rolled out or edited, and container logs. What was
 * read when the time runs out is handed over, with what was not. Throws `KubernetesError` when the server cannot be asked at all.
 */
export async function gatherFromKubernetes(
  options: GatherOptions,
  incident: Incident,
  window: GatherWindow,
  signal: AbortSignal,
): Promise<Telemetry> {
  const { api, namespaces, maxObjects } = options;
  // The first question that fails ends it all: the server is dead, or does not know us.
  await greet(api, signal);
  const reading = new ClusterReading(api);
  const { places, node, note } = await placesOf(incident, namespaces, reading, signal);
  if (note !== undefined) reading.ledger.note(note);

  const { all, events, near } = await (node === undefined
    ? readAround(reading, options, incident, places, window, signal)
    : readNode(reading, options, node, window, signal));
  const objects = shownObjects(all, maxObjects, reading);
  const inReach = objects.filter((object) => near.includes(undefined) || near.includes(namespaceOf(object)));
  const logs = await readLogs(reading, options.logs, inReach, incident, window, signal);
  if (signal.aborted && all.length + events.length === 0) throw tooLate(reading.gaps);
  return {
    ...NO_TELEMETRY,
    objects,
    events,
    changes: changesOf(all, events).filter(({ timeMs }) => timeMs >= window.fromMs && timeMs <= window.toMs),
    logs: logs.lines,
    reference: { ...NO_TELEMETRY.reference, logs: logs.reference },
    gaps: reading.gaps,
    rawCharacters: reading.ledger.characters,
  };
}

interface Surroundings {
  readonly all: readonly ReadObject[];
  readonly events: readonly ClusterEvent[];
  /** The places of the incident, and those beside that its pods call. */
  readonly near: readonly Place[];
}

async function readAround(
  reading: ClusterReading,
  { namespaces, maxObjects }: GatherOptions,
  incident: Incident,
  places: readonly Place[],
  window: GatherWindow,
  signal: AbortSignal,
): Promise<Surroundings> {
  const together = { window, maxEvents: Math.ceil(maxObjects / Math.max(1, places.length)), signal };
  const wanted = wantedIn(places, namespaces, maxObjects);
  const home = await readPlaces(reading, wanted, eventPlaces(places, namespaces), together);
  const further = await furtherPlaces(incident, places, home.objects, namespaces, reading, signal);
  const beside = await readPlaces(reading, wantedBeside(further, maxObjects), further, together);
  return {
    all: [...home.objects, ...beside.objects],
    events: [...home.events, ...beside.events].toSorted(byTime),
    near: [...places, ...further],
  };
}

/** What the cluster consists of, the pods on one node, and the events of their namespaces. */
async function readNode(
  reading: ClusterReading,
  { namespaces, maxObjects }: GatherOptions,
  node: string,
  window: GatherWindow,
  signal: AbortSignal,
): Promise<Surroundings> {
  const together = { window, maxEvents: Math.ceil(maxObjects / 4), signal };
  const fieldSelector = `spec.nodeName=${node}`;
  const onNode = (namespaces.length > 0 ? namespaces : [undefined]).map((namespace) => ({
    resource: PODS,
    namespace,
    fieldSelector,
    most: share(maxObjects, PODS.kind, 1),
  }));
  const cluster = wantedIn([], namespaces, maxObjects).filter(({ resource }) => resource !== PODS);
  const known = eventPlaces([], namespaces);
  const first = await readPlaces(reading, [...onNode, ...cluster], known, together);
  const theirs = first.objects
    .filter(({ object }) => kindOf(object) === 'Pod')
    .map(({ object }) => namespaceOf(object));
  const further = [...new Set(theirs)].filter((name) => !known.includes(name)).slice(0, MOST_NODE_PLACES);
  const { events } = await readPlaces(reading, [], further, together);
  return { all: first.objects, events: [...first.events, ...events].toSorted(byTime), near: [] };
}

/** Namespaces of a node's pods whose events are read. */
const MOST_NODE_PLACES = 6;

interface ReadTogether {
  readonly window: GatherWindow;
  /** Of one place. */
  readonly maxEvents: number;
  readonly signal: AbortSignal;
}

async function readPlaces(
  reading: ClusterReading,
  wanted: readonly Wanted[],
  places: readonly Place[],
  { window, maxEvents, signal }: ReadTogether,
): Promise<{ readonly objects: readonly ReadObject[]; readonly events: readonly ClusterEvent[] }> {
  const [listings, events] = await Promise.all([
    reading.readAll(wanted, signal),
    readEvents(reading, places, window, maxEvents, signal),
  ]);
  return { objects: listings.flatMap(({ kept }) => kept), events };
}

async function greet(api: KubernetesApi, signal: AbortSignal): Promise<void> {
  try {
    await api.read({ path: VERSION_PATH }, signal);
  } catch (error) {
    // Who may not ask for the version may still ask for pods.
    if (!(error instanceof KubernetesError) || error.status !== 403) throw error;
  }
}

function tooLate(gaps: readonly Gap[]): ProviderError {
  return new ProviderError(PROVIDER, gaps.map(({ message }) => message).join(' ') || 'The time ran out.');
}

/** Shares of what may be kept: pods, what comes with every rollout and run, and everything else. */
const SHARES: Readonly<Record<string, number>> = { Pod: 2, ReplicaSet: 2, ControllerRevision: 4, Job: 4, ConfigMap: 4 };
const OTHER_SHARE = 8;

function share(maxObjects: number, kind: string, parts: number): number {
  return Math.ceil(maxObjects / (SHARES[kind] ?? OTHER_SHARE) / Math.max(1, parts));
}

/** Of other namespaces what serves and whom it reaches. */
function wantedBeside(places: readonly string[], maxObjects: number): readonly Wanted[] {
  return places.flatMap((namespace) =>
    NEIGHBOUR_RESOURCES.map((resource) => ({ resource, namespace, most: share(maxObjects, resource.kind, 4) })),
  );
}

/** Home first, then what the cluster itself runs and consists of. */
function wantedIn(places: readonly Place[], allowed: readonly string[], maxObjects: number): readonly Wanted[] {
  const shareOf = (kind: string, parts: number) => share(maxObjects, kind, parts);
  const home = HOME_RESOURCES.flatMap((resource) =>
    places.map((namespace) => {
      // Config maps cannot be granted without their content: who keeps them back has decided so, and doctor tells it.
      const isTentative = resource.metadataOnly === true;
      return { resource, namespace, most: shareOf(resource.kind, places.length), isTentative };
    }),
  );
  const whole = CLUSTER_RESOURCES.map((resource) => ({
    resource,
    namespace: undefined,
    most: shareOf(resource.kind, 1),
  }));
  const isOpen = allowed.length === 0 || allowed.includes(SYSTEM_NAMESPACE);
  const system =
    places.includes(undefined) || places.includes(SYSTEM_NAMESPACE) || !isOpen
      ? []
      : SYSTEM_RESOURCES.map((resource) => ({
          resource,
          namespace: SYSTEM_NAMESPACE,
          most: shareOf(resource.kind, 4),
        }));
  // Nodes tell the same forty seconds later: who may not read leases misses little.
  const leases = [{ resource: LEASES, namespace: LEASE_NAMESPACE, most: shareOf(LEASES.kind, 1), isTentative: true }];
  return [...home, ...whole, ...system, ...leases];
}

/** Events of nodes stand in the namespace `default`. */
function eventPlaces(places: readonly Place[], allowed: readonly string[]): readonly Place[] {
  if (places.includes(undefined)) return [undefined];
  const further = ['default', SYSTEM_NAMESPACE].filter((name) => allowed.length === 0 || allowed.includes(name));
  return [...new Set([...places, ...further])];
}

/** Without what was only read to be compared: revisions, and replica sets that were replaced. */
function shownObjects(
  all: readonly ReadObject[],
  maxObjects: number,
  reading: ClusterReading,
): readonly KubernetesObject[] {
  const newest = newestSets(all);
  const shown = all
    .map(({ object }) => object)
    .filter((object) => kindOf(object) !== 'ControllerRevision')
    .filter((object) => kindOf(object) !== 'ReplicaSet' || isInUse(object, newest));
  if (shown.length > maxObjects)
    reading.ledger.note(`kept ${maxObjects} of ${shown.length} objects; raise KUBERNETES_MAX_OBJECTS.`);
  return shown.slice(0, maxObjects);
}

function newestSets(all: readonly ReadObject[]): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  for (const { object } of all) {
    if (kindOf(object) !== 'ReplicaSet') continue;
    const owner = ownerOf(object);
    newest.set(owner, Math.max(newest.get(owner) ?? Number.NEGATIVE_INFINITY, createdMsOf(object)));
  }
  return newest;
}

const ownerOf = (set: KubernetesObject) => `${namespaceOf(set)}/${ownerReferences(set)[0]?.name ?? ''}`;
const createdMsOf = (set: KubernetesObject) => timeAt(set, 'metadata', 'creationTimestamp') ?? 0;

function isInUse(set: KubernetesObject, newest: ReadonlyMap<string, number>): boolean {
  const replicas = Math.max(numberAt(set, 'spec', 'replicas') ?? 0, numberAt(set, 'status', 'replicas') ?? 0);
  return replicas > 0 || newest.get(ownerOf(set)) === createdMsOf(set);
}
