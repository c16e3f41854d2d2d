import { describe, expect, test } from '@jest/globals';
import type { MetricSeries } from '../../../../src/domain/telemetry.ts';
import { modelIncident } from '../../../../src/funnel/incident-model.ts';
import { isAlarming } from '../../../../src/funnel/metrics/alarming.ts';
import { isPerSecond } from '../../../../src/funnel/metrics/metric-unit.ts';
import { incident, series, step, telemetry } from '../incident-model/shop.ts';

function viewOf(one: MetricSeries) {
  const [view] = modelIncident(incident(), telemetry({ series: [one] })).series;
  if (!view) throw new Error('one series gives one view');
  return view;
}

describe('trouble by an absolute bar', () => {
  test.each<[metric: string, usual: number, now: number]>([
    ['latency_p95_seconds', 0.1, 0.5],
    ['errors_per_second', 0, 1],
    ['error_count', 0, 12],
    ['error_ratio', 0.001, 0.2],
    ['availability', 1, 0.9],
    ['memory_used_percent', 50, 97],
    ['queue_pending', 1, 60],
    ['requests_per_second', 50, 0],
  ])('%s from %d to %d', (metric, usual, now) => {
    expect(isAlarming(viewOf(series('stock', metric, step(usual, now))))).toBe(true);
  });

  test.each<[metric: string, usual: number, now: number]>([
    ['latency_p95_seconds', 0.1, 0.16],
    ['latency_p95_seconds', 0.001, 0.02],
    ['errors_per_second', 0, 0.05],
    ['error_count', 0, 2],
    ['error_ratio', 0.001, 0.01],
    ['availability', 1, 0.99],
    ['memory_used_percent', 30, 80],
    ['memory_used_percent', 95, 96],
    ['queue_pending', 1, 6],
    ['requests_per_second', 0.2, 0],
    ['requests_per_second', 50, 20],
    ['clock_offset', 0, 900],
  ])('and not %s from %d to %d', (metric, usual, now) => {
    const steady = series('stock', metric, (minute) => (minute >= -2 ? now : usual));
    expect(isAlarming(viewOf(steady))).toBe(false);
  });
});

describe('samples that are per second', () => {
  test.each(['requests_per_second', 'errorRate', 'http:requests:rate5m', 'ops', 'node_qps'])('%s', (metric) => {
    expect(isPerSecond(viewOf(series('stock', metric, step(1, 1))))).toBe(true);
  });

  test.each(['requests_generated', 'migrations', 'stops', 'request_count'])('and not %s', (metric) => {
    expect(isPerSecond(viewOf(series('stock', metric, step(1, 1))))).toBe(false);
    expect(isPerSecond(viewOf(series('stock', metric, step(1, 1), { unit: '1/s' })))).toBe(true);
  });
});
