import { describe, expect, test } from '@jest/globals';
import type { MetricSeries, Telemetry } from '../../../../src/domain/telemetry.ts';
import { analyse } from '../../../../src/funnel/analyst/analyse.ts';
import { distil } from '../../../../src/funnel/distil.ts';
import { incident, series, telemetry } from '../incident-model/shop.ts';

const CHECK = incident({ kind: 'check', title: 'Golden signals', service: undefined, labels: {}, annotations: {} });
const OPTIONS = { tokenBudget: 5820, eventWindowMs: 300_000 };

function check(over: Partial<Telemetry>) {
  const given = telemetry({ rawCharacters: 10_000, ...over });
  const brief = distil(CHECK, given, OPTIONS);
  return { brief, conclusion: analyse(CHECK, brief) };
}

/** Repeatable noise, −1 to 1. */
const noise = (minute: number, salt: number) => Math.sin(minute * 12.9898 + salt * 78.233);
const jitter = (usual: number, part: number, salt: number) => (minute: number) =>
  usual * (1 + part * noise(minute, salt));

/** Traffic, latency, processor and the odd error of a shop in which nothing is wrong. */
function healthyShop(salt = 0): MetricSeries[] {
  return ['web', 'orders', 'payments', 'stock'].flatMap((service, i) => [
    series(service, 'http_requests_per_second', jitter(20, 0.2, i + salt), { unit: '1/s' }),
    series(service, 'http_requests_total_errors_per_second', (m) => ((m + 60 + i + salt) % 17 === 0 ? 0.02 : 0), {
      unit: '1/s',
    }),
    series(service, 'http_request_duration_seconds_p95', jitter(0.06, 0.25, i + salt + 5), { unit: 's' }),
    series(service, 'process_cpu_cores', jitter(0.001, 0.4, i + salt + 9), { unit: 'cores' }),
    series(service, 'process_open_fds_ratio', jitter(0.0007, 0.2, i + salt + 3)),
  ]);
}

/** Two earlier outages of half an hour together, health, and a third outage at the tick. */
const isOut = (minute: number) => (minute >= -55 && minute < -43) || (minute >= -34 && minute < -22) || minute >= -4;
const outage = [
  series('orders', 'http_requests_total_errors_per_second', (m) => (isOut(m) ? 13 : 0), { unit: '1/s' }),
  series('orders', 'http_request_duration_seconds_p95', (m) => (isOut(m) ? 2 : 0.06), { unit: 's' }),
];

describe('a scheduled check', () => {
  test.each([0, 1, 2, 3, 4, 5, 6, 7])('everyday noise is healthy (%d), and only what was read is named', (salt) => {
    const { conclusion } = check({ series: healthyShop(salt) });
    expect(conclusion).toMatchObject({ status: 'healthy', root_cause_type: 'none', root_cause_service: null });
    expect(conclusion.summary).toBe(
      'Nothing notable: metrics were read and show no trouble; logs, events, changes and traces were not.',
    );
    expect(conclusion.confidence).toBeLessThan(0.8);
  });

  test('an outage at the tick is not healthy, though the window holds two more', () => {
    const others = healthyShop().filter(({ service }) => service !== 'orders');
    const { conclusion, brief } = check({ series: [...others, ...outage] });
    expect(conclusion.status).not.toBe('healthy');
    expect(conclusion.root_cause_service).toBe('orders');
    expect(brief.trouble?.length).toBe(2);
    expect(conclusion.evidence).toEqual(expect.arrayContaining([...(brief.trouble ?? [])]));
    expect(conclusion.confidence_reasons.slice(0, 2)).toEqual([
      'there is trouble by any measure (M1, M2), all of it in orders',
      'although: what was read holds earlier trouble too, so that no clear beginning shows',
    ]);
    expect(JSON.stringify(conclusion)).not.toContain('alerting service');
  });

  test.each<[string, MetricSeries]>([
    ['errors from zero', outage[0] as MetricSeries],
    ['latency that doubles', outage[1] as MetricSeries],
    ['a service that is down', series('stock', 'up_availability', (m) => (m >= -3 ? 0 : 1))],
    ['a limit that is reached', series('stock', 'memory_utilization_percent', (m) => (m >= -3 ? 97 : 40))],
    ['traffic that stops', series('stock', 'http_requests_per_second', (m) => (m >= -3 ? 0 : 25), { unit: '1/s' })],
  ])('%s is not healthy, all services being candidates', (_name, trouble) => {
    const others = healthyShop().filter(
      ({ metric, service }) => metric !== trouble.metric || service !== trouble.service,
    );
    const { conclusion } = check({ series: [...others, trouble] });
    expect(conclusion.status).not.toBe('healthy');
    expect(conclusion.root_cause_service).toBe(trouble.service);
  });

  test.each<[string, Partial<Telemetry>]>([
    ['nothing', { rawCharacters: 0 }],
    [
      'no sample near the tick',
      {
        series: [
          series('web', 'latency_p95', () => 0.1, {
            timesMs: new Float64Array([1, 2, 3]),
            values: new Float64Array([1, 1, 1]),
          }),
        ],
      },
    ],
  ])('with %s read it is inconclusive, never healthy', (_name, over) => {
    const { conclusion } = check(over);
    expect(conclusion).toMatchObject({ status: 'inconclusive', root_cause_service: null, confidence: 0 });
    expect(conclusion.confidence_reasons[0]).toBe('no telemetry could be read');
  });
});
