import { describe, expect, test } from '@jest/globals';
import type { MetricSeries } from '../../../../src/domain/telemetry.ts';
import { profilesOf, surpriseOf, type Facet } from '../../../../src/funnel/rank/profile.ts';
import { series, step } from '../incident-model/shop.ts';
import { contextOf } from './rank-shop.ts';

function movementOf(facet: Facet, ...all: MetricSeries[]) {
  return profilesOf(contextOf({ series: all }))
    .get('stock')
    ?.get(facet);
}
const surprise = (facet: Facet, ...all: MetricSeries[]) => surpriseOf(movementOf(facet, ...all));

describe('the profile of a service', () => {
  test('a stop weighs as much as a surge, and neither without end', () => {
    const surge = movementOf('cpu', series('stock', 'cpu_usage_cores', step(0.5, 50)));
    const stop = movementOf('cpu', series('stock', 'cpu_usage_cores', step(0.5, 0)));
    expect(surge?.rise).toBeCloseTo(Math.log(100), 0);
    expect(stop?.fall).toBeCloseTo(Math.log(100), 0);
  });

  test('two metrics of one thing are one facet: the one that moved more', () => {
    const bytes = series('stock', 'network_receive_bytes', step(1e5, 1.1e5));
    const packets = series('stock', 'network_receive_packets', step(100, 900));
    expect(movementOf('received', bytes, packets)?.view.metric).toBe('network_receive_packets');
  });

  test('one thread more is none to speak of; twenty are', () => {
    expect(
      surprise(
        'held',
        series('stock', 'threads', (minute) => (minute >= -2 ? 2 : 1)),
      ),
    ).toBeLessThan(2);
    expect(
      surprise(
        'held',
        series('stock', 'threads', (minute) => (minute >= -2 ? 21 : 1)),
      ),
    ).toBeGreaterThan(5);
  });

  test('a first rise from zero is telling, yet no proof; a second one is everyday life', () => {
    const writes = (at: readonly number[]) =>
      series('stock', 'fs_writes', (minute) => (minute >= -2 || at.includes(minute) ? 9 : 0));
    expect(surprise('writes', writes([]))).toBeCloseTo(2.5);
    expect(surprise('writes', writes([-30]))).toBe(0);
  });

  test('a quantity that is usually below zero has no ratio, and is no service that stopped', () => {
    expect(movementOf('other', series('stock', 'clock_offset', step(-10, -10)))).toBeUndefined();
  });

  test('a constant, and a series that ended before, say nothing', () => {
    expect(
      movementOf(
        'cpu',
        series('stock', 'cpu_usage_cores', () => 1),
      ),
    ).toBeUndefined();
    const whole = series('stock', 'cpu_usage_cores', step(1, 1));
    const ended = { ...whole, timesMs: whole.timesMs.subarray(0, 40), values: whole.values.subarray(0, 40) };
    expect(movementOf('cpu', ended)).toBeUndefined();
  });

  test('the metric of a call edge is nobody’s own', () => {
    expect(movementOf('requests', series('stock', 'client_requests_from:orders', step(10, 90)))).toBeUndefined();
  });
});
