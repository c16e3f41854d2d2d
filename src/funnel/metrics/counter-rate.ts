import type { Numbers } from './statistics.ts';

/** Not of an expression, which is called by its text: what `rate(x_total{…})` yields may rise all the while, and is a rate already. */
const COUNTER_NAME = /^[^(]*(_total|_count|_sum|_bucket|total)$/i;
/** Share of falling steps that still counts as a counter: a process restart resets it. */
const MAX_RESET_SHARE = 0.03;

/** True when the name promises a counter and the samples keep the promise: rising, but for rare resets. */
export function isCounter(metric: string, values: Numbers): boolean {
  if (values.length < 5 || !COUNTER_NAME.test(metric.replace(/[{#].*$/, ''))) return false;
  let rises = 0;
  let falls = 0;
  for (let i = 1; i < values.length; i++) {
    const step = (values[i] ?? 0) - (values[i - 1] ?? 0);
    if (step > 0) rises++;
    if (step < 0) falls++;
  }
  const isShort = values.length < 20;
  return rises > falls && falls <= (isShort ? 0 : Math.max(1, MAX_RESET_SHARE * values.length));
}

export interface Rate {
  readonly timesMs: Float64Array;
  readonly values: Float64Array;
}

/** Rate per second between neighbouring samples, stamped with the later one. After a reset the new value is the increase. */
export function rateOfCounter(timesMs: Float64Array, values: Float64Array): Rate {
  const times: number[] = [];
  const rates: number[] = [];
  for (let i = 1; i < values.length; i++) {
    const seconds = ((timesMs[i] ?? 0) - (timesMs[i - 1] ?? 0)) / 1000;
    if (seconds <= 0) continue;
    const step = (values[i] ?? 0) - (values[i - 1] ?? 0);
    times.push(timesMs[i] ?? 0);
    rates.push((step >= 0 ? step : (values[i] ?? 0)) / seconds);
  }
  return { timesMs: Float64Array.from(times), values: Float64Array.from(rates) };
}
