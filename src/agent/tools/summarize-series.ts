import type { EvidenceDraft } from '../../domain/evidence.ts';
import { relativeTime } from '../../domain/relative-time.ts';
import type { MetricSeries } from '../../domain/telemetry.ts';
import { deviationPercent } from '../../funnel/metrics/number-words.ts';
import { lowerBound, median } from '../../funnel/metrics/statistics.ts';
import type { CitedLine } from '../evidence/cited-line.ts';
import {
  changeInPercent,
  figure,
  finitePoints,
  summarizeMetric,
  type MetricFigures,
} from '../evidence/metric-summary.ts';
import { momentText } from '../evidence/moments.ts';

const ENOUGH_POINTS = 6;
const MINUTE_MS = 60_000;

export interface SeriesSummary extends CitedLine {
  /** How far the peak since the alert's beginning lies from the usual value, in percent of it, for sorting; 0 when unknown. */
  readonly deviation: number;
}

/**
 * One series in words: the figures of SPEC A14 with their times, and the value since the alert against the one before it. Nothing is read into a
 * series that never moved.
 */
export function summarizeSeries(series: MetricSeries, triggerMs: number, searched: string): SeriesSummary {
  const name = seriesName(series);
  const summary = summarizeMetric(series);
  const figures = 'latest' in summary ? summary : undefined;
  const isConstant = figures !== undefined && figures.min.value === figures.max.value;
  const change = isConstant ? NO_CHANGE : compareWithBefore(series, triggerMs);
  const words = isConstant
    ? `${summary.summary}, never another value`
    : [summary.summary, ...(figures ? [extremesText(figures, triggerMs)] : [])].join('; ');
  const draft: EvidenceDraft = {
    kind: 'metric',
    service: series.service,
    statement: `${name}: ${change.text}${words}`,
    atMs: change.peakMs,
    query: series.query ?? searched,
    ...(series.link ? { link: series.link } : {}),
    numbers: [...change.numbers, ...(figures ? numbersOf(figures) : [])],
  };
  return { draft, key: `tool:${searched}:${name}`, deviation: change.deviation };
}

function seriesName(series: MetricSeries): string {
  const labels = Object.entries(series.labels ?? {}).map(([label, value]) => `${label}=${value}`);
  return `${series.service} ${series.metric}${series.unit ? ` (${series.unit})` : ''}${labels.length ? ` {${labels.join(', ')}}` : ''}`;
}

/** Where the extremes lie, and whether the peak is over. */
function extremesText({ min, max, peak_to_latest_change }: MetricFigures, triggerMs: number): string {
  const extremes = `min ${figure(min.value)} ${relativeTime(min.atMs, triggerMs)}, max ${figure(max.value)} ${relativeTime(max.atMs, triggerMs)}`;
  return peak_to_latest_change < 0 ? `${extremes}, since then down by ${figure(-peak_to_latest_change)}` : extremes;
}

function numbersOf({ first, latest, min, max, mean, p95, delta, delta_pct, peak_to_latest_change }: MetricFigures) {
  const values = [first, latest, min, max].map(({ value }) => value);
  return [...values, mean, p95, delta, peak_to_latest_change, ...(delta_pct === null ? [] : [delta_pct])];
}

const NO_CHANGE = { text: '', numbers: [] as number[], deviation: 0, peakMs: undefined };

/** Said once for all lines. */
export const USUAL = 'Usual is the median up to 5 min before the alert.';

/** The usual value, and the value since then that lies farthest from it. */
function compareWithBefore(series: MetricSeries, triggerMs: number) {
  const points = finitePoints(series);
  const values = points.map(({ value }) => value);
  const times = points.map(({ atMs }) => atMs);
  if (values.length === 0) return NO_CHANGE;
  if (values.length < ENOUGH_POINTS) return { ...NO_CHANGE, text: 'insufficient points for a baseline; ' };
  const split = lowerBound(times, triggerMs - 5 * MINUTE_MS);
  if (split < ENOUGH_POINTS || split === values.length) return NO_CHANGE;
  const baseline = median(values.slice(0, split));
  const peak = farthest(values, split, baseline);
  const value = values[peak] ?? 0;
  const peakMs = times[peak] ?? triggerMs;
  const deviation = deviationPercent(baseline, value);
  return {
    text: `usual ${figure(baseline)}, then farthest from it ${figure(value)} (${changeInPercent(baseline, value)}) ${momentText(peakMs, triggerMs)}; `,
    numbers: [baseline, value, ...(deviation === null ? [] : [deviation])],
    deviation: Math.abs(deviation ?? (value === 0 ? 0 : Infinity)),
    peakMs,
  };
}

function farthest(values: readonly number[], from: number, baseline: number): number {
  let best = from;
  for (let i = from; i < values.length; i++) {
    if (Math.abs((values[i] ?? 0) - baseline) > Math.abs((values[best] ?? 0) - baseline)) best = i;
  }
  return best;
}
