import { findShift } from './change-point.ts';
import { badDirection, isShare, saysPercent, secondsPerUnit } from './metric-class.ts';
import { deviationPercent } from './number-words.ts';
import { surpriseOf, type SeriesView } from './series-view.ts';
import { quantileOfSorted, sorted } from './statistics.ts';

/** Fewer samples than this say nothing about usual and unusual. */
export const MIN_POINTS = 6;
/** A change is worth the word "shifted" from three usual spreads on. */
const CLEAR_SURPRISE = 3;

/** What one series says about the incident (SPEC C2). Every number is finite; times are epoch ms. */
export interface MetricFeatures {
  readonly baseline: number;
  /** Most extreme sample of the incident window in the metric's bad direction. */
  readonly peak: number;
  readonly peakAtMs: number;
  /** Null when the baseline is 0. */
  readonly deviationPercent: number | null;
  /** Robust z of the best contiguous piece, ≥ 0. */
  readonly surprise: number;
  /** Absent when no clear shift was found. `ongoing`: it lasts to the last sample. */
  readonly shift: { readonly fromMs: number; readonly durationMs: number; readonly ongoing: boolean } | undefined;
  /** Over the incident window. */
  readonly p95: number;
  readonly p99: number;
}

export type FeaturesOf = { readonly kind: 'features'; readonly features: MetricFeatures } | InsufficientPoints;
export interface InsufficientPoints {
  readonly kind: 'insufficient';
  readonly points: number;
}

/** Deviation of the best piece in the bad direction, signed by that direction: positive up, negative down. */
export function badDeviation(view: SeriesView): number {
  const { rise, fall } = view.incident;
  const direction = badDirection(view.metricClass);
  if (direction === 'up') return Math.max(0, rise);
  if (direction === 'down') return -Math.max(0, fall);
  return rise >= fall ? Math.max(0, rise) : -Math.max(0, fall);
}

/** Usual spread on the side of the deviation, widened where the baseline has a one-sided tail. */
function spreadTowards(view: SeriesView, deviation: number): number {
  const { median, q05, q95, spread } = view.baseline;
  return Math.max(spread, 0.4 * (deviation >= 0 ? q95 - median : median - q05));
}

/** Changes below these are noise whatever the spread: 2 ms of latency, 3 points of a percent CPU metric. */
export function absoluteFloor(view: SeriesView): number {
  const { metricClass, metric, source } = view;
  if (metricClass === 'latency') return 0.002 / secondsPerUnit(metric, source.unit);
  if (metricClass === 'cpu' && isShare(metric, source.unit)) {
    const isPercent = saysPercent(metric, source.unit) || Math.max(view.baseline.q95, view.incident.rise) > 1.5;
    return isPercent ? 3 : 0.03;
  }
  return 0;
}

/** Robust z of a series in its bad direction. */
export function badSurprise(view: SeriesView): number {
  const deviation = badDeviation(view);
  return surpriseOf(view, Math.abs(deviation), spreadTowards(view, deviation), absoluteFloor(view));
}

export function metricFeatures(view: SeriesView): FeaturesOf {
  const { values, timesMs, baseline, incidentRows } = view;
  if (values.length < MIN_POINTS || baseline.count === 0 || view.incident.count === 0) {
    return { kind: 'insufficient', points: values.length };
  }
  const deviation = badDeviation(view);
  const peakAt = extremeRow(values, incidentRows, deviation >= 0 && badDirection(view.metricClass) !== 'down');
  const peak = values[peakAt] ?? baseline.median;
  const surprise = badSurprise(view);
  const ascending = sorted(values.subarray(incidentRows.from, incidentRows.to));
  const shift = surprise >= CLEAR_SURPRISE ? findShift(values, baseline.median, deviation, peakAt) : undefined;
  const at = (row: number) => timesMs[row] ?? 0;
  return {
    kind: 'features',
    features: {
      baseline: baseline.median,
      peak,
      peakAtMs: at(peakAt),
      deviationPercent: deviationPercent(baseline.median, peak),
      surprise,
      shift: shift && {
        fromMs: at(shift.from),
        // A sample stands for the time up to the next one.
        durationMs: at(shift.to) - at(shift.from) + view.stepMs,
        ongoing: shift.to === values.length - 1,
      },
      p95: quantileOfSorted(ascending, 0.95),
      p99: quantileOfSorted(ascending, 0.99),
    },
  };
}

function extremeRow(values: Float64Array, rows: { from: number; to: number }, upward: boolean): number {
  let best = rows.from;
  for (let row = rows.from; row < rows.to; row++) {
    const [value, champion] = [values[row] ?? 0, values[best] ?? 0];
    if (upward ? value > champion : value < champion) best = row;
  }
  return best;
}
