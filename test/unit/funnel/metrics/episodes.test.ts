import { describe, expect, test } from '@jest/globals';
import { modelIncident } from '../../../../src/funnel/incident-model.ts';
import { metricFact } from '../../../../src/funnel/metrics/metric-evidence.ts';
import { isTrifle } from '../../../../src/funnel/metrics/metric-features.ts';
import type { MetricSeries } from '../../../../src/domain/telemetry.ts';
import { incident, series, telemetry, TRIGGER_MS } from '../incident-model/shop.ts';

/** Samples every 15 s, an hour before the alert to three minutes after it. */
function fine(value: (second: number) => number): MetricSeries {
  const seconds = Array.from({ length: 4 * 63 }, (_, i) => i * 15 - 3600);
  return {
    ...series('orders', 'errors_per_second', () => 0, { unit: '1/s' }),
    timesMs: Float64Array.from(seconds, (second) => TRIGGER_MS + second * 1000),
    values: Float64Array.from(seconds, value),
  };
}

function viewOf(one: MetricSeries) {
  const [view] = modelIncident(incident(), telemetry({ series: [one] })).series;
  if (!view) throw new Error('no view');
  return view;
}

const said = (one: MetricSeries) => metricFact(viewOf(one), TRIGGER_MS).evidence.statement;
const within = (second: number, from: number, to: number) => second >= from && second < to;

describe('the same fault twice in the incident window', () => {
  test('the rise nearest before the alert is meant when the series had recovered in between', () => {
    const twice = fine((s) => (within(s, -240, -120) ? 14 : s >= -30 ? 13 : 0));
    expect(said(twice)).toContain('0 → 13 /s; since 30 s before the alert, still so');
  });

  test('a rise after the alert or a mere ripple does not replace what came before it', () => {
    const since = 'since 3 min before the alert, for 2 min';
    expect(said(fine((s) => (within(s, -180, -60) ? 14 : s >= 100 ? 13 : 0)))).toContain(since);
    expect(said(fine((s) => (within(s, -180, -60) ? 14 : within(s, -30, 0) ? 2 : 0)))).toContain(since);
  });
});

describe('what a resource has to move to matter', () => {
  const to = (metric: string, from: number, now: number, unit?: string) =>
    isTrifle(viewOf(series('prometheus', metric, (m) => (m >= -3 ? now : from), unit === undefined ? {} : { unit })));

  test.each<[string, number, number, string | undefined, boolean]>([
    ['process_cpu_usage', 0.0008, 0.0013, 'cores', true],
    ['process_cpu_usage', 0.01, 0.4, 'cores', false],
    ['process_open_fds_ratio', 0.0007, 0.00085, undefined, true],
    ['process_open_fds_ratio', 0.1, 0.9, undefined, false],
    ['cpu_percent', 1, 1.2, '%', true],
    ['errors_per_second', 0, 0.004, '1/s', false],
  ])('%s from %d to %d %s', (metric, from, now, unit, trifle) => {
    expect(to(metric, from, now, unit)).toBe(trifle);
  });
});
