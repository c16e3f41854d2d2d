import type { MetricSeries } from '../../domain/telemetry.ts';
import { lowerBound } from '../metrics/statistics.ts';

/** The samples of the last `forMs` up to `untilMs`; views, nothing is copied. */
export function lastRows(series: MetricSeries, forMs: number, untilMs: number): MetricSeries {
  const from = lowerBound(series.timesMs, untilMs - forMs);
  const to = lowerBound(series.timesMs, untilMs + 1);
  return { ...series, timesMs: series.timesMs.subarray(from, to), values: series.values.subarray(from, to) };
}
