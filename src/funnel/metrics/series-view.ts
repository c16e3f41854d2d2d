import type { ShownExpression } from './alert-expression.ts';
import type { MetricSeries } from '../../domain/telemetry.ts';
import { classifyMetric, edgeOfMetric, RELATIVE_FLOOR, type EdgeOfMetric, type MetricClass } from './metric-class.ts';
import { extremePieces, lowerBound, quantileOfSorted, sorted } from './statistics.ts';
import { ratesOf } from './usable-samples.ts';

/** A call edge by canonical names, and the end at which a series measures it. */
export interface CallEdge {
  readonly caller: string;
  readonly callee: string;
  readonly measuredAt: EdgeOfMetric['measuredAt'];
}

/** Where the incident lies, epoch ms: `fromMs`–`toMs` around the trigger; all before is baseline. */
export interface IncidentWindow {
  readonly fromMs: number;
  readonly toMs: number;
  /** Absent where only the levels are asked for. */
  readonly triggerMs?: number;
}

/** Usual behaviour before the incident. Robust: earlier incidents may lie inside it. `count` 0 means there is none. */
export interface Baseline {
  readonly count: number;
  readonly median: number;
  /** Robust standard deviation: max(IQR/1.349, (q95−q05)/3.29). */
  readonly spread: number;
  readonly q05: number;
  readonly q10: number;
  readonly q90: number;
  readonly q95: number;
}

/** Behaviour in the incident window, as the most extreme contiguous piece, so that no onset needs to be known. */
export interface IncidentLevel {
  readonly count: number;
  /** Best piece above and below the baseline median, in the series' unit; may be negative. */
  readonly rise: number;
  readonly fall: number;
}

/** A series with what the funnel knows of it: class, usual behaviour, behaviour in the incident. Values keep the series' unit. */
export interface SeriesView {
  /** Unique in the incident: `metric:<service>/<metric>`, with the instance or labels where several series share that. */
  readonly key: string;
  readonly service: string;
  readonly metric: string;
  /** The pod or label set that tells this series from others of the same service and metric. */
  readonly instance: string | undefined;
  readonly source: MetricSeries;
  readonly metricClass: MetricClass;
  /** Set on a series of the alert's own expression. */
  readonly expression: ShownExpression | undefined;
  /** Set on a per-edge metric. */
  readonly edge: CallEdge | undefined;
  /** True when samples are rates per second of a counter. */
  readonly isRate: boolean;
  readonly timesMs: Float64Array;
  readonly values: Float64Array;
  /** Samples at indices `from` to `to` (exclusive) lie in the incident window. */
  readonly incidentRows: { readonly from: number; readonly to: number };
  /** First row after the alert, one sample later at most, since a sample tells of the time before it. */
  readonly triggerRow: number;
  readonly stepMs: number;
  readonly baseline: Baseline;
  readonly incident: IncidentLevel;
  /** True when fewer than 5 samples precede the incident, so that the baseline is taken from the first third. */
  readonly sparse: boolean;
  readonly constant: boolean;
}

const MIN_BASELINE_ROWS = 5;
const PIECE_MS = 60_000;
/** A level from a sparse baseline counts less: the baseline may already hold the incident. */
const SPARSE_DAMPING = 0.7;

export function baselineOf(values: Float64Array): Baseline {
  const ascending = sorted(values);
  const at = (q: number) => quantileOfSorted(ascending, q);
  const [q05, q95] = [at(0.05), at(0.95)];
  return {
    count: ascending.length,
    median: at(0.5),
    spread: Math.max((at(0.75) - at(0.25)) / 1.349, (q95 - q05) / 3.29),
    q05,
    q10: at(0.1),
    q90: at(0.9),
    q95,
  };
}

/** Rows that make the best piece: a minute, at least two samples; one when a sample already stands for more than 2 minutes. */
function pieceRows(stepMs: number, available: number): number {
  const least = stepMs <= 120_000 ? 2 : 1;
  return Math.max(1, Math.min(available, Math.max(least, Math.round(PIECE_MS / stepMs))));
}

/** Baseline and incident level of samples around a window. `timesMs` ascending, as long as `values`. */
export function measureLevel(timesMs: Float64Array, values: Float64Array, window: IncidentWindow, stepMs: number) {
  const from = lowerBound(timesMs, window.fromMs);
  const to = lowerBound(timesMs, window.toMs + 1);
  let before = values.subarray(0, from);
  const sparse = before.length < MIN_BASELINE_ROWS;
  if (sparse) {
    const rows = Math.max(1, Math.min(Math.floor(values.length / 3), 20));
    if (before.length < Math.max(2, rows)) before = values.subarray(0, rows);
  }
  const baseline = baselineOf(before);
  const inside = values.subarray(from, to);
  let rise = 0;
  let fall = 0;
  if (inside.length && baseline.count) {
    const pieces = extremePieces(inside, pieceRows(stepMs, inside.length));
    const damping = sparse ? SPARSE_DAMPING : 1;
    rise = (pieces.high - baseline.median) * damping;
    fall = (baseline.median - pieces.low) * damping;
  }
  return { incidentRows: { from, to }, baseline, sparse, incident: { count: inside.length, rise, fall } };
}

function isConstant(values: Float64Array): boolean {
  const first = values[0];
  return values.every((value) => value === first);
}

export interface ViewContext {
  readonly window: IncidentWindow;
  readonly stepMs: number;
  readonly key: string;
  readonly service: string;
  readonly instance: string | undefined;
  readonly expression?: ShownExpression | undefined;
  readonly canonical: (name: string) => string;
}

/** Measures one series, whose samples are usable ones. */
export function viewSeries(source: MetricSeries, context: ViewContext): SeriesView {
  const { timesMs, values, isRate } = ratesOf(source);
  return {
    key: context.key,
    service: context.service,
    metric: source.metric,
    instance: context.instance,
    expression: context.expression,
    source,
    metricClass: classifyMetric(namedMetric(source), source.unit),
    edge: edgeOf(source.metric, context),
    isRate,
    timesMs,
    values,
    triggerRow: lowerBound(timesMs, (context.window.triggerMs ?? context.window.toMs) + context.stepMs),
    stepMs: context.stepMs,
    constant: isConstant(values),
    ...measureLevel(timesMs, values, context.window, context.stepMs),
  };
}

/** An alert's expression whose result has no name of its own is called after the alert; what it measures stands in the expression. */
function namedMetric({ metric, query, fromAlert }: MetricSeries): string {
  return fromAlert && metric.startsWith('alert:') && query !== undefined ? `${metric} ${query}` : metric;
}

function edgeOf(metric: string, { service, canonical }: ViewContext): CallEdge | undefined {
  const edge = edgeOfMetric(metric);
  if (!edge) return undefined;
  const peer = canonical(edge.peer);
  const ends = edge.peerIs === 'caller' ? { caller: peer, callee: service } : { caller: service, callee: peer };
  return { ...ends, measuredAt: edge.measuredAt };
}

/** How far a deviation stands out of the usual spread and the class's relative floor: a robust z, ≥ 0, always finite. */
export function surpriseOf(view: SeriesView, deviation: number, spread: number, extraFloor = 0): number {
  if (deviation <= 0) return 0;
  const noise = spread + RELATIVE_FLOOR[view.metricClass] * Math.abs(view.baseline.median) + extraFloor;
  // Without any noise (a baseline of constant zeros) every change is certain, yet bounded.
  return noise > 0 ? Math.min(deviation / noise, 1e6) : 20;
}
