import type { Incident } from '../../src/domain/incident.ts';
import {
  NO_TELEMETRY,
  type Change,
  type ClusterEvent,
  type KubernetesObject,
  type LogRecord,
  type MetricSeries,
  type Span,
  type Telemetry,
} from '../../src/domain/telemetry.ts';
import { seededRandom } from '../seeded-random.ts';
import { ALERT } from '../synthetic-incident.ts';
import { quietEvents, quietLogs, quietObjects, quietSeries, quietSpans } from './quiet.ts';
import { SERVICES, TRIGGER_MS } from './timeline.ts';

const EDGES = [
  ['gateway', 'catalog'],
  ['gateway', 'basket'],
  ['gateway', 'checkout'],
  ['gateway', 'search'],
  ['checkout', 'ledger'],
  ['ledger', 'audit'],
  ['catalog', 'stock'],
].map(([from = '', to = '']) => ({ from, to }));

/** What a kind of trouble is planted among. */
export type Haystack = 'lines' | 'samples' | 'events' | 'objects' | 'spans';

/** One incident while it is being invented: quiet telemetry, to which a kind adds what is decisive. */
export interface Scene {
  readonly random: () => number;
  readonly incident: Incident;
  logs: LogRecord[];
  series: MetricSeries[];
  events: ClusterEvent[];
  objects: KubernetesObject[];
  spans: Span[];
  changes: Change[];
  samplingMs: number | undefined;
}

/** Things of the haystack; a little of everything else stands around it. */
export function setScene(haystack: Haystack, size: number, seed: number): Scene {
  const random = seededRandom(seed);
  const sizeOf = (kind: Haystack, usual: number) => (kind === haystack ? size : Math.min(usual, size));
  return {
    random,
    incident: SURVIVAL_ALERT,
    logs: quietLogs(random, sizeOf('lines', 2000)),
    series: quietSeries(random, sizeOf('samples', 5000)),
    events: quietEvents(random, sizeOf('events', 100)),
    objects: quietObjects(sizeOf('objects', 20)),
    spans: haystack === 'spans' ? quietSpans(random, size) : [],
    changes: [],
    samplingMs: undefined,
  };
}

export function telemetryOf(scene: Scene): Telemetry {
  const { logs, series, events, objects, spans, changes, samplingMs } = scene;
  return {
    ...NO_TELEMETRY,
    logs: logs.toSorted((a, b) => a.timeMs - b.timeMs),
    series,
    events,
    objects,
    spans,
    changes,
    samplingMs,
    topology: { services: SERVICES, edges: EDGES },
    rawCharacters: 1_000_000,
  };
}

const SURVIVAL_ALERT: Incident = { ...ALERT, id: 'inc_survival', startsAtMs: TRIGGER_MS };
