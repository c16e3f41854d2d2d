/** What a series physically measures, as far as its name and unit tell. */
export type MetricClass =
  | 'cpu'
  | 'memory'
  | 'latency'
  | 'error'
  | 'availability'
  | 'restart'
  | 'queue'
  | 'disk'
  | 'network'
  | 'requests'
  | 'node'
  | 'other';

/**
 * Relative noise floor of a class: a change smaller than this share of the baseline is never a finding, however quiet
 * the series was. Without it a series with almost no spread wins over a real change elsewhere.
 */
export const RELATIVE_FLOOR: Readonly<Record<MetricClass, number>> = {
  cpu: 0.1,
  memory: 0.05,
  latency: 0.1,
  error: 0.05,
  availability: 0.01,
  restart: 0.05,
  queue: 0.1,
  disk: 0.2,
  network: 0.15,
  requests: 0.15,
  node: 0.2,
  other: 0.1,
};

/** Direction in which a class gets worse; `either` where both a surge and a drop mean trouble. */
export function badDirection(metricClass: MetricClass): 'up' | 'down' | 'either' {
  if (metricClass === 'availability') return 'down';
  return ['requests', 'network', 'disk', 'node', 'other'].includes(metricClass) ? 'either' : 'up';
}

/** A metric that describes one call edge: who stands at the other end, and at which end it was measured. */
export interface EdgeOfMetric {
  readonly peer: string;
  readonly peerIs: 'caller' | 'callee';
  readonly measuredAt: 'caller' | 'callee';
}

/** Only a colon or `=` makes a name of what follows: `resource_limits` and `upstream_rq_time` name nobody. */
const FROM_CALLER = /^(|.*?[_:. ])(?:from|caller|source|upstream)[:=](.+)$/i;
const TO_CALLEE = /[_:. ](?:to|callee|target|destination)[:=](.+)$/i;

/** Reads the `…from:CALLER` and `…to:CALLEE` naming of per-edge metrics; undefined for an ordinary metric. */
export function edgeOfMetric(metric: string): EdgeOfMetric | undefined {
  const callee = TO_CALLEE.exec(metric)?.[1];
  if (callee) return { peer: peerName(callee), peerIs: 'callee', measuredAt: 'caller' };
  const match = FROM_CALLER.exec(metric);
  if (!match?.[2]) return undefined;
  const atCallee = /server|callee|inbound/i.test(match[1] ?? '') && !/client|caller|outbound/i.test(match[1] ?? '');
  return { peer: peerName(match[2]), peerIs: 'caller', measuredAt: atCallee ? 'callee' : 'caller' };
}

/** The name of a per-edge metric without the other end: what is measured. */
export function withoutPeer(metric: string): string {
  return metric.replace(/[_:. ]?(from|to|caller|callee|source|target|upstream|destination)[:=].*$/i, '');
}

/** An address inside a cluster (`cart.shop.svc:8080`) names its service; any other address stands for itself, without its port. */
function peerName(address: string): string {
  const host = address.replace(/:\d+$/, '');
  return /^([\w-]+)\.[\w-]+(?:\.svc(?:\..+)?)$/.exec(host)?.[1] ?? host;
}

/** Order matters: the first rule that matches the lower-cased name decides. */
const CLASS_BY_NAME: readonly (readonly [RegExp, MetricClass])[] = [
  [/^node(?!js)|[_.\- ]node(?![a-z]*js)|^host|[_.\- ]host([_.\- ]|$)/, 'node'],
  [/(^|[^a-z])cpu/, 'cpu'],
  [/(^|_)(process(es)?|pids?|pods?|containers?|replicas?)(_(count|number|total))?$/, 'other'],
  // Page faults and failed allocations count work, dropped packets and retransmissions traffic: neither is an amount or a failed request.
  [/page_?fault|pgfault|pgmaj|memory_fail/, 'other'],
  [/packet|retrans|(network|\btcp|^tcp).*(drop|err)/, 'network'],
  [/mem(?!ber)|heap|\brss\b|_rss|working_?set/, 'memory'],
  [/unavail|missing/, 'error'],
  [/avail|success/, 'availability'],
  [/error|fail|fault|5xx|4xx|exception|reject|timeout|drop|retrans|\berr/, 'error'],
  [/restart/, 'restart'],
  [/in_?flight|concurren/, 'queue'],
  [/queue|lag\b|backlog|pending|thread|connection|conn\b|pool|goroutine|(^|[^a-z])fds?(?![a-z])/, 'queue'],
  [/disk|fs_|filesystem|blkio|iops|\bio\b|diskio|syscall/, 'disk'],
  [/network|receive|transmit|\brx|\btx|packet|socket/, 'network'],
  [/request|workload|load|ops|qps|rps|throughput|calls|count|hits|invocation/, 'requests'],
  [/read|write/, 'disk'],
];

const LATENCY_NAME =
  /latenc|duration|response_?time|elapsed|delay|\brtt\b|_seconds\b(?!_)|request_time|(^|[_\W])p\d{2,3}(\b|_)|(client|server)p\d\d/;
const NOT_LATENCY = /(^|[^a-z])cpu|mem(?!ber)|heap|_count\b|_bucket\b|seconds_sum\b|seconds_total\b|^node|throttl/;

/** `requestCount` as `request_count`. */
export function inSnakeCase(metric: string): string {
  return metric.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}

/** Class of a metric by general naming convention; the unit decides where the name does not. */
export function classifyMetric(metric: string, unit: string | undefined): MetricClass {
  const name = inSnakeCase(metric);
  if (LATENCY_NAME.test(name) && !NOT_LATENCY.test(name)) return 'latency';
  for (const [pattern, metricClass] of CLASS_BY_NAME) if (pattern.test(name)) return metricClass;
  if (unit === 's' || unit === 'ms' || unit === 'us' || unit === 'ns') return 'latency';
  if (unit === 'By') return 'memory';
  return 'other';
}

/** Seconds in one unit of a latency metric, by its unit or by its name; 1 when nothing says otherwise. */
export function secondsPerUnit(metric: string, unit: string | undefined): number {
  const text = (unit ?? '').toLowerCase() || metric.toLowerCase();
  if (/^ns$|\(ns\)|_ns(?![a-z0-9])|nanosec/.test(text)) return 1e-9;
  if (/^[uµ]s$|\([uµ]s\)|_us(?![a-z0-9])|microsec/.test(text)) return 1e-6;
  if (/^ms$|\(ms\)|_ms(?![a-z0-9])|millisec|_milli/.test(text)) return 1e-3;
  return 1;
}

/** True when name or unit say percent. A share without either is one of a hundred when its values say so. */
export function saysPercent(metric: string, unit: string | undefined): boolean {
  return /%|percent/i.test(`${metric} ${unit ?? ''}`);
}

/** True when the metric is a share of something (percent or fraction), so that a rise is meaningful without a baseline. */
export function isShare(metric: string, unit: string | undefined): boolean {
  return unit === '%' || /%|percent|utili[sz]|(?<!du)ratio(?!n)/i.test(metric);
}
