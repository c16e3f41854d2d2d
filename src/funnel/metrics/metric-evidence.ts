import type { EvidenceDraft } from '../../domain/evidence.ts';
import { namespaceOf } from '../../domain/labels.ts';
import { duration, relativeTime } from '../../domain/relative-time.ts';
import { metricFeatures, type MetricFeatures } from './metric-features.ts';
import { nameInWords } from './metric-name.ts';
import { unitOf } from './metric-unit.ts';
import { numberWord, quantitiesInWords, quantityWord } from './number-words.ts';
import type { SeriesView } from './series-view.ts';

/** Evidence of one series in words, with its key, so that a layer and the ranker speak of the same piece of evidence. */
export interface Fact {
  readonly key: string;
  readonly evidence: EvidenceDraft;
}

/**
 * `metric:<service>/<metric>` with a one-line statement of at most about 60 tokens; times relative to the trigger (SPEC C7). Its first
 * clause, up to the first `; `, is the change alone (see `changeInWords`).
 */
export function metricFact(view: SeriesView, triggerMs: number): Fact {
  const result = metricFeatures(view);
  const common = { kind: 'metric' as const, service: view.service, ...originOf(view) };
  if (result.kind === 'insufficient') {
    return { key: view.key, evidence: { ...common, statement: changeInWords(view), atMs: view.timesMs.at(-1) } };
  }
  const { features } = result;
  const limit = view.expression?.limit;
  const crossed = limit === undefined ? '' : `the alert fires at ${limit}; `;
  const statement = `${changeInWords(view)}; ${crossed}${courseInWords(features, view, triggerMs)}`;
  const atMs = features.shift?.fromMs ?? features.peakAtMs;
  return { key: view.key, evidence: { ...common, statement, atMs, numbers: numbersOf(features) } };
}

/** Where a series comes from, and lies. What is measured of a call may carry the namespace of either end. */
export function originOf({ source, edge }: SeriesView): Pick<EvidenceDraft, 'namespace' | 'query' | 'link'> {
  const { labels = {}, query, link } = source;
  const namespace = edge ? undefined : namespaceOf(labels);
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(query === undefined ? {} : { query }),
    ...(link === undefined ? {} : { link }),
  };
}

/** What changed, by how much: `calls from checkout to payments, p95: 0.53 s → 2.48 s (+367 %)`. */
export function changeInWords(view: SeriesView): string {
  const result = metricFeatures(view);
  const unit = unitOf(view);
  if (result.kind === 'insufficient') {
    const latest = view.values.at(-1);
    const last = latest === undefined ? '' : `, latest ${quantityWord(latest, unit)}`;
    return `${nameInWords(view)}: insufficient points (${result.points})${last}`;
  }
  const { baseline, peak } = result.features;
  const change = quantitiesInWords([baseline, peak], unit, ' → ');
  const deviation = deviationWords(result.features);
  return `${nameInWords(view)}: ${change}${deviation && ` (${deviation})`}`;
}

/** The changes of several series of one service, without its name; those with too few samples to tell are left out. */
export function changesOf(views: readonly SeriesView[]): string {
  return views
    .filter((view) => metricFeatures(view).kind === 'features')
    .map((view) =>
      view.edge
        ? changeInWords(view)
        : changeInWords(view)
            .slice(view.service.length)
            .replace(/^[, ]+/, ''),
    )
    .join('; ');
}

/** Since when, how long, its extreme and its percentiles. */
function courseInWords(features: MetricFeatures, view: SeriesView, triggerMs: number): string {
  const { baseline, peak, peakAtMs, p95, p99, shift } = features;
  const extreme = `${peak < baseline ? 'lowest' : 'peak'} ${relativeTime(peakAtMs, triggerMs)}`;
  const percentiles = `P95 ${quantitiesInWords([p95, p99], unitOf(view), ', P99 ')}`;
  if (!shift) return `${extreme}; no clear change point; ${percentiles}`;
  const length = shift.ongoing ? 'still so' : `for ${duration(shift.durationMs)}`;
  const since = `since ${beginInWords(shift.fromMs, view.stepMs, triggerMs)}, ${length}`;
  return shift.fromMs === peakAtMs ? `${since}; ${percentiles}` : `${since}; ${extreme}; ${percentiles}`;
}

/** The first sample that shows a change may come after the alert, for it tells of the time since the one before. */
function beginInWords(fromMs: number, stepMs: number, triggerMs: number): string {
  const when = relativeTime(fromMs, triggerMs);
  const isFirstAfter = fromMs > triggerMs && fromMs - triggerMs < stepMs;
  return isFirstAfter ? `the sample ${when} (one every ${duration(stepMs)})` : when;
}

/** From here on a percentage says less than a factor. */
const FACTOR_FROM_PERCENT = 10_000;

/** `+6650 %`, `×218` from 10,000 % on; a baseline of 0 has no percentage: nothing beside `0 → 26`, or `unchanged at zero`. */
function deviationWords(features: Pick<MetricFeatures, 'peak' | 'deviationPercent'>): string {
  const percent = features.deviationPercent;
  if (percent === null) return features.peak === 0 ? 'unchanged at zero' : '';
  if (percent === 0) return 'unchanged';
  if (percent >= FACTOR_FROM_PERCENT) return `×${numberWord(factorOf(percent))}`;
  return `${percent >= 0 ? '+' : '−'}${numberWord(Math.abs(percent))} %`;
}

function factorOf(percent: number): number {
  return Math.round(1 + percent / 100);
}

function numbersOf(features: MetricFeatures): number[] {
  const { baseline, peak, deviationPercent, p95, p99 } = features;
  const factor = (deviationPercent ?? 0) >= FACTOR_FROM_PERCENT ? [factorOf(deviationPercent ?? 0)] : [];
  return [baseline, peak, ...(deviationPercent === null ? [] : [deviationPercent]), ...factor, p95, p99];
}
