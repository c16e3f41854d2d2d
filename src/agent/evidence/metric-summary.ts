import type { Labels } from '../../domain/labels.ts';
import type { MetricSeries } from '../../domain/telemetry.ts';
import { deviationPercent } from '../../funnel/metrics/number-words.ts';
import { quantile, sum } from '../../funnel/metrics/statistics.ts';

const MINUTE_MS = 60_000;

export interface MetricPoint {
  readonly value: number;
  readonly atMs: number;
}

/** What a series says in figures (SPEC A14); without a finite point only that there is none. */
export type MetricSummary = MetricIdentity | (MetricIdentity & MetricFigures);

interface MetricIdentity {
  /** Service and name, for people. */
  readonly metric_name: string;
  readonly raw_metric_name: string;
  readonly labels: Labels;
  /** Finite points: others are dropped before anything is computed, or one of them would poison every figure. */
  readonly datapoint_count: number;
  /** `increased by 15, from zero`, `decreased by 2, -50.0 %`, `flat`, `no datapoints`: the first point against the latest. */
  readonly trend: string;
  /** The figures that need no clock, in words. */
  readonly summary: string;
}

export interface MetricFigures {
  readonly first: MetricPoint;
  readonly latest: MetricPoint;
  /** The first of the lowest and of the highest. */
  readonly min: MetricPoint;
  readonly max: MetricPoint;
  /** The highest point: what came after it tells whether it is over. */
  readonly peak: MetricPoint;
  /** Four decimal places; of less than 0.01, four significant digits. */
  readonly mean: number;
  /** Linear interpolation at rank 0.95 · (n − 1). */
  readonly p95: number;
  readonly delta: number;
  /** Of the first value; null when that is 0. */
  readonly delta_pct: number | null;
  /** Latest minus peak: 0 while the peak lasts. */
  readonly peak_to_latest_change: number;
  /** One decimal place. */
  readonly window_minutes: number;
}

/** Sums up one series over its whole range. Pure; never NaN. */
export function summarizeMetric(series: MetricSeries): MetricSummary {
  const points = finitePoints(series);
  const figures = figuresOf(points);
  const trend = figures ? trendOf(figures) : 'no datapoints';
  return {
    metric_name: `${series.service} ${series.metric}`,
    raw_metric_name: series.metric,
    labels: series.labels ?? {},
    datapoint_count: points.length,
    trend,
    summary: figures ? inWords(figures, points.length, trend) : trend,
    ...figures,
  };
}

function inWords({ first, latest, mean, p95, window_minutes }: MetricFigures, count: number, trend: string): string {
  const span = `${count} points over ${window_minutes.toFixed(1)} min`;
  return `${span}; first ${figure(first.value)}, latest ${figure(latest.value)} (${trend}); mean ${figure(mean)}, p95 ${figure(p95)}`;
}

export function finitePoints({ timesMs, values }: MetricSeries): readonly MetricPoint[] {
  return Array.from(values, (value, i) => ({ value, atMs: timesMs[i] ?? 0 })).filter(({ value }) =>
    Number.isFinite(value),
  );
}

function figuresOf(points: readonly MetricPoint[]): MetricFigures | undefined {
  const [first] = points;
  const latest = points.at(-1);
  if (!first || !latest) return undefined;
  const values = points.map(({ value }) => value);
  const [min, max] = extremes(points, first);
  return {
    first,
    latest,
    min,
    max,
    peak: max,
    mean: roundedMean(sum(values) / values.length),
    p95: quantile(values, 0.95),
    delta: latest.value - first.value,
    delta_pct: deviationPercent(first.value, latest.value),
    peak_to_latest_change: latest.value - max.value,
    window_minutes: Math.round(((latest.atMs - first.atMs) / MINUTE_MS) * 10) / 10,
  };
}

function roundedMean(mean: number): number {
  return Math.abs(mean) < 0.01 ? Number(mean.toPrecision(4)) : Math.round(mean * 1e4) / 1e4;
}

function extremes(points: readonly MetricPoint[], first: MetricPoint): readonly [MetricPoint, MetricPoint] {
  let [low, high] = [first, first];
  for (const point of points) {
    if (point.value < low.value) low = point;
    if (point.value > high.value) high = point;
  }
  return [low, high];
}

function trendOf({ first, latest, delta }: MetricFigures): string {
  if (delta === 0) return 'flat';
  const word = delta > 0 ? 'increased' : 'decreased';
  return `${word} by ${figure(Math.abs(delta))}, ${changeInPercent(first.value, latest.value)}`;
}

/** Four significant digits, never in exponent form for ordinary sizes. */
export function figure(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 1000 ? value.toFixed(1) : String(Number(value.toPrecision(4)));
}

/** `+6647.0 %`, `from zero`, `unchanged at zero`: nothing is a percentage of zero. */
export function changeInPercent(from: number, to: number): string {
  const percent = deviationPercent(from, to);
  if (percent === null) return to === 0 ? 'unchanged at zero' : 'from zero';
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)} %`;
}
