import { describe, expect, test } from '@jest/globals';
import { modelIncident } from '../../../../src/funnel/incident-model.ts';
import { findBreaks } from '../../../../src/funnel/metrics/breaks.ts';
import type { MetricSeries } from '../../../../src/domain/telemetry.ts';
import { incident, series, telemetry, TRIGGER_MS } from '../incident-model/shop.ts';

/** Samples every 15 s, an hour before the alert to three minutes after it; seconds for which `isThere` is false have none. */
function fine(
  service: string,
  metric: string,
  value: (second: number) => number,
  isThere: (second: number) => boolean = () => true,
): MetricSeries {
  const seconds = Array.from({ length: 4 * 63 }, (_, i) => i * 15 - 3600).filter(isThere);
  return {
    ...series(service, metric, () => 0),
    timesMs: Float64Array.from(seconds, (second) => TRIGGER_MS + second * 1000),
    values: Float64Array.from(seconds, value),
  };
}

const steady = fine('web', 'queue_length', (s) => 5 + (s % 30) / 30);
const said = (...all: MetricSeries[]) =>
  findBreaks(modelIncident(incident(), telemetry({ series: [steady, ...all] }))).map(
    ({ evidence }) => evidence.statement,
  );

describe('series that break off', () => {
  test('a regular series without samples to the end says since when, and what it said last', () => {
    expect(
      said(
        fine(
          'orders',
          'consumers',
          () => 12,
          (s) => s <= -120,
        ),
      ),
    ).toEqual(['orders consumers: no samples since 2 min before the alert (last 12)']);
  });

  test('a gap says how long, and several series of a service are one sentence', () => {
    const isThere = (s: number) => s <= -120 || s >= 0;
    const all = ['consumers', 'slots'].map((metric) => fine('orders', metric, () => 12, isThere));
    expect(said(...all)).toEqual([
      'orders consumers: no samples since 2 min before the alert, for 2 min (last 12); 1 more series of orders likewise',
    ]);
  });

  test('a series that had gaps before has no news in another one', () => {
    expect(
      said(
        fine(
          'orders',
          'consumers',
          () => 12,
          (s) => -s % 300 < 120 && s <= -120,
        ),
      ),
    ).toEqual([]);
  });

  test('when many series pause together, the collection did', () => {
    const all = Array.from({ length: 12 }, (_, i) =>
      fine(
        `service-${i}`,
        'consumers',
        () => 12,
        (s) => s <= -120,
      ),
    );
    expect(said(...all)).toEqual([]);
  });
});

describe('counters that start again', () => {
  const counter = (metric: string) => fine('orders', metric, (s) => (s < -60 ? 9e4 + 2 * s : 2 * (s + 60) + 1));

  test('those of one service are one sentence', () => {
    expect(said(counter('jobs_total'), counter('calls_total'))).toEqual([
      'orders jobs_total, calls_total: started again from zero 60 s before the alert, as counters do when their process restarts',
    ]);
  });

  test('a counter that only counts, or restarted long before, says nothing', () => {
    const old = fine('orders', 'jobs_total', (s) => (s < -2400 ? 9e4 + 2 * s : 2 * (s + 2400)));
    expect(
      said(
        old,
        fine('orders', 'calls_total', (s) => 9e4 + s),
      ),
    ).toEqual([]);
  });
});

describe('series that never moved', () => {
  test('a step in either direction is told, with both numbers', () => {
    expect(said(fine('orders', 'pool_max', (s) => (s < -90 ? 16 : 2)))).toEqual([
      'orders pool_max: 16 → 2 since 90 s before the alert; never moved before',
    ]);
  });

  test('a blip, a step too small to matter, a step after the alert and a series that moves anyway are none', () => {
    expect(said(fine('orders', 'disk_used', (s) => (s < -90 ? 1e9 : 1e9 + 4096)))).toEqual([]);
    expect(said(fine('orders', 'pool_max', (s) => (s === -90 ? 2 : 16)))).toEqual([]);
    expect(said(fine('orders', 'pool_max', (s) => (s < 60 ? 16 : 2)))).toEqual([]);
    expect(said(fine('orders', 'pool_max', (s) => (s < -90 ? 16 + (s % 60 ? 0 : 1) : 2)))).toEqual([]);
  });
});
