import type { MetricSeries } from '../../domain/telemetry.ts';
import { isCounter, rateOfCounter } from './counter-rate.ts';

/** Programs say "no limit" with the largest number they have; sums of such numbers are infinite. */
const NO_LIMIT = 1e300;
/** No recording reaches further past its incident: later samples come from a broken clock. */
const FAR_FUTURE_MS = 24 * 3_600_000;

/** Values with their times, epoch ms, a row each. */
export type Samples = Pick<MetricSeries, 'timesMs' | 'values'>;

/**
 * A series with the samples that can be trusted, ascending in time: finite, no word for "no limit", not of a future more than a day after `triggerMs`. Of samples
 * with the same time the last one holds.
 */
export function withUsableSamples(series: MetricSeries, triggerMs: number): MetricSeries {
  return { ...series, ...cleaned(series, triggerMs + FAR_FUTURE_MS) };
}

/** The rows with a finite value: a quotient or difference of two series has none where one of them has no sample. */
export function finiteRows(timesMs: Float64Array, values: Float64Array): Samples {
  const isFinite = (_: number, row: number) => Number.isFinite(values[row]);
  return { timesMs: timesMs.filter(isFinite), values: values.filter(isFinite) };
}

/** The samples of a clean series; those of a counter as rates per second. */
export function ratesOf({ metric, timesMs, values }: MetricSeries): Samples & { readonly isRate: boolean } {
  const isRate = isCounter(metric, values);
  return { ...(isRate ? rateOfCounter(timesMs, values) : { timesMs, values }), isRate };
}

function cleaned({ timesMs, values }: Samples, latestMs: number): Samples {
  if (isClean(timesMs, values, latestMs)) return { timesMs, values };
  const rows = Array.from(values.keys())
    .filter((row) => isUsable(timesMs[row] ?? NaN, values[row] ?? NaN, latestMs))
    .sort((a, b) => (timesMs[a] ?? 0) - (timesMs[b] ?? 0));
  const last = rows.filter((row, i) => i === rows.length - 1 || timesMs[row] !== timesMs[rows[i + 1] ?? row]);
  return {
    timesMs: Float64Array.from(last, (row) => timesMs[row] ?? 0),
    values: Float64Array.from(last, (row) => values[row] ?? 0),
  };
}

function isUsable(timeMs: number, value: number, latestMs: number): boolean {
  return Math.abs(value) < NO_LIMIT && Number.isFinite(timeMs) && timeMs <= latestMs;
}

/** True for the common case, which is not copied. */
function isClean(timesMs: Float64Array, values: Float64Array, latestMs: number): boolean {
  if (timesMs.length !== values.length) return false;
  let previousMs = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const timeMs = timesMs[i] ?? NaN;
    if (!isUsable(timeMs, values[i] ?? NaN, latestMs) || timeMs <= previousMs) return false;
    previousMs = timeMs;
  }
  return true;
}
