import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { MetricSeries } from '../../../../src/domain/telemetry.ts';
import { modelIncident } from '../../../../src/funnel/incident-model.ts';
import { metricFeatures } from '../../../../src/funnel/metrics/metric-features.ts';
import { readMetrics } from '../../../../src/funnel/metrics/read-metrics.ts';
import { incident, MINUTE_MS, series, SHOP, step, telemetry, TRIGGER_MS } from '../incident-model/shop.ts';
import { rank } from '../rank/rank-shop.ts';

const value = fc.oneof(
  fc.double(),
  fc.constantFrom(NaN, Infinity, -Infinity, 0, -0, 1e308, -1e308, 5e-324),
  fc.integer({ min: -5, max: 5 }),
);
const time = fc.oneof(
  fc.integer({ min: -120, max: 60 }).map((minute) => TRIGGER_MS + minute * MINUTE_MS),
  fc.constantFrom(NaN, 0, -1, 8.64e15, 1e18, TRIGGER_MS),
);
const anySeries: fc.Arbitrary<MetricSeries> = fc
  .record({
    service: fc.constantFrom(...SHOP.services, '', 'orders-7c9d8f5b6d-x2x4q'),
    metric: fc.constantFrom(
      'cpu_usage_percent',
      'memory_bytes',
      'latency_p95_seconds',
      'errors_total',
      'requests_per_second',
      'client_p95_from:web',
      'network_rx_bytes',
      'pool_in_use',
      'threads',
      '',
    ),
    samples: fc.array(fc.tuple(time, value), { maxLength: 80 }),
  })
  .map(({ service, metric, samples }) => ({
    service,
    metric,
    timesMs: Float64Array.from(samples, ([at]) => at),
    values: Float64Array.from(samples, ([, one]) => one),
  }));

const isFinite = (numbers: readonly (number | null)[]) => numbers.every((one) => one === null || Number.isFinite(one));

describe('series of any kind', () => {
  test('never throw, and every figure drawn from them is finite', () => {
    fc.assert(
      fc.property(fc.array(anySeries, { maxLength: 12 }), (all) => {
        const model = modelIncident(incident(), telemetry({ series: all }));
        for (const view of model.series) {
          const found = metricFeatures(view);
          if (found.kind === 'features') {
            const { baseline, peak, peakAtMs, deviationPercent, surprise, p95, p99, shift } = found.features;
            expect(isFinite([baseline, peak, peakAtMs, deviationPercent, surprise, p95, p99])).toBe(true);
            expect(isFinite([shift?.fromMs ?? 0, shift?.durationMs ?? 0])).toBe(true);
          }
        }
        for (const { evidence } of readMetrics(model).items) {
          expect(evidence.statement).not.toMatch(/NaN|Infinity|undefined/);
        }
        const { ranking } = rank({ series: all });
        expect(isFinite(ranking.suspects.map(({ score }) => score))).toBe(true);
        expect(ranking.confidence).toBeGreaterThanOrEqual(0);
        expect(ranking.confidence).toBeLessThanOrEqual(1);
      }),
      { numRuns: 150 },
    );
  });

  const shop = SHOP.services.flatMap((service) => [
    series(service, 'cpu_usage_percent', step(20, service === 'stock' ? 90 : 20)),
    series(service, 'memory_bytes', step(1e8, service === 'stock' ? 2e8 : 1e8)),
  ]);
  const spoiled = (one: MetricSeries, added: readonly (readonly [number, number])[]): MetricSeries => ({
    ...one,
    timesMs: Float64Array.from([...added.map(([at]) => at), ...one.timesMs]),
    values: Float64Array.from([...added.map(([, bad]) => bad), ...one.values]),
  });
  const bad = fc.oneof(
    fc.tuple(time, fc.constantFrom(NaN, Infinity, -Infinity, 1e308)),
    fc.tuple(fc.constantFrom(NaN, 1e18, 8.64e15, TRIGGER_MS + 400 * 86_400_000), fc.double({ noNaN: true })),
  );

  test('keep what they say when unusable samples stand among the good ones', () => {
    const clean = rank({ series: shop }).ranking;
    fc.assert(
      fc.property(fc.array(bad, { maxLength: 5 }), fc.nat({ max: shop.length - 1 }), (added, which) => {
        const mixed = shop.map((one, i) => (i === which ? spoiled(one, added) : one));
        expect(rank({ series: mixed }).ranking).toEqual(clean);
      }),
      { numRuns: 60 },
    );
  });

  test('keep what they say in any order of their samples, and when samples come twice', () => {
    const clean = rank({ series: shop }).ranking;
    const shuffled = fc.shuffledSubarray([...Array(63).keys()], { minLength: 63 });
    fc.assert(
      fc.property(shuffled, fc.array(fc.nat({ max: 62 }), { maxLength: 9 }), (order, twice) => {
        const rows = [...order, ...twice];
        const mixed = shop.map((one) => ({
          ...one,
          timesMs: Float64Array.from(rows, (row) => one.timesMs[row] ?? 0),
          values: Float64Array.from(rows, (row) => one.values[row] ?? 0),
        }));
        expect(rank({ series: mixed }).ranking).toEqual(clean);
      }),
      { numRuns: 40 },
    );
  });
});
