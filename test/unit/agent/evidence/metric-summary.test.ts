import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { summarizeMetric } from '../../../../src/agent/evidence/metric-summary.ts';

const series = (values: readonly number[], stepMs = 60_000) => ({
  service: 'cart',
  metric: 'latency_p95',
  labels: { pod: 'a' },
  timesMs: Float64Array.from(values, (_, i) => i * stepMs),
  values: Float64Array.from(values),
});

const everyNumber = (value: unknown): readonly number[] =>
  typeof value === 'number'
    ? [value]
    : typeof value === 'object' && value
      ? Object.values(value).flatMap(everyNumber)
      : [];

describe('A14: summarizeMetric', () => {
  test('0..15 over 15 minutes', () => {
    expect(summarizeMetric(series(Array.from({ length: 16 }, (_, i) => i)))).toEqual({
      metric_name: 'cart latency_p95',
      raw_metric_name: 'latency_p95',
      labels: { pod: 'a' },
      datapoint_count: 16,
      first: { value: 0, atMs: 0 },
      latest: { value: 15, atMs: 900_000 },
      min: { value: 0, atMs: 0 },
      max: { value: 15, atMs: 900_000 },
      peak: { value: 15, atMs: 900_000 },
      mean: 7.5,
      p95: 14.25,
      delta: 15,
      delta_pct: null,
      peak_to_latest_change: 0,
      window_minutes: 15,
      trend: 'increased by 15, from zero',
      summary: '16 points over 15.0 min; first 0, latest 15 (increased by 15, from zero); mean 7.5, p95 14.25',
    });
  });

  test('flat 25, a fall after a peak, a mean of four decimal places', () => {
    expect(summarizeMetric(series([25, 25, 25]))).toMatchObject({ trend: 'flat', delta: 0, delta_pct: 0 });
    expect(summarizeMetric(series([4, 50, 2]))).toMatchObject({
      trend: 'decreased by 2, -50.0 %',
      peak: { value: 50, atMs: 60_000 },
      peak_to_latest_change: -48,
      delta_pct: -50,
      mean: 18.6667,
    });
    expect(summarizeMetric(series([0.00002, 0.00003]))).toMatchObject({ mean: 0.000025 });
    expect(summarizeMetric(series([-5e-324, -9e-19]))).toMatchObject({ delta_pct: null });
  });

  test('without a finite point there are no figures', () => {
    for (const values of [[], [NaN, Infinity]]) {
      const summary = summarizeMetric(series(values));
      expect(summary).toMatchObject({ datapoint_count: 0, trend: 'no datapoints', summary: 'no datapoints' });
      expect(summary).not.toHaveProperty('latest');
    }
  });

  test('NaN and infinite points change nothing, whatever the others are', () => {
    const odd = fc.constantFrom(NaN, Infinity, -Infinity);
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.double({ min: -1e6, max: 1e6, noNaN: true }), odd), { maxLength: 30 }),
        (values) => {
          const whole = series(values);
          const kept = [...values.keys()].filter((i) => Number.isFinite(values[i]));
          const clean = {
            ...whole,
            timesMs: Float64Array.from(kept, (i) => i * 60_000),
            values: Float64Array.from(kept, (i) => values[i] ?? 0),
          };
          expect(summarizeMetric(whole)).toEqual(summarizeMetric(clean));
          expect(everyNumber(summarizeMetric(whole)).every(Number.isFinite)).toBe(true);
        },
      ),
    );
  });
});
