import { isShare, secondsPerUnit, type MetricClass } from '../metrics/metric-class.ts';
import type { SeriesView } from '../metrics/series-view.ts';
import { largest, lowerBound } from '../metrics/statistics.ts';
import type { RankContext } from './clue.ts';

export type SymptomKind = 'latency' | 'failure';

const NAMES_LATENCY = /latenc|slow|duration|response.?time|p9\d|apdex/i;
const NAMES_FAILURE = /availab|error|5xx|fail|success|unreachable|down/i;

/** What the alert's words complain about; both when they name neither. */
export function namedSymptoms(alertText: string): ReadonlySet<SymptomKind> {
  const named: SymptomKind[] = [];
  if (NAMES_LATENCY.test(alertText)) named.push('latency');
  if (NAMES_FAILURE.test(alertText)) named.push('failure');
  return new Set(named.length ? named : ['latency', 'failure']);
}

export const SYMPTOM_CLASSES: Readonly<Record<SymptomKind, readonly MetricClass[]>> = {
  latency: ['latency'],
  failure: ['availability', 'error'],
};

const SYMPTOMS: ReadonlySet<MetricClass> = new Set(Object.values(SYMPTOM_CLASSES).flat());

/** True when several services measure what users feel: by latency, errors, availability or spans. */
export function measuresSymptom({ model }: RankContext): boolean {
  const { telemetry, services } = model;
  const carriers = new Set<string>();
  for (const { metricClass, service } of model.series) if (SYMPTOMS.has(metricClass)) carriers.add(service);
  for (const { service } of telemetry.spans) {
    if (carriers.size >= 2) break;
    carriers.add(services.canonical(service));
  }
  return carriers.size >= 2;
}

export interface SeriesWish {
  readonly classes: readonly MetricClass[];
  /** Prefer metrics that hold words of the alert. */
  readonly words?: readonly string[];
  /** Prefer this very metric. */
  readonly metric?: string;
  /** Only metrics that some other service carries too: a symptom nobody shares cannot be divided. */
  readonly sharedMetrics?: ReadonlySet<string>;
}

/** The series of a service that best represents a wish: the alert's words first, then averages before tails, callee side before client side. */
export function pickSeries(context: RankContext, service: string, wish: SeriesWish): SeriesView | undefined {
  let best: SeriesView | undefined;
  let bestScore = -Infinity;
  for (const view of context.seriesOf.get(service) ?? []) {
    if (view.edge || view.values.length < 2 || !wish.classes.includes(view.metricClass)) continue;
    if (wish.sharedMetrics && !wish.sharedMetrics.has(view.metric)) continue;
    const score = preference(view, wish);
    if (score > bestScore) [best, bestScore] = [view, score];
  }
  return best;
}

function preference(view: SeriesView, wish: SeriesWish): number {
  const name = view.metric.toLowerCase();
  let score = view.metric === wish.metric ? 10 : 0;
  if (view.source.fromAlert) score += 4;
  for (const word of wish.words ?? []) if (name.includes(word)) score += 2;
  if (/avg|average|mean/.test(name)) score += 1;
  else if (name.includes('50')) score += 0.8;
  else if (name.includes('90')) score += 0.6;
  else if (name.includes('95')) score += 0.5;
  return name.includes('client') ? score - 3 : score;
}

/**
 * The badness a series measures, one figure a sample: seconds for latency; for failures the bad fraction of requests, or
 * a count that is already a flow (`perRequest` false).
 */
export interface Badness {
  readonly values: Float64Array;
  readonly perRequest: boolean;
}

export function badnessOf(view: SeriesView): Badness {
  const { values, metricClass, metric, source } = view;
  if (metricClass === 'latency') {
    const seconds = secondsPerUnit(metric, source.unit);
    return { values: values.map((value) => value * seconds), perRequest: true };
  }
  const highest = largest(values);
  const whole = highest > 1.5 ? 100 : 1;
  if (metricClass === 'availability') return { values: values.map((value) => 1 - value / whole), perRequest: true };
  const isFraction = isShare(metric, source.unit) || /rate/i.test(metric) || highest <= 1;
  if (source.unit === '1/s' || view.isRate || !isFraction) return { values, perRequest: false };
  return { values: values.map((value) => value / whole), perRequest: true };
}

/** Value nearest in time to each grid point, NaN where none lies within some 0.6 of `stepMs`. */
export function onGrid(
  { timesMs, values }: Pick<SeriesView, 'timesMs' | 'values'>,
  gridMs: Float64Array,
  stepMs: number,
): Float64Array {
  const toleranceMs = Math.max(1000, 0.6 * stepMs);
  return gridMs.map((time) => {
    const row = nearestRow(timesMs, time);
    return row !== undefined && Math.abs((timesMs[row] ?? 0) - time) <= toleranceMs ? (values[row] ?? 0) : NaN;
  });
}

function nearestRow(timesMs: Float64Array, timeMs: number): number | undefined {
  if (timesMs.length === 0) return undefined;
  const after = Math.min(lowerBound(timesMs, timeMs), timesMs.length - 1);
  const before = Math.max(0, after - 1);
  const isAfterNearer = Math.abs((timesMs[after] ?? 0) - timeMs) <= Math.abs((timesMs[before] ?? 0) - timeMs);
  return isAfterNearer ? after : before;
}
