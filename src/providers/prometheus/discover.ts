import type { TimeWindow } from '../../domain/provider.ts';
import { CLOCK_QUERY, type PrometheusApi } from './api.ts';
import { escapeRegex, stringLiteral } from './promql.ts';

/** Most points asked for of one series. */
const MAX_POINTS = 480;
/** What is assumed when nothing tells the scrape interval, as for data that is pushed. */
export const DEFAULT_SCRAPE_MS = 15_000;

/** Which of the metrics there are: in the alert's namespace, and anywhere. */
export interface KnownMetrics {
  readonly inPlace: ReadonlySet<string>;
  readonly anywhere: ReadonlySet<string>;
  readonly notes: readonly string[];
}

/** Asks for the names of all metrics of the map at once (twice, with and without the namespace), so that missing ones cost nothing. */
export async function findMetrics(
  api: PrometheusApi,
  names: readonly string[],
  place: readonly string[],
  window: TimeWindow,
  signal: AbortSignal,
): Promise<KnownMetrics> {
  const byName = `__name__=~${stringLiteral(names.map(escapeRegex).join('|'))}`;
  const anywhere = await api.metricNames([`{${byName}}`], window, signal);
  if (place.length === 0)
    return { inPlace: new Set(anywhere.data), anywhere: new Set(anywhere.data), notes: anywhere.notes };
  const inPlace = await api.metricNames([`{${[byName, ...place].join(', ')}}`], window, signal);
  return {
    inPlace: new Set(inPlace.data),
    anywhere: new Set(anywhere.data),
    notes: [...new Set([...anywhere.notes, ...inPlace.notes])],
  };
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
