import type { ClusterEvent, KubernetesObject, LogRecord, MetricSeries, Telemetry } from '../domain/telemetry.ts';

/**
 * The same telemetry, each list in an order of its own: by time where there is one, else by name. Providers answer in any order, which carries no meaning and
 * must not decide which sample is quoted or which tie is won. Times of events that are unset are unknown. Log lines of equal time stay as they came: lines of one stack trace belong together.
 */
export function inOrder(telemetry: Telemetry): Telemetry {
  const { logs, series, spans, spanStats, events, objects, changes, topology, reference } = telemetry;
  return {
    ...telemetry,
    logs: logsInOrder(logs),
    series: ordered(series, () => 0, nameOfSeries),
    spans: ordered(
      spans,
      ({ timeUs }) => timeUs,
      ({ spanId }) => spanId,
    ),
    spanStats: ordered(
      spanStats,
      ({ timeMs }) => timeMs,
      ({ service, operation, parentService }) => [service, operation, parentService].join('\n'),
    ),
    events: ordered(events.map(withKnownTimes), ({ timeMs }) => timeMs, nameOfEvent),
    objects: ordered(objects, () => 0, nameOfObject),
    changes: ordered(
      changes,
      ({ timeMs }) => timeMs,
      ({ service, kind, summary }) => [service, kind, summary].join('\n'),
    ),
    topology: {
      services: ordered(topology.services, () => 0, String),
      edges: ordered(
        topology.edges,
        () => 0,
        ({ from, to }) => `${from}\n${to}`,
      ),
    },
    reference: {
      logs: logsInOrder(reference.logs),
      spans: ordered(
        reference.spans,
        ({ timeUs }) => timeUs,
        ({ spanId }) => spanId,
      ),
    },
  };
}

/** Kubernetes writes an unset time as year 1, others as 1970; what `Date` cannot hold is none either. */
const FIRST_KNOWN_MS = Date.UTC(1980, 0, 1);
const LAST_KNOWN_MS = 8.64e15;

const isKnown = (timeMs: number): boolean => timeMs >= FIRST_KNOWN_MS && timeMs <= LAST_KNOWN_MS;

function withKnownTimes(event: ClusterEvent): ClusterEvent {
  const { firstTimeMs = event.timeMs, ...rest } = event;
  if (isKnown(event.timeMs) && isKnown(firstTimeMs)) return event;
  const timeMs = isKnown(event.timeMs) ? event.timeMs : isKnown(firstTimeMs) ? firstTimeMs : Number.NaN;
  return { ...rest, timeMs };
}

/** By time, what has none last; by name among equals. The list itself when it is in order already. */
function ordered<T>(list: readonly T[], timeOf: (item: T) => number, nameOf: (item: T) => string): readonly T[] {
  const times = list.map((item) => orLast(timeOf(item)));
  // Names cost more than times: they are made only for neighbours that need them.
  const names = new Map<number, string>();
  const nameAt = (index: number): string => {
    const known = names.get(index);
    if (known !== undefined) return known;
    const name = nameOf(list[index] as T);
    names.set(index, name);
    return name;
  };
  const compare = (a: number, b: number): number => {
    const [first = 0, second = 0] = [times[a], times[b]];
    if (first !== second) return first < second ? -1 : 1;
    const [one, other] = [nameAt(a), nameAt(b)];
    if (one === other) return a - b;
    return one < other ? -1 : 1;
  };
  if (list.every((_, i) => i === 0 || compare(i - 1, i) <= 0)) return list;
  return list
    .map((_, i) => i)
    .sort(compare)
    .map((i) => list[i] as T);
}

const orLast = (time: number): number => (Number.isNaN(time) ? Infinity : time);

/** A line without a time stays behind the line it came after. */
function logsInOrder(logs: readonly LogRecord[]): readonly LogRecord[] {
  let last = -Infinity;
  const times = logs.map(({ timeMs }) => (last = Number.isNaN(timeMs) ? last : timeMs));
  if (times.every((time, i) => i === 0 || (times[i - 1] ?? time) <= time)) return logs;
  return logs
    .map((_, i) => i)
    .sort((a, b) => {
      const [first = 0, second = 0] = [times[a], times[b]];
      return first === second ? a - b : first < second ? -1 : 1;
    })
    .map((i) => logs[i] as LogRecord);
}

function nameOfSeries({ service, metric, labels = {} }: MetricSeries): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}=${value}`);
  return [service, metric, ...pairs.sort()].join('\n');
}

function nameOfEvent({ objectKind, namespace, objectName, reason, message, type }: ClusterEvent): string {
  return [objectKind, namespace, objectName, reason, message, type].join('\n');
}

function nameOfObject(object: KubernetesObject): string {
  const metadata = object['metadata'];
  const { namespace, name } = (typeof metadata === 'object' && metadata !== null ? metadata : {}) as {
    readonly namespace?: unknown;
    readonly name?: unknown;
  };
  return [object['kind'], namespace, name].map((part) => (typeof part === 'string' ? part : '')).join('\n');
}
