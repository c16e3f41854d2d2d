import type { EvidenceDraft } from '../../domain/evidence.ts';
import { duration, relativeTime } from '../../domain/relative-time.ts';
import { displayUnit } from './metric-class.ts';
import { metricFeatures, type MetricFeatures } from './metric-features.ts';
import { numberWord, quantityWord } from './number-words.ts';
import type { SeriesView } from './series-view.ts';

/** Evidence of one series in words, with its key, so that a layer and the ranker speak of the same piece of evidence. */
export interface Fact {
  readonly key: string;
  readonly evidence: EvidenceDraft;
}

const MAX_NAME = 60;

/** `metric:<service>/<metric>` with a one-line statement of at most about 60 tokens; times relative to the trigger (SPEC C7). */
export function metricFact(view: SeriesView, triggerMs: number): Fact {
  const unit = unitOf(view);
  const result = metricFeatures(view);
  const name = `${view.service} ${nameOf(view)}`;
  const { query, link } = view.source;
  const common = {
    kind: 'metric' as const,
    service: view.service,
    ...(query === undefined ? {} : { query }),
    ...(link === undefined ? {} : { link }),
  };
  if (result.kind === 'insufficient') {
    const latest = view.values.at(-1);
    const last = latest === undefined ? '' : `, latest ${quantityWord(latest, unit)}`;
    const statement = `${name}: insufficient points (${result.points})${last}`;
    return { key: view.key, evidence: { ...common, statement, atMs: view.timesMs.at(-1) } };
  }
  const { features } = result;
  const statement = `${name}: ${featureWords(features, unit, triggerMs)}`;
  const atMs = features.shift?.fromMs ?? features.peakAtMs;
  return { key: view.key, evidence: { ...common, statement, atMs, numbers: numbersOf(features) } };
}

function nameOf(view: SeriesView): string {
  const name = view.instance ? `${view.metric}{${view.instance}}` : view.metric;
  const cut = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name;
  return view.isRate ? `${cut} rate` : cut;
}

function unitOf(view: SeriesView): string | undefined {
  const unit = displayUnit(view.metric, view.source.unit);
  if (!view.isRate) return unit;
  // A counter of seconds of processor time, as a rate, is a number of cores.
  if (view.metricClass === 'cpu') return 'cores';
  return `${unit ?? ''}/s`;
}

function featureWords(features: MetricFeatures, unit: string | undefined, triggerMs: number): string {
  const { baseline, peak, peakAtMs, p95, p99, shift } = features;
  // The unit stands once, at the peak; bytes are scaled one by one, so each carries its own.
  const bare = (value: number) => (unit === 'By' || unit === 'By/s' ? quantityWord(value, unit) : numberWord(value));
  const change = `${bare(baseline)} → ${quantityWord(peak, unit)} (${deviationWords(features)})`;
  const when = relativeTime(peakAtMs, triggerMs);
  const percentiles = `P95 ${bare(p95)}, P99 ${bare(p99)}`;
  if (!shift) return `${change} ${when}; no clear change point; ${percentiles}`;
  const direction = peak >= baseline ? 'up' : 'down';
  const length = shift.ongoing ? 'still so' : `for ${duration(shift.durationMs)}`;
  const since = `${direction} since ${relativeTime(shift.fromMs, triggerMs)}, ${length}`;
  if (shift.fromMs === peakAtMs) return `${change}; ${since}; ${percentiles}`;
  return `${change} ${when}; ${since}; ${percentiles}`;
}

/** From here on a percentage says less than a factor. */
const FACTOR_FROM_PERCENT = 10_000;

/** `+6647.0 %`, `×218` from 10,000 % on; a baseline of 0 has no percentage: `from zero`, or `unchanged at zero`. */
export function deviationWords(features: Pick<MetricFeatures, 'peak' | 'deviationPercent'>): string {
  const percent = features.deviationPercent;
  if (percent === null) return features.peak === 0 ? 'unchanged at zero' : 'from zero';
  if (percent >= FACTOR_FROM_PERCENT) return `×${numberWord(factorOf(percent))}`;
  return `${percent >= 0 ? '+' : '−'}${Math.abs(percent).toFixed(1)} %`;
}

function factorOf(percent: number): number {
  return Math.round(1 + percent / 100);
}

function numbersOf(features: MetricFeatures): number[] {
  const { baseline, peak, deviationPercent, p95, p99 } = features;
  const factor = (deviationPercent ?? 0) >= FACTOR_FROM_PERCENT ? [factorOf(deviationPercent ?? 0)] : [];
  return [baseline, peak, ...(deviationPercent === null ? [] : [deviationPercent]), ...factor, p95, p99];
}
