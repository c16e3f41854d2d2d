import type { ClusterEvent } from '../../domain/telemetry.ts';
import { withoutPodSuffix, type ServiceMap } from '../services.ts';
import type { Cluster } from './cluster.ts';
import { systemComponent } from './components.ts';
import { groupBy } from './group-by.ts';
import { usersOf } from './objects/volumes.ts';
import { workloadNameOf } from './ownership.ts';

/** Events of one reason about one object (SPEC C4). The pods of one workload count as one object: they come and go under new names. */
export interface MergedEvent {
  readonly kind: string;
  /** Name of the object; for pods the name of their service. */
  readonly name: string;
  readonly namespace: string;
  /** Names of the objects themselves, newest first. */
  readonly objects: readonly string[];
  /** Undefined for a node's own events. */
  readonly service: string | undefined;
  readonly node: string | undefined;
  readonly type: string;
  readonly reason: string;
  /** Of the newest record. */
  readonly message: string;
  /** How often it happened. */
  readonly count: number;
  /** NaN when no record carries a time. */
  readonly firstMs: number;
  readonly lastMs: number;
}

/** An event and the service it is about; undefined for a node's own. */
export interface PlacedEvent {
  readonly event: ClusterEvent;
  readonly service: string | undefined;
}

export function placeEvents(
  events: readonly ClusterEvent[],
  cluster: Cluster,
  services: ServiceMap,
): readonly PlacedEvent[] {
  return events.map((event) => ({ event, service: serviceOf(event, cluster, services) }));
}

export function mergeEvents(placed: readonly PlacedEvent[]): readonly MergedEvent[] {
  const groups = groupBy(placed, ({ event, service }) =>
    [event.objectKind, event.objectKind === 'Pod' ? service : event.objectName, event.namespace, event.reason].join(
      '\n',
    ),
  );
  return [...groups.values()].map(merge);
}

function merge(group: readonly PlacedEvent[]): MergedEvent {
  const newestFirst = group.toSorted((a, b) => orZero(b.event.timeMs) - orZero(a.event.timeMs));
  const [newest] = newestFirst as [PlacedEvent, ...PlacedEvent[]];
  const { event, service } = newest;
  const times = group
    .flatMap(({ event: { timeMs, firstTimeMs } }) => [timeMs, firstTimeMs ?? timeMs])
    .filter(Number.isFinite)
    .toSorted((a, b) => a - b);
  return {
    kind: event.objectKind,
    name: event.objectKind === 'Pod' && service !== undefined ? service : event.objectName,
    namespace: event.namespace ?? '',
    objects: [...new Set(newestFirst.map((placed) => placed.event.objectName))],
    service,
    node: event.objectKind === 'Node' ? event.objectName : event.node,
    type: event.type,
    reason: event.reason,
    message: event.message,
    count: group.reduce((sum, placed) => sum + Math.max(1, placed.event.count ?? 1), 0),
    firstMs: group.reduce((first, placed) => Math.min(first, firstOf(placed)), times.at(0) ?? Number.NaN),
    lastMs: times.at(-1) ?? Number.NaN,
  };
}

/** A kubelet reports the same thing of one object 25 times at once, then every 5 min (client-go, EventSourceObjectSpamFilter). */
const BURST = 25;
const REFILL_MS = 300_000;

/** When a counted event was first seen; where that was not recorded, as long ago as its count takes at least. */
function firstOf({ event: { timeMs, firstTimeMs, count } }: PlacedEvent): number {
  if (firstTimeMs !== undefined && firstTimeMs < timeMs) return firstTimeMs;
  return timeMs - Math.max(0, (count ?? 1) - BURST) * REFILL_MS;
}

const orZero = (timeMs: number) => (Number.isFinite(timeMs) ? timeMs : 0);

function serviceOf(event: ClusterEvent, cluster: Cluster, services: ServiceMap): string | undefined {
  if (event.service) return services.canonical(event.service);
  if (event.objectKind === 'Node' || event.objectName === '') return undefined;
  const claim = { namespace: event.namespace ?? '', name: event.objectName };
  const [user] = event.objectKind === 'PersistentVolumeClaim' ? usersOf(claim, cluster) : [];
  if (user !== undefined) return user;
  const object = cluster.find(event.objectKind, event.namespace ?? '', event.objectName);
  if (object) return object.service;
  const component = event.namespace === 'kube-system' ? systemComponent(event.objectName, {}) : undefined;
  if (component) return component;
  const name = event.objectKind === 'Pod' ? withoutPodSuffix(event.objectName) : event.objectName;
  return services.canonical(workloadNameOf({ kind: event.objectKind, name }));
}
