import type { EvidenceDraft } from '../../domain/evidence.ts';
import { relativeTime } from '../../domain/relative-time.ts';
import type { MetricSeries } from '../../domain/telemetry.ts';
import { deviationPercent } from '../../funnel/metrics/number-words.ts';
import { lowerBound, median, quantile, sum } from '../../funnel/metrics/statistics.ts';

const ENOUGH_POINTS = 6;
const MINUTE_MS = 60_000;

export interface SeriesSummary {
  readonly draft: EvidenceDraft;
  /** Which search and which series: the same summary twice is the same evidence. */
  readonly key: string;
  /** How far the peak since the alert's beginning lies from the usual value, in percent of it, for sorting; 0 when unknown. */
  readonly deviation: number;
}

/** One series in words: extent, extremes with their times, trend, and the value since the alert against the one before it. */
export function summarizeSeries(series: MetricSeries, triggerMs: number, searched: string): SeriesSummary {
  const name = seriesName(series);
  const points = finitePoints(series);
  const facts = points.values.length === 0 ? { text: 'no datapoints', numbers: [] } : describe(points, triggerMs);
  const change = compareWithBefore(points, triggerMs);
  const draft: EvidenceDraft = {
    kind: 'metric',
    service: series.service,
    statement: `${name}: ${facts.text}${change.text}`,
    atMs: change.peakMs,
    query: series.query ?? searched,
    ...(series.link ? { link: series.link } : {}),
    numbers: [...facts.numbers, ...change.numbers],
  };
  return { draft, key: `tool:${searched}:${name}`, deviation: change.deviation };
}

function seriesName(series: MetricSeries): string {
  const labels = Object.entries(series.labels ?? {}).map(([label, value]) => `${label}=${value}`);
  return `${series.service} ${series.metric}${series.unit ? ` (${series.unit})` : ''}${labels.length ? ` {${labels.join(', ')}}` : ''}`;
}

interface Points {
  readonly times: readonly number[];
  readonly values: readonly number[];
}

/** One NaN would make every figure NaN. */
function finitePoints(series: MetricSeries): Points {
  const kept = [...series.values.keys()].filter((i) => Number.isFinite(series.values[i]));
  return { times: kept.map((i) => series.timesMs[i] ?? 0), values: kept.map((i) => series.values[i] ?? 0) };
}

function describe({ times, values }: Points, triggerMs: number) {
  const first = values[0] ?? 0;
  const latest = values.at(-1) ?? 0;
  const [low, high] = extremes(values);
  const mean = sum(values) / values.length;
  const p95 = quantile(values, 0.95);
  const when = (index: number) => relativeTime(times[index] ?? 0, triggerMs);
  const minutes = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / MINUTE_MS;
  const at = (index: number) => values[index] ?? 0;
  const text =
    `${values.length} points over ${minutes.toFixed(1)} min; first ${figure(first)}, latest ${figure(latest)} (${trend(first, latest)}); ` +
    `min ${figure(at(low))} ${when(low)}, max ${figure(at(high))} ${when(high)}; mean ${figure(mean)}, p95 ${figure(p95)}`;
  return { text, numbers: [first, latest, at(low), at(high), mean, p95, latest - first] };
}

/** Index of the first lowest and of the first highest value. */
function extremes(values: readonly number[]): [number, number] {
  let low = 0;
  let high = 0;
  for (let i = 1; i < values.length; i++) {
    if ((values[i] ?? 0) < (values[low] ?? 0)) low = i;
    if ((values[i] ?? 0) > (values[high] ?? 0)) high = i;
  }
  return [low, high];
}

function trend(first: number, latest: number): string {
  const delta = latest - first;
  if (delta === 0) return 'flat';
  const word = delta > 0 ? 'increased' : 'decreased';
  return `${word} by ${figure(Math.abs(delta))}, ${changeInPercent(first, latest)}`;
}

const NO_CHANGE = { text: '', numbers: [] as number[], deviation: 0, peakMs: undefined };

/** Usual value = median before the alert; the peak is the value since then that lies farthest from it. */
function compareWithBefore({ times, values }: Points, triggerMs: number) {
  if (values.length === 0) return NO_CHANGE;
  if (values.length < ENOUGH_POINTS) return { ...NO_CHANGE, text: '; insufficient points for a baseline' };
  const split = lowerBound(times, triggerMs - 5 * MINUTE_MS);
  if (split < ENOUGH_POINTS || split === values.length) return NO_CHANGE;
  const baseline = median(values.slice(0, split));
  const peak = farthest(values, split, baseline);
  const value = values[peak] ?? 0;
  const peakMs = times[peak] ?? triggerMs;
  const deviation = deviationPercent(baseline, value);
  return {
    text:
      `; usual ${figure(baseline)} (median up to 5 min before the alert), ` +
      `then farthest from it ${figure(value)} ${relativeTime(peakMs, triggerMs)} (${changeInPercent(baseline, value)})`,
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

/** Four significant digits, never in exponent form for ordinary sizes. */
function figure(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 1000 ? value.toFixed(1) : String(Number(value.toPrecision(4)));
}

function changeInPercent(from: number, to: number): string {
  const percent = deviationPercent(from, to);
  if (percent === null) return to === 0 ? 'unchanged at zero' : 'from zero';
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)} %`;
}
