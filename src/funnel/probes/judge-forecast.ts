import { durationMs, type ProbeOf } from '../../domain/probe.ts';
import { duration } from '../../domain/relative-time.ts';
import type { MetricSeries } from '../../domain/telemetry.ts';
import { withUsableSamples } from '../metrics/usable-samples.ts';
import { isBeyond, limitOf, limitWord, nearness, type Limit } from './limit.ts';
import type { Sighting } from './finding.ts';
import { evidenceOf, speakerFor, subjectOf } from './series-subject.ts';
import { trendOf, type Trend } from './trend.ts';
import type { Judged } from './verdict.ts';
import { lastRows } from './window.ts';

type ForecastProbe = ProbeOf<'forecast'>;

const HOUR_MS = 3_600_000;

interface Foreseen {
  readonly series: MetricSeries;
  readonly trend: Trend;
  /** Until the limit is reached: 0 when it is, infinite when it never will be. */
  readonly leftMs: number;
}

/** Which series reach the limit in time if they go on as they did, or have reached it. A trend that is none (a sawtooth, noise) reaches nothing. */
export function judgeForecast(probe: ForecastProbe, all: readonly MetricSeries[], nowMs: number): Judged {
  const limit = limitOf(probe);
  const overMs = durationMs(probe.over);
  const judged = all.flatMap((series): Foreseen[] => {
    const rows = lastRows(withUsableSamples(series, nowMs), overMs, nowMs);
    const trend = trendOf(rows, overMs);
    return trend ? [{ series: rows, trend, leftMs: timeLeft(trend, limit) }] : [];
  });
  const withinMs = durationMs(probe.within);
  const seen = judged.filter(({ leftMs }) => leftMs <= withinMs).map((one) => sight(probe, limit, one));
  const nearest = judged.toSorted(
    (a, b) => a.leftMs - b.leftMs || nearness(b.trend.level, limit) - nearness(a.trend.level, limit),
  )[0];
  return { lookedAt: judged.length, seen, nearest: nearest && nearestWord(probe, nearest) };
}

function timeLeft({ level, perMs, isSteady }: Trend, limit: Limit): number {
  if (isBeyond(level, limit) || level === limit.at) return 0;
  const leftMs = (limit.at - level) / perMs;
  return isSteady && leftMs > 0 ? leftMs : Infinity;
}

function nearestWord(probe: ForecastProbe, { series, trend, leftMs }: Foreseen): string {
  const when = Number.isFinite(leftMs) ? `, reached in ${duration(leftMs)}` : '';
  return `${subjectOf(series, probe.by).object} ${speakerFor(series, probe.unit)(trend.level)}${when}`;
}

function sight(probe: ForecastProbe, limit: Limit, { series, trend, leftMs }: Foreseen): Sighting {
  const say = speakerFor(series, probe.unit);
  const perHour = trend.perMs * HOUR_MS;
  const pace = `${perHour < 0 ? '−' : '+'}${say(Math.abs(perHour))} an hour over ${probe.over}`;
  const when = leftMs === 0 ? `has passed ${say(limit.at)}` : `reaches ${say(limit.at)} in ${duration(leftMs)}`;
  return {
    ...subjectOf(series, probe.by),
    value: leftMs === 0 ? say(trend.level) : `${say(trend.level)}, ${duration(leftMs)} left`,
    limit: limitWord(limit, say),
    what: `${when} (now ${say(trend.level)}, ${pace})`,
    weight: leftMs === 0 ? 2 : 2 - leftMs / durationMs(probe.within),
    evidence: evidenceOf(series, [trend.level, limit.at, Math.abs(perHour), leftMs / HOUR_MS]),
  };
}
