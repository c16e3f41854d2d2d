import { findShift, type Shift } from './change-point.ts';
import { badDirection, isShare, saysPercent, secondsPerUnit, type MetricClass } from './metric-class.ts';
import { unitOf } from './metric-unit.ts';
import { deviationPercent } from './number-words.ts';
import { surpriseOf, type SeriesView } from './series-view.ts';
import { quantileOfSorted, sorted } from './statistics.ts';

/** Fewer samples than this say nothing about usual and unusual. */
export const MIN_POINTS = 6;
/** A change is worth the word "shifted" from three usual spreads on. */
const CLEAR_SURPRISE = 3;
/** Part of the first rise that makes a second one the same fault again. */
const AGAIN = 0.5;
/** What counts as recovered in between: so long, so near to usual. */
const CALM_ROWS = 3;
const CALM_MS = 60_000;
const CALM_PART = 0.25;

const RESOURCES: ReadonlySet<MetricClass> = new Set(['cpu', 'memory', 'queue', 'disk']);

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

/** Thousandths of a core are housekeeping, and so are tenths of a percent of a limit. */
const TRIFLING_CORES = 0.005;
const TRIFLING_SHARE = 0.003;

/** True when a resource moved by too little to matter to anybody, however rare that is for it. */
export function isTrifle(view: SeriesView): boolean {
  const { metricClass, metric, source, baseline } = view;
  if (!RESOURCES.has(metricClass)) return false;
  const moved = Math.abs(badDeviation(view));
  if (isShare(metric, source.unit)) {
    const isPercent = saysPercent(metric, source.unit) || baseline.median + moved > 1.5;
    return moved < TRIFLING_SHARE * (isPercent ? 100 : 1);
  }
  const unit = metricClass === 'cpu' ? unitOf(view) : undefined;
  if (unit === 'cores') return moved < TRIFLING_CORES;
  return unit === 'millicores' && moved < TRIFLING_CORES * 1000;
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
  const surprise = badSurprise(view);
  const ascending = sorted(values.subarray(incidentRows.from, incidentRows.to));
  const { peakAt, shift } = episodeOf(view, deviation, surprise >= CLEAR_SURPRISE);
  const peak = values[peakAt] ?? baseline.median;
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

interface Episode {
  readonly peakAt: number;
  readonly shift: Shift | undefined;
}

/**
 * The extreme of the incident window and the stretch around it. When that stretch ended before the alert and the series went up again by at
 * least half as much, the later one: the alert is about the trouble that came last, not about the one that was over.
 */
function episodeOf(view: SeriesView, deviation: number, isClear: boolean): Episode {
  const { values, incidentRows, triggerRow } = view;
  const usual = view.baseline.median;
  const isUpward = deviation >= 0 && badDirection(view.metricClass) !== 'down';
  const around = (from: number): Episode => {
    const peakAt = extremeRow(values, { from, to: incidentRows.to }, isUpward);
    return { peakAt, shift: isClear ? findShift(values, usual, deviation, peakAt) : undefined };
  };
  const first = around(incidentRows.from);
  const calmUntil = first.shift && lastCalm(view, first.shift, deviation);
  if (calmUntil === undefined) return first;
  const next = around(calmUntil);
  const isAsGrave = Math.abs((values[next.peakAt] ?? usual) - usual) >= AGAIN * Math.abs(deviation);
  if (!next.shift || !isAsGrave) return first;
  const from = Math.max(next.shift.from, calmUntil);
  return from > triggerRow ? first : { peakAt: next.peakAt, shift: { from, to: next.shift.to } };
}

/** The first row after the last calm before the alert: three samples and a minute or more at the usual level, once the shift had begun. */
function lastCalm(view: SeriesView, shift: Shift, deviation: number): number | undefined {
  const { values, baseline, triggerRow, stepMs, incidentRows } = view;
  const least = Math.max(CALM_ROWS, Math.ceil(CALM_MS / stepMs));
  let calmUntil: number | undefined;
  let length = 0;
  for (let row = shift.from; row < Math.min(triggerRow, incidentRows.to); row++) {
    const away = ((values[row] ?? baseline.median) - baseline.median) * Math.sign(deviation);
    length = away < CALM_PART * Math.abs(deviation) ? length + 1 : 0;
    if (length >= least) calmUntil = row + 1;
  }
  return calmUntil !== undefined && calmUntil < incidentRows.to ? calmUntil : undefined;
}

function extremeRow(values: Float64Array, rows: { from: number; to: number }, upward: boolean): number {
  let best = rows.from;
  for (let row = rows.from; row < rows.to; row++) {
    const [value, champion] = [values[row] ?? 0, values[best] ?? 0];
    if (upward ? value > champion : value < champion) best = row;
  }
  return best;
}
