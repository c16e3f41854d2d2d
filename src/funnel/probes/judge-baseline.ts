import { durationMs, type ProbeOf } from '../../domain/probe.ts';
import type { MetricSeries } from '../../domain/telemetry.ts';
import { classifyMetric, RELATIVE_FLOOR } from '../metrics/metric-class.ts';
import { numberWord } from '../metrics/number-words.ts';
import { baselineOf } from '../metrics/series-view.ts';
import { largest, sorted } from '../metrics/statistics.ts';
import { ratesOf, withUsableSamples } from '../metrics/usable-samples.ts';
import { evidenceOf, speakerFor, subjectOf } from './series-subject.ts';
import type { Sighting } from './finding.ts';
import type { Judged } from './verdict.ts';
import { lastRows } from './window.ts';

type BaselineProbe = ProbeOf<'baseline'>;

/** Fewer samples tell neither what is usual nor what is so now. */
const LEAST_USUAL = 6;
const LEAST_NOW = 2;
/** In usual spreads: what is less may be chance (as the funnel says "shifted", metrics/metric-features.ts). */
const OUT_OF_NOISE = 3;

interface Moved {
  readonly series: MetricSeries;
  readonly usual: number;
  readonly now: number;
  /** Times the usual, in the direction that it moved; 1 when it did not. */
  readonly times: number;
  readonly isClear: boolean;
}

/** Which series moved away from their own past: by the factor, by no less than `least`, out of the spread that is usual for them, and not just for a moment. */
export function judgeBaseline(probe: BaselineProbe, all: readonly MetricSeries[], nowMs: number): Judged {
  const judged = all.flatMap((series) => measure(probe, withUsableSamples(series, nowMs), nowMs) ?? []);
  const seen = judged
    .filter(({ isClear, times }) => isClear && times >= probe.factor)
    .map((moved) => sight(probe, moved));
  const nearest = judged.toSorted((a, b) => b.times - a.times)[0];
  return {
    lookedAt: judged.length,
    seen,
    nearest: nearest && `${subjectOf(nearest.series, probe.by).object} ${changeWord(probe, nearest)}`,
  };
}

/** Undefined with too few samples. Counters are measured by their rate. */
function measure(probe: BaselineProbe, series: MetricSeries, nowMs: number): Moved | undefined {
  const rates = { ...series, ...ratesOf(series) };
  // Of a short history the last third: two thirds have to tell what is usual.
  const overMs = Math.min(durationMs(probe.over), (nowMs - (rates.timesMs[0] ?? nowMs)) / 3);
  const present = lastRows(rates, overMs, nowMs);
  const past = lastRows(rates, durationMs(probe.against), nowMs - overMs - 1);
  if (present.values.length < LEAST_NOW || past.values.length < LEAST_USUAL) return undefined;
  const { median: usual, spread } = baselineOf(past.values);
  const now = sustained(
    present.values,
    Math.max(LEAST_NOW, Math.floor(present.values.length * probe.for)),
    probe,
    usual,
  );
  const metricClass = classifyMetric(series.metric, series.unit);
  const noise = spread + RELATIVE_FLOOR[metricClass] * Math.abs(usual);
  const moved = now - usual;
  const isMeant = probe.direction === 'both' || (probe.direction === 'up' ? moved > 0 : moved < 0);
  const isClear = isMeant && Math.abs(moved) >= probe.least && Math.abs(moved) >= OUT_OF_NOISE * noise && moved !== 0;
  return { series, usual, now, times: isMeant ? timesOf(usual, now) : 1, isClear };
}

/** The level that was held longest away from the usual: the lowest value of the highest stretch of `length` samples, or downwards the other way round. */
function sustained(values: Float64Array, length: number, { direction }: BaselineProbe, usual: number): number {
  const stretches = Array.from({ length: values.length - length + 1 }, (_, i) =>
    sorted(values.subarray(i, i + length)),
  );
  const high = largest(stretches.map((stretch) => stretch[0] ?? 0));
  const low = -largest(stretches.map((stretch) => -(stretch.at(-1) ?? 0)));
  if (direction === 'both') return high - usual >= usual - low ? high : low;
  return direction === 'up' ? high : low;
}

/** From nothing, or to nothing, is more than any factor. */
function timesOf(usual: number, now: number): number {
  const [low, high] = [Math.abs(usual), Math.abs(now)].toSorted((a, b) => a - b) as [number, number];
  if (high === low) return 1;
  return low === 0 ? Number.MAX_SAFE_INTEGER : high / low;
}

function changeWord({ unit }: BaselineProbe, { series, usual, now }: Moved): string {
  const say = speakerFor(series, unit);
  return `${say(usual)} → ${say(now)}`;
}

function sight(probe: BaselineProbe, moved: Moved): Sighting {
  const { series, usual, now, times } = moved;
  const say = speakerFor(series, probe.unit);
  const by = times < 1000 ? `, ${numberWord(times)} times ${now > usual ? 'the usual' : 'less than usual'}` : '';
  return {
    ...subjectOf(series, probe.by),
    value: say(now),
    limit: `usually ${say(usual)}`,
    what: `moved ${changeWord(probe, moved)}${by} (last ${probe.over} against ${probe.against} before)`,
    weight: Math.min(times, 1000) / probe.factor,
    evidence: evidenceOf(series, [usual, now, Math.min(times, 1000)]),
  };
}
