import type { ProbeOf } from '../../domain/probe.ts';
import { durationMs } from '../../domain/probe.ts';
import type { MetricSeries } from '../../domain/telemetry.ts';
import { largest, median, sum } from '../metrics/statistics.ts';
import { withUsableSamples } from '../metrics/usable-samples.ts';
import { isBeyond, limitOf, limitWord, nearness } from './limit.ts';
import { evidenceOf, speakerFor, subjectOf } from './series-subject.ts';
import type { Judged } from './verdict.ts';
import type { Sighting } from './finding.ts';
import { lastRows } from './window.ts';

type MetricProbe = ProbeOf<'metric'>;

/** Which series are beyond the limit: the reduced value, and where asked so large a share of the samples. */
export function judgeMetric(probe: MetricProbe, all: readonly MetricSeries[], nowMs: number): Judged {
  const limit = limitOf(probe);
  const judged = all
    .map((series) => lastRows(withUsableSamples(series, nowMs), durationMs(probe.over), nowMs))
    .filter(({ values }) => values.length > 0)
    .map((series) => {
      const value = reduce(probe.reduce, series.values);
      return { series, value, weight: nearness(value, limit) };
    });
  const seen = judged
    .filter(({ series, value }) => isBeyond(value, limit) && shareBeyond(series, probe) >= (probe.for ?? 0))
    .map(({ series, value, weight }) => sight(probe, series, value, weight));
  const nearest = judged.toSorted((a, b) => b.weight - a.weight)[0];
  return {
    lookedAt: judged.length,
    seen,
    nearest:
      nearest &&
      `${subjectOf(nearest.series, probe.by).object} ${speakerFor(nearest.series, probe.unit)(nearest.value)}`,
  };
}

function sight(probe: MetricProbe, series: MetricSeries, value: number, weight: number): Sighting {
  const say = speakerFor(series, probe.unit);
  const limit = limitOf(probe);
  const how = probe.reduce === 'last' ? 'is' : `has ${REDUCTION_WORDS[probe.reduce]}`;
  return {
    ...subjectOf(series, probe.by),
    value: say(value),
    limit: limitWord(limit, say),
    what: `${how} ${say(value)}, ${limitWord(limit, say)} over ${probe.over}`,
    weight,
    sinceMs: probe.reduce === 'increase' ? undefined : sinceBeyond(series, probe),
    evidence: evidenceOf(series, [value, limit.at]),
  };
}

const REDUCTION_WORDS: Readonly<Record<MetricProbe['reduce'], string>> = {
  last: 'last',
  max: 'a maximum of',
  avg: 'an average of',
  min: 'a minimum of',
  median: 'a median of',
  increase: 'grown by',
};

function reduce(how: MetricProbe['reduce'], values: Float64Array): number {
  switch (how) {
    case 'last':
      return values.at(-1) ?? 0;
    case 'max':
      return largest(values);
    case 'min':
      return -largest(values.map((value) => -value));
    case 'avg':
      return sum(values) / values.length;
    case 'median':
      return median(values);
    case 'increase':
      return increase(values);
  }
}

/** What a counter counted; after a reset it begins at 0 (as Prometheus' `increase`, without its extrapolation). */
function increase(values: Float64Array): number {
  let total = 0;
  for (let i = 1; i < values.length; i++) {
    const [before, now] = [values[i - 1] ?? 0, values[i] ?? 0];
    total += now >= before ? now - before : now;
  }
  return total;
}

function shareBeyond({ values }: MetricSeries, probe: MetricProbe): number {
  const limit = limitOf(probe);
  return values.reduce((count, value) => count + Number(isBeyond(value, limit)), 0) / values.length;
}

/** Time of the first sample of the last unbroken run beyond the limit; undefined when the last sample is not, or all are: then it began before the window. */
function sinceBeyond({ timesMs, values }: MetricSeries, probe: MetricProbe): number | undefined {
  const limit = limitOf(probe);
  const lastWell = values.findLastIndex((value) => !isBeyond(value, limit));
  return lastWell < 0 || lastWell === values.length - 1 ? undefined : timesMs[lastWell + 1];
}
