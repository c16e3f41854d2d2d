import type { ClusterEvent, KubernetesObject, LogRecord, MetricSeries, Span } from '../../src/domain/telemetry.ts';
import { pick } from '../seeded-random.ts';
import { every, lengthOf, logLine, RECORDED, SERVICES, TRIGGER_MS } from './timeline.ts';

/** Telemetry of a system that is well, with the errors, warnings and odd single lines that every system has. */

type Random = () => number;
const whole = (random: Random, below: number): number => Math.floor(random() * below);
const sometime = (random: Random): number => RECORDED[0] + random() * lengthOf(RECORDED);
const hex = (random: Random): string =>
  whole(random, 2 ** 32)
    .toString(16)
    .padStart(8, '0');

interface Habit {
  readonly level: string;
  readonly share: number;
  readonly say: (random: Random) => string;
}

const NOUNS = ['order', 'item', 'session', 'cart', 'page', 'quote', 'user', 'invoice'];

const HABITS: readonly Habit[] = [
  { level: 'INFO', share: 20, say: (r) => `GET /api/${pick(r, NOUNS)}s/${whole(r, 1e6)} 200 in ${whole(r, 90)} ms` },
  { level: 'INFO', share: 15, say: (r) => `loaded ${pick(r, NOUNS)} ${hex(r)} from cache` },
  { level: 'INFO', share: 15, say: (r) => `stored ${pick(r, NOUNS)} ${hex(r)} (${whole(r, 4000)} bytes)` },
  { level: 'DEBUG', share: 12, say: (r) => `token of user ${whole(r, 1e5)} is valid for ${whole(r, 3600)} s` },
  { level: 'INFO', share: 8, say: (r) => `sent message ${hex(r)} to topic prices partition ${whole(r, 12)}` },
  {
    level: 'INFO',
    share: 8,
    say: (r) =>
      `accepted connection from 10.${whole(r, 9)}.${whole(r, 250)}.${whole(r, 250)}:${40000 + whole(r, 9999)}`,
  },
  { level: 'INFO', share: 6, say: (r) => `flushed ${whole(r, 500)} rows to segment ${whole(r, 64)}` },
  { level: 'DEBUG', share: 6, say: (r) => `evaluated rule ${whole(r, 40)} against ${whole(r, 900)} candidates` },
  { level: 'INFO', share: 4, say: (r) => `collected garbage: ${whole(r, 60)} ms, heap ${200 + whole(r, 90)} MB` },
  { level: 'WARN', share: 2, say: (r) => `slow query on table ${pick(r, NOUNS)}s: ${400 + whole(r, 300)} ms` },
  { level: 'WARN', share: 1, say: (r) => `price of item ${whole(r, 1e5)} is older than ${whole(r, 50)} s` },
  {
    level: 'ERROR',
    share: 0.8,
    say: (r) => `card of customer ${whole(r, 1e5)} was declined by the issuer, code ${pick(r, ['05', '51', '54'])}`,
  },
  { level: 'ERROR', share: 0.4, say: (r) => `client closed the stream early after ${whole(r, 9000)} bytes` },
  { level: 'ERROR', share: 0.2, say: (r) => `cannot parse user agent of request ${hex(r)}` },
];
const ALL_SHARES = HABITS.reduce((sum, { share }) => sum + share, 0);

/** Lines that come once a day each: new whenever they come, and no sign of anything. */
const ODDITIES = [
  'licence text reloaded from disk',
  'operator opened the maintenance console',
  'monthly statement job is not due yet',
  'geo database has no entry for a private address',
  'compiled 14 mail layouts',
  'pruned expired vouchers of the spring campaign',
  'clock source switched to tsc',
  'warm-up of the suggestion index is done',
];

export function quietLogs(random: Random, count: number): LogRecord[] {
  const step = lengthOf(RECORDED) / count;
  const usual = Array.from({ length: count }, (_, i) => {
    const habit = habitAt(random() * ALL_SHARES);
    return logLine(RECORDED[0] + i * step, pick(random, SERVICES), habit.level, habit.say(random));
  });
  const odd = ODDITIES.map((text) => logLine(sometime(random), pick(random, SERVICES), 'INFO', text));
  return [...usual, ...odd];
}

function habitAt(place: number): Habit {
  let left = place;
  return HABITS.find(({ share }) => (left -= share) < 0) ?? (HABITS[0] as Habit);
}

export const STEP_SECONDS = 15;
const SAMPLES = Math.floor(lengthOf(RECORDED) / STEP_SECONDS);

/** Name, usual level, scatter. */
const METRICS = [
  ['cpu_usage_percent', 35, 0.1],
  ['memory_working_set_bytes', 4e8, 0.02],
  ['http_request_duration_seconds_p99', 0.18, 0.15],
  ['http_requests_per_second', 120, 0.1],
  ['http_errors_per_second', 0.4, 0.5],
  ['open_connections', 40, 0.1],
  ['queue_depth', 5, 0.6],
  ['network_transmit_bytes_per_second', 2e6, 0.2],
] as const;

export function quietSeries(random: Random, samples: number): MetricSeries[] {
  const count = Math.max(8, Math.ceil(samples / SAMPLES));
  return Array.from({ length: count }, (_, i) => {
    const service = SERVICES[i % SERVICES.length] ?? '';
    const [metric, level, scatter] = METRICS[Math.floor(i / SERVICES.length) % METRICS.length] ?? METRICS[0];
    const pod = `${service}-7d9f8b6c5d-${podSuffix(Math.floor(i / SERVICES.length / METRICS.length))}`;
    return series(service, metric, () => level * (1 + scatter * 2 * (random() - 0.5)), { pod });
  });
}

const podSuffix = (n: number): string => `x${String(n).padStart(3, '0')}z`;

/** A series with a value for each sample, given its seconds from the trigger. */
export function series(
  service: string,
  metric: string,
  valueAt: (seconds: number) => number,
  labels: Readonly<Record<string, string>> = {},
): MetricSeries {
  const seconds = every(STEP_SECONDS, RECORDED, (at) => at);
  return {
    service,
    metric,
    labels,
    timesMs: Float64Array.from(seconds, (at) => TRIGGER_MS + at * 1000),
    values: Float64Array.from(seconds, (at) => valueAt(at)),
  };
}

const ROUTINE = ['Pulled', 'Pulling', 'Scheduled', 'Created', 'Started', 'Sync', 'LeaderElection', 'SuccessfulCreate'];

export function quietEvents(random: Random, count: number): ClusterEvent[] {
  return Array.from({ length: count }, () => {
    const service = pick(random, SERVICES);
    return clusterEvent(sometime(random), service, 'Normal', pick(random, ROUTINE), 'routine');
  });
}

export function clusterEvent(
  seconds: number,
  service: string,
  type: string,
  reason: string,
  message: string,
): ClusterEvent {
  return {
    timeMs: TRIGGER_MS + seconds * 1000,
    type,
    reason,
    message,
    objectKind: 'Pod',
    objectName: `${service}-7d9f8b6c5d-x2x4z`,
    namespace: 'shop',
  };
}

/** Pods that run, those of the known services first, on 50 nodes. */
export function quietObjects(count: number): KubernetesObject[] {
  return Array.from({ length: count }, (_, i) => {
    const app = SERVICES[i] ?? `batch-${i}`;
    return podOf(app, `${app}-7d9f8b6c5d-x2x4z`, `node-${i % 50}`);
  });
}

export function podOf(
  app: string,
  name: string,
  nodeName: string,
  status: Readonly<Record<string, unknown>> = {},
): KubernetesObject {
  return {
    kind: 'Pod',
    metadata: { name, namespace: 'shop', labels: { app } },
    spec: { nodeName, containers: [{ name: 'server', image: `registry.example/${app}:1.0` }] },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ name: 'server', ready: true, restartCount: 0, state: { running: {} }, ...status }],
    },
  };
}

export const SPANS_PER_REQUEST = 5;
const PATHS = [
  ['gateway', 'checkout', 'ledger'],
  ['gateway', 'catalog', 'stock'],
] as const;
const OPERATIONS: Readonly<Record<string, string>> = { gateway: 'GET /', checkout: 'POST /pay', ledger: 'book' };

/** Requests through three services, every other one by way of the checkout. */
export function quietSpans(random: Random, count: number): Span[] {
  const requests = Math.floor(count / SPANS_PER_REQUEST);
  return every(lengthOf(RECORDED) / requests, RECORDED, (at, i) => {
    const seconds = [0.09, 0.05, 0.02].map((time) => time * (1 + 0.4 * random()));
    return requestSpans(at, PATHS[i % 2] ?? PATHS[0], seconds, `${i}`);
  }).flat();
}

export const passesCheckout = (traceId: string): boolean => Number(traceId) % 2 === 0;

/**
 * One request: a server span for each service of `path` and a client span for each call. `seconds` are those of the server spans; `lost`
 * those between the last two services.
 */
export function requestSpans(
  at: number,
  path: readonly string[],
  seconds: readonly number[],
  traceId: string,
  { failing, lost = 0 }: { readonly failing?: string | undefined; readonly lost?: number } = {},
): Span[] {
  const startUs = (TRIGGER_MS + at * 1000) * 1000;
  const last = path.length - 1;
  const failsUpTo = failing === undefined ? -1 : path.indexOf(failing);
  return path.flatMap((service, depth): Span[] => {
    const own = { timeUs: startUs + depth * 1000, traceId, ...(depth <= failsUpTo ? { error: true } : {}) };
    const parentId = depth > 0 ? `${traceId}.${depth - 1}.out` : '';
    const durationUs = Math.round((seconds[depth] ?? 0) * 1e6);
    const operation = OPERATIONS[service] ?? 'read';
    const server: Span = { ...own, spanId: `${traceId}.${depth}`, parentId, service, operation, durationUs };
    if (depth === last) return [server];
    const waited = (seconds[depth + 1] ?? 0) + 0.001 + (depth === last - 1 ? lost : 0);
    const client = { ...server, spanId: `${server.spanId}.out`, parentId: server.spanId, operation: 'call' };
    return [server, { ...client, durationUs: Math.round(waited * 1e6) }];
  });
}
