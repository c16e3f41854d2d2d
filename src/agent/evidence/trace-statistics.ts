import type { Span, SpanStats } from '../../domain/telemetry.ts';
import { median, quantile } from '../../funnel/metrics/statistics.ts';
import type { CitedLine } from './cited-line.ts';
import { changeInPercent } from './metric-summary.ts';
import { durationText, momentText } from './moments.ts';
import { placeSpans, tracesOf } from './trace-tree.ts';

/** Before this nothing of the incident is seen yet, as for metrics. */
const BEFORE_ALERT_MS = 5 * 60_000;
/** Fewer calls tell nothing about what is usual. */
const ENOUGH_CALLS = 5;

/** A line about the calls of one operation, and how much worse they became, for sorting. */
interface RatedLine {
  readonly line: CitedLine;
  readonly weight: number;
}

interface Call {
  readonly atMs: number;
  readonly durationMs: number;
  readonly ownMs: number;
  readonly isError: boolean;
}

/**
 * Calls by service and operation: how many, how long, how many failed, and how that was before the alert. Own time is without that of the calls that
 * were waited for: it tells who is slow from who waits. What became worst comes first.
 */
export function callStatistics(spans: readonly Span[], searched: string, triggerMs: number): readonly CitedLine[] {
  const groups = new Map<string, { readonly service: string; readonly operation: string; readonly calls: Call[] }>();
  for (const trace of tracesOf(spans).values()) {
    const startMs = trace.reduce((first, { timeUs }) => Math.min(first, timeUs), Infinity) / 1000;
    for (const { service, operation, ...span } of placeSpans(trace)) {
      const key = JSON.stringify([service, operation]);
      const group = groups.get(key) ?? { service, operation, calls: [] };
      groups.set(key, group);
      group.calls.push({ ...span, atMs: startMs + span.startMs });
    }
  }
  return [...groups.values()]
    .map(({ service, operation, calls }) => describeCalls(service, operation, calls, searched, triggerMs))
    .sort((a, b) => b.weight - a.weight)
    .map(({ line }) => line);
}

function describeCalls(
  service: string,
  operation: string,
  calls: readonly Call[],
  searched: string,
  triggerMs: number,
): RatedLine {
  const before = calls.filter(({ atMs }) => atMs < triggerMs - BEFORE_ALERT_MS);
  const since = calls.filter(({ atMs }) => atMs >= triggerMs - BEFORE_ALERT_MS);
  const isCompared = before.length >= ENOUGH_CALLS && since.length >= ENOUGH_CALLS;
  const current = isCompared ? since : calls;
  const now = figuresOf(current);
  const usual = isCompared ? figuresOf(before) : undefined;
  const worst = current.reduce((most, call) => (call.durationMs > most.durationMs ? call : most));
  const period = isCompared ? ' since 5 min before the alert' : '';
  const parts = [
    `${service} ${operation}: ${now.count} calls${period}`,
    `p50 ${durationText(now.p50)}, p95 ${durationText(now.p95)} (own time ${durationText(now.ownP95)})`,
    `slowest ${durationText(worst.durationMs)} ${momentText(worst.atMs, triggerMs)}`,
    ...(now.errors > 0 ? [`${now.errors} failed`] : []),
    ...(usual
      ? [
          `earlier ${usual.count} calls, p95 ${durationText(usual.p95)}, ${usual.errors} failed: p95 ${changeInPercent(usual.p95, now.p95)}`,
        ]
      : []),
  ];
  const numbers = [now, ...(usual ? [usual] : [])].flatMap((one) => [
    one.count,
    one.p50,
    one.p95,
    one.ownP95,
    one.errors,
  ]);
  const draft = {
    kind: 'trace' as const,
    service,
    statement: parts.join('; '),
    atMs: worst.atMs,
    query: searched,
    numbers: [...numbers, worst.durationMs],
  };
  const moreErrors = now.errors / now.count - (usual ? usual.errors / usual.count : 0);
  const weight = ERRORS_WEIGH * moreErrors + slower(now.ownP95, usual?.ownP95);
  return { line: { key: `calls:${searched}:${service}:${operation}`, draft }, weight };
}

/** All calls failing weighs as much as becoming slower by some 20 s. */
const ERRORS_WEIGH = 10;

/** By how many ms, on a scale on which ten times as many are a step. */
function slower(nowMs: number, usualMs = 0): number {
  return Math.log1p(Math.max(0, nowMs - usualMs));
}

function figuresOf(calls: readonly Call[]) {
  const durations = calls.map(({ durationMs }) => durationMs);
  return {
    count: calls.length,
    errors: calls.filter(({ isError }) => isError).length,
    p50: median(durations),
    p95: quantile(durations, 0.95),
    ownP95: quantile(
      calls.map(({ ownMs }) => ownMs),
      0.95,
    ),
  };
}

/** The same of calls that a source has counted in buckets of time: medians over buckets, no errors, no single calls. */
export function countedStatistics(
  stats: readonly SpanStats[],
  searched: string,
  triggerMs: number,
): readonly CitedLine[] {
  const groups = new Map<string, SpanStats[]>();
  for (const bucket of stats) {
    const key = JSON.stringify([bucket.service, bucket.operation, bucket.parentService]);
    const group = groups.get(key);
    if (group) group.push(bucket);
    else groups.set(key, [bucket]);
  }
  return [...groups]
    .map(([key, buckets]) => describeBuckets(`counted:${searched}:${key}`, buckets, searched, triggerMs))
    .sort((a, b) => b.weight - a.weight)
    .map(({ line }) => line);
}

function describeBuckets(key: string, buckets: readonly SpanStats[], searched: string, triggerMs: number): RatedLine {
  const [{ service, operation, parentService }] = buckets as [SpanStats];
  const before = buckets.filter(({ timeMs }) => timeMs < triggerMs - BEFORE_ALERT_MS);
  const since = buckets.filter(({ timeMs }) => timeMs >= triggerMs - BEFORE_ALERT_MS);
  const isCompared = before.length >= ENOUGH_CALLS && since.length > 0;
  const current = isCompared ? since : buckets;
  const p95 = (list: readonly SpanStats[]) => median(list.map(({ p95Us }) => p95Us / 1000));
  const [now, usual] = [p95(current), isCompared ? p95(before) : undefined];
  const count = current.reduce((sum, bucket) => sum + bucket.count, 0);
  const worst = current.reduce((most, bucket) => (bucket.p95Us > most.p95Us ? bucket : most));
  const p50 = median(current.map(({ p50Us }) => p50Us / 1000));
  const parts = [
    `${service} ${operation}${parentService ? ` called by ${parentService}` : ''}: ${count} calls${isCompared ? ' since 5 min before the alert' : ''}`,
    `p50 ${durationText(p50)}, p95 ${durationText(now)} (medians of ${current.length} counts)`,
    `highest p95 ${durationText(worst.p95Us / 1000)} ${momentText(worst.timeMs, triggerMs)}`,
    ...(usual === undefined ? [] : [`earlier p95 ${durationText(usual)}: ${changeInPercent(usual, now)}`]),
  ];
  const draft = {
    kind: 'trace' as const,
    service,
    statement: parts.join('; '),
    atMs: worst.timeMs,
    query: searched,
    numbers: [count, p50, now, worst.p95Us / 1000, ...(usual === undefined ? [] : [usual])],
  };
  return { line: { key, draft }, weight: slower(now, usual) };
}
