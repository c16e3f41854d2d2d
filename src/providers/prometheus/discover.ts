import { namespaceOf, type Labels } from '../../domain/labels.ts';
import type { TimeWindow } from '../../domain/provider.ts';
import { CLOCK_QUERY, type PrometheusApi } from './api.ts';
import { escapeRegex, stringLiteral } from './promql.ts';
import { placeMatchers } from './scope.ts';

/** Most points asked for of one series. */
const MAX_POINTS = 480;
/** What is assumed when nothing tells the scrape interval, as for data that is pushed. */
export const DEFAULT_SCRAPE_MS = 15_000;

/** Which of the metrics there are: anywhere, and in the alert's namespace, each with the label that bears it there. */
export interface KnownMetrics {
  readonly inPlace: ReadonlyMap<string, string>;
  readonly anywhere: ReadonlySet<string>;
  readonly notes: readonly string[];
}

/** An exporter that tells of others bears their namespace in the second one, where it is scraped without `honor_labels`. */
const PLACING_LABELS = ['namespace', 'exported_namespace'] as const;

/** Asks for the names of all metrics of the map at once (without and with the namespace), so that missing ones cost nothing. `labels` are the alert's. */
export async function findMetrics(
  api: PrometheusApi,
  names: readonly string[],
  labels: Labels,
  window: TimeWindow,
  signal: AbortSignal,
): Promise<KnownMetrics> {
  const byName = (wanted: readonly string[]) => `__name__=~${stringLiteral(wanted.map(escapeRegex).join('|'))}`;
  const anywhere = await api.metricNames([`{${byName(names)}}`], window, signal);
  const inPlace = new Map<string, string>();
  const notes = new Set(anywhere.notes);
  for (const label of namespaceOf(labels) === undefined ? PLACING_LABELS.slice(0, 1) : PLACING_LABELS) {
    const place = placeMatchers(labels, label);
    const left = anywhere.data.filter((name) => !inPlace.has(name));
    if (place.length === 0 || left.length === 0) break;
    const found = await api.metricNames([`{${[byName(left), ...place].join(', ')}}`], window, signal);
    for (const name of found.data) inPlace.set(name, label);
    for (const note of found.notes) notes.add(note);
  }
  return { inPlace, anywhere: new Set(anywhere.data), notes: [...notes] };
}

/** The window up to the server's own now: beyond it the last values would be repeated as if they had been measured. */
export async function untilNow(api: PrometheusApi, window: TimeWindow, signal: AbortSignal): Promise<TimeWindow> {
  const answer = await api.query(CLOCK_QUERY, undefined, signal);
  const nowMs = Number(answer.data.result[0]?.value?.[1]) * 1000;
  return nowMs > window.fromMs && nowMs < window.toMs ? { fromMs: window.fromMs, toMs: Math.floor(nowMs) } : window;
}

/**
 * How often targets are scraped, ms: a rate over less than a few scrapes has no value. Told from how many samples `up` has in a
 * minute, or in ten for slow scrapes; `DEFAULT_SCRAPE_MS` when unknown.
 */
export async function scrapeInterval(api: PrometheusApi, atMs: number, signal: AbortSignal): Promise<number> {
  for (const probeS of [60, 600]) {
    const answer = await api.query(`quantile(0.5, count_over_time(up[${probeS}s]))`, atMs, signal);
    const samples = Number(answer.data.result[0]?.value?.[1]);
    if (samples >= 3) return (probeS * 1000) / samples;
  }
  return DEFAULT_SCRAPE_MS;
}

/** Distance between points, ms: no finer than the scrapes and no more points than the cap; whole seconds. */
export function stepFor(window: TimeWindow, scrapeMs: number): number {
  const finest = Math.max(scrapeMs, (window.toMs - window.fromMs) / MAX_POINTS);
  // A scrape interval measured by counting is a little off: 14.8 s means 15 s.
  const whole = Math.max(1, Math.round(finest / 1000));
  return (whole * MAX_POINTS * 1000 < window.toMs - window.fromMs ? whole + 1 : whole) * 1000;
}
