import type { Incident } from '../src/domain/incident.ts';
import {
  NO_TELEMETRY,
  type ClusterEvent,
  type KubernetesObject,
  type LogRecord,
  type MetricSeries,
  type Telemetry,
} from '../src/domain/telemetry.ts';
import { pick, seededRandom } from './seeded-random.ts';

/** A planted fact and the words by which the brief must show it. */
export interface Needle {
  readonly what: string;
  readonly pattern: RegExp;
}

export interface SyntheticIncident {
  readonly incident: Incident;
  readonly telemetry: Telemetry;
  readonly needles: readonly Needle[];
}

export interface SyntheticSize {
  readonly lines: number;
  readonly series: number;
  readonly events: number;
}

const TRIGGER_MS = Date.UTC(2026, 2, 4, 10, 0, 0);
const MINUTE_MS = 60_000;
const BASELINE_MS = 60 * MINUTE_MS;
const STEP_MS = 15_000;
const SERVICES = ['gateway', 'catalog', 'basket', 'checkout', 'ledger', 'mailer', 'search', 'rates', 'stock', 'audit'];
/** Called directly by the alerting service; everything wrong is wrong here. */
const ROOT = 'checkout';
const METRICS = ['cpu_percent', 'memory_bytes', 'request_duration_seconds', 'requests_per_second', 'errors_per_second'];
const VERBS = ['loaded', 'stored', 'sent', 'checked', 'priced', 'queued', 'merged', 'listed'];
const NOUNS = ['order', 'item', 'session', 'cart', 'page', 'mail', 'quote', 'user'];

/** Invented telemetry of one incident: much noise, and in it the facts that a good brief shows. The same seed gives the same bytes. */
export function inventIncident(seed: number, size: SyntheticSize): SyntheticIncident {
  const random = seededRandom(seed);
  const parts = {
    series: inventSeries(random, size.series),
    logs: inventLogs(random, size.lines),
    events: inventEvents(random, size.events),
    objects: inventObjects(),
    changes: [
      { timeMs: TRIGGER_MS - 8 * MINUTE_MS, service: ROOT, kind: 'deployment', summary: `${ROOT} 4.2.0 rolled out` },
    ],
  };
  return {
    incident: ALERT,
    telemetry: { ...NO_TELEMETRY, ...parts, topology: topology(), rawCharacters: rawCharacters(parts) },
    needles: [
      { what: 'metric that jumped', pattern: /\[M\d+\] checkout.*cpu_percent/ },
      { what: 'rare new error', pattern: /\[L\d+\].*ledger signature expired/ },
      { what: 'warning event', pattern: /\[E\d+\].*Unhealthy.*checkout/ },
      { what: 'object state', pattern: /\[O\d+\].*OOMKilled/ },
      { what: 'change', pattern: /\[C\d+\].*checkout 4\.2\.0 rolled out/ },
      { what: 'suspect', pattern: /^1\. checkout/m },
    ],
  };
}

/** The alert of all generated incidents: the entry of a shop fails. */
export const ALERT: Incident = {
  id: 'inc_synthetic',
  kind: 'incident',
  source: 'alertmanager',
  receiver: 'bench',
  title: 'Gateway answers with errors',
  service: 'gateway',
  severity: 'critical',
  startsAtMs: TRIGGER_MS,
  state: 'firing',
  labels: { alertname: 'GatewayErrors', service: 'gateway', namespace: 'shop' },
  annotations: {},
  alerts: [],
  alertCount: 1,
  truncatedAlerts: 0,
  link: undefined,
};

function topology() {
  const edges = ['catalog', 'basket', ROOT, 'search'].map((to) => ({ from: 'gateway', to }));
  return {
    services: SERVICES,
    edges: [...edges, { from: ROOT, to: 'ledger' }, { from: 'ledger', to: 'audit' }, { from: 'catalog', to: 'stock' }],
  };
}

function inventSeries(random: () => number, count: number): readonly MetricSeries[] {
  const samples = Math.floor((BASELINE_MS + 3 * MINUTE_MS) / STEP_MS);
  return Array.from({ length: count }, (_, i) => {
    const service = SERVICES[i % SERVICES.length] ?? ROOT;
    const round = Math.floor(i / SERVICES.length);
    const kind = METRICS[round % METRICS.length] ?? 'cpu_percent';
    const metric = round < METRICS.length ? kind : `${kind}_${round}`;
    const level = 10 + 40 * random();
    const isNeedle = service === ROOT && metric === 'cpu_percent';
    const timesMs = Float64Array.from({ length: samples }, (_unused, k) => TRIGGER_MS - BASELINE_MS + k * STEP_MS);
    const values = timesMs.map((time) => {
      const normal = level * (1 + 0.1 * (random() - 0.5));
      return isNeedle && time >= TRIGGER_MS - 2 * MINUTE_MS ? 97 + random() : normal;
    });
    return { service, metric, timesMs, values };
  });
}

function inventLogs(random: () => number, count: number): readonly LogRecord[] {
  const noise = Array.from({ length: count - 3 }, (_, i): LogRecord => {
    const [verb, noun] = [pick(random, VERBS), pick(random, NOUNS)];
    const id = Math.floor(random() * 1e6);
    return {
      timeMs: TRIGGER_MS - BASELINE_MS + (i / count) * (BASELINE_MS + 3 * MINUTE_MS),
      service: pick(random, SERVICES),
      level: random() < 0.02 ? 'WARN' : 'INFO',
      message: `${verb} ${noun} ${id} in ${Math.floor(random() * 90)} ms for 10.0.${id % 256}.${id % 199}`,
    };
  });
  const rare = [30, 50, 70].map((seconds, i) => ({
    timeMs: TRIGGER_MS - seconds * 1000,
    service: ROOT,
    level: 'ERROR',
    message: `cannot settle order ${7000 + i}: ledger signature expired`,
  }));
  return [...noise, ...rare].toSorted((a, b) => a.timeMs - b.timeMs);
}

function inventEvents(random: () => number, count: number): readonly ClusterEvent[] {
  const noise = Array.from({ length: count - 1 }, (): ClusterEvent => {
    const service = pick(random, ['mailer', 'rates', 'stock', 'audit', 'catalog']);
    return {
      timeMs: TRIGGER_MS - random() * BASELINE_MS,
      type: random() < 0.3 ? 'Warning' : 'Normal',
      reason: pick(random, ['Pulled', 'Pulling', 'FailedToRetrieveImagePullSecret', 'DNSConfigForming', 'Sync']),
      message: 'routine',
      objectKind: 'Pod',
      objectName: podName(service),
      namespace: 'shop',
    };
  });
  const needle: ClusterEvent = {
    timeMs: TRIGGER_MS - 40_000,
    type: 'Warning',
    reason: 'Unhealthy',
    message: 'Readiness probe failed: context deadline exceeded',
    objectKind: 'Pod',
    objectName: podName(ROOT),
    namespace: 'shop',
    count: 6,
  };
  return [...noise, needle];
}

const podName = (service: string) => `${service}-7d9f8b6c5d-x2x4z`;

function inventObjects(): readonly KubernetesObject[] {
  return SERVICES.map((service) => ({
    kind: 'Pod',
    metadata: { name: podName(service), namespace: 'shop', labels: { app: service } },
    spec: { nodeName: 'node-a', containers: [{ name: 'server' }] },
    status: {
      phase: 'Running',
      containerStatuses: [{ name: 'server', ready: true, restartCount: 0, ...(service === ROOT ? KILLED : {}) }],
    },
  }));
}

const KILLED = {
  restartCount: 2,
  lastState: {
    terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt: new Date(TRIGGER_MS - 90_000).toISOString() },
  },
};

/** As a naive prompt would carry it: one line a sample, JSON for the rest. */
function rawCharacters(parts: Pick<Telemetry, 'series' | 'logs' | 'events' | 'objects' | 'changes'>): number {
  const samples = parts.series.flatMap(({ service, metric, timesMs, values }) =>
    Array.from(timesMs, (time, i) => `${time / 1000},${service},${metric},${(values[i] ?? 0).toPrecision(6)}\n`.length),
  );
  const lists = [parts.logs, parts.events, parts.objects, parts.changes];
  return samples.reduce((sum, length) => sum + length, 0) + JSON.stringify(lists).length;
}
