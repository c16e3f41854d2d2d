import { describe, expect, test } from '@jest/globals';
import type { LogRecord } from '../../../../src/domain/telemetry.ts';
import { latencyEffect, saturate } from '../../../../src/funnel/metrics/effect.ts';
import { series, SHOP, step, TRIGGER_MS } from '../incident-model/shop.ts';
import { latencies, rank } from './rank-shop.ts';

describe('own share of the symptom', () => {
  test('the callee where the latency arises comes before the callers that inherit it', () => {
    const { first, ranking } = rank({
      series: latencies({
        web: [0.2, 1.2],
        orders: [0.1, 1.1],
        payments: [0.05, 1.05],
        stock: [0.05, 0.05],
        search: [0.05, 0.05],
      }),
    });
    expect(first.service).toBe('payments');
    expect(first.reasons[0]?.statement).toContain('of the extra latency of web arises in payments itself');
    expect(ranking.confidence).toBeGreaterThan(0.6);
  });

  test('a callee too slow to lie inside the alerting service is asynchronous and not blamed', () => {
    const { typesOf } = rank({
      series: latencies({ web: [0.2, 1.2], orders: [0.1, 1.1], payments: [5, 60], stock: [0.05, 0.05] }),
    });
    expect(typesOf('payments')).not.toContain('share');
    expect(typesOf('orders')[0]).toBe('share');
  });

  test('errors a second are a flow already, with or without requests of the service', () => {
    const errors = (service: string, now: number) =>
      series(service, 'errors_per_second', (m) => (m >= -2 ? now : 0), { unit: '1/s' });
    const requests = ['web', 'orders', 'search', 'stock'].map((service) =>
      series(service, 'requests_per_second', step(100, 100)),
    );
    const all = [errors('web', 40), errors('orders', 40), errors('payments', 40), errors('stock', 0), ...requests];
    expect(rank({ series: all }).first.service).toBe('payments');
  });

  test('the type is a surge where requests surged, a database where the name says so', () => {
    const slow = latencies({ web: [0.2, 1.2], orders: [0.1, 1.1], payments: [0.05, 0.05] });
    const surged = slow.map((one) =>
      one.service === 'orders' && one.metric === 'requests' ? series('orders', 'requests', step(100, 400)) : one,
    );
    expect(rank({ series: surged }).first).toMatchObject({ service: 'orders', rootCauseType: 'traffic_surge' });
    const topology = { services: [], edges: [{ from: 'web', to: 'orders-db' }] };
    const stored = latencies({ web: [0.2, 1.2], 'orders-db': [0.1, 1.1] });
    expect(rank({ series: stored, topology }).first).toMatchObject({ service: 'orders-db', rootCauseType: 'database' });
  });

  test('failed requests add up the same way', () => {
    const availability = (service: string, now: number) => [
      series(service, 'availability', (minute) => (minute >= -2 ? now : 100)),
      series(service, 'requests', step(100, 100)),
    ];
    const all = [
      ...availability('web', 60),
      ...availability('orders', 60),
      ...availability('stock', 60),
      ...availability('payments', 100),
    ];
    expect(rank({ series: all }).first.service).toBe('stock');
  });
});

describe('other physical effects', () => {
  test('latency at the callers side of an edge blames the callee whose own calls are fast', () => {
    const { first } = rank({
      series: [
        series('orders', 'client_p50_from:web', step(0.05, 0.55)),
        series('payments', 'client_p50_from:orders', step(0.02, 0.5)),
        series('payments', 'server_p50_from:orders', step(0.018, 0.018)),
      ],
    });
    expect(first).toMatchObject({ service: 'payments', rootCauseType: 'network_latency' });
  });

  test('a slow call to an address outside is blamed on the one who answers there', () => {
    const slow = series('payments', 'client_duration_mean_seconds_to:api.example.com:443', step(0.1, 3), { unit: 's' });
    expect(rank({ series: [slow] }).first).toMatchObject({
      service: 'api.example.com',
      rootCauseType: 'external_provider',
    });
  });

  test('a percent of a limit outweighs a larger factor of next to nothing', () => {
    const { first } = rank({
      series: [
        series('payments', 'cpu_usage_percent', step(20, 95)),
        series('stock', 'cpu_usage_percent', step(0.1, 2)),
        ...['web', 'orders'].map((service) => series(service, 'cpu_usage_percent', step(10, 10))),
      ],
    });
    expect(first).toMatchObject({ service: 'payments', rootCauseType: 'cpu_saturation' });
  });

  test('every instance has a limit of its own, and one at its limit is enough', () => {
    const pool = (instance: string, used: (minute: number) => number) => [
      series('payments', 'db_pool_in_use', used, { labels: { instance } }),
      series('payments', 'db_pool_max', () => 16, { labels: { instance } }),
    ];
    const { first } = rank({
      series: [...pool('a', step(4, 4)), ...pool('b', step(4, 15.9)), series('web', 'x', step(1, 1))],
    });
    expect(first).toMatchObject({ service: 'payments', rootCauseType: 'connection_exhaustion' });
  });

  test('a service whose series all stop while others go on is gone', () => {
    const living = series('web', 'cpu', step(1, 1));
    const full = series('stock', 'cpu', step(1, 1));
    const dead = { ...full, timesMs: full.timesMs.subarray(0, 57), values: full.values.subarray(0, 57) };
    const { first } = rank({ series: [living, dead] });
    expect(first.service).toBe('stock');
    expect(first.reasons[0]?.type).toBe('gone');
  });

  test('without any symptom metric, several metrics of a service count together, falling ones too', () => {
    const profile = (service: string, factor: number) =>
      ['cpu_cores', 'network_receive_bytes', 'network_transmit_bytes'].map((metric) =>
        series(service, metric, step(100, 100 * factor)),
      );
    const all = SHOP.services.flatMap((service) => profile(service, service === 'payments' ? 0.2 : 0.8));
    const { first } = rank({ series: all });
    expect(first.service).toBe('payments');
    expect(first.reasons.map(({ type }) => type)).toContain('disturbance');
  });
});

describe('logs', () => {
  const line = (service: string, message: string, i: number, over: Partial<LogRecord> = {}): LogRecord => ({
    timeMs: TRIGGER_MS - 60_000 + i * 10,
    service,
    level: 'INFO',
    message,
    ...over,
  });
  const routine = (n: number) => Array.from({ length: n }, (_, i) => line('orders', `order ${i} accepted`, i));
  const errors = (n: number, service: string, message: string) =>
    Array.from({ length: n }, (_, i) => line(service, message, i, { level: 'ERROR' }));

  test('a new error blames its writer, and its wording names the type', () => {
    const { first } = rank({
      logs: [...routine(50), ...errors(20, 'stock', 'write failed: no space left on device')],
      reference: { logs: routine(50), spans: [] },
    });
    expect(first).toMatchObject({ service: 'stock', rootCauseType: 'disk_full' });
    expect(first.reasons[0]?.type).toBe('new-error');
  });

  test('an error known from the fault-free time is background', () => {
    const known = errors(20, 'stock', 'cache miss failed to warm');
    const { typesOf } = rank({
      logs: [...routine(50), ...known],
      reference: { logs: [...routine(50), ...known], spans: [] },
    });
    expect(typesOf('stock')).not.toContain('new-error');
  });

  test('of a quiet system a few lines show what is usual, when they cover some minutes', () => {
    const scoreAfter = (everyMs: number) => {
      const usual = routine(12).map((one, i) => ({ ...one, timeMs: TRIGGER_MS - 7_200_000 + i * everyMs }));
      const logs = errors(12, 'stock', 'index 7 is out of range');
      return rank({ logs, reference: { logs: usual, spans: [] } }).first.score;
    };
    expect(scoreAfter(60_000)).toBeGreaterThan(scoreAfter(1000));
  });

  test('an error that names another service points there', () => {
    const { first } = rank({
      logs: [...routine(50), ...errors(20, 'orders', 'connect to payments:8080: connection refused')],
      reference: { logs: routine(50), spans: [] },
    });
    expect(first.service).toBe('payments');
  });

  const paths = (n: number, message: (i: number) => readonly string[]) =>
    Array.from({ length: n }, (_, i) => message(i).map((text) => line('stock', text, i, { traceId: `t${i}` }))).flat();
  const usual = { logs: paths(40, () => ['reserve begins for the item', 'reserve done for the item']), spans: [] };

  test('a line that always follows another and now does not is missed', () => {
    const { first } = rank({
      logs: paths(40, (i) =>
        i % 2 ? ['reserve begins for the item'] : ['reserve begins for the item', 'reserve done for the item'],
      ),
      reference: usual,
    });
    expect(first).toMatchObject({ service: 'stock', rootCauseType: 'code_error' });
    expect(first.reasons[0]?.statement).toContain('reserve done for the item');
  });

  test('without a reference, lines and calls from before the incident tell what is usual', () => {
    const hourAgo = TRIGGER_MS - 3_600_000;
    const calls = (n: number, fromMs: number) =>
      Array.from({ length: n }, (_, i) => ({
        timeUs: (fromMs + i * 1000) * 1000,
        traceId: `${fromMs}-${i}`,
        spanId: `${fromMs}-${i}`,
        parentId: '',
        service: 'stock',
        operation: 'reserve',
        durationUs: 1000,
      }));
    const logged = (spans: ReturnType<typeof calls>) =>
      spans.map(({ timeUs, traceId }) =>
        line('stock', 'reserve done for the item', 0, { timeMs: timeUs / 1000, traceId }),
      );
    const [before, now] = [calls(60, hourAgo), calls(40, TRIGGER_MS - 40_000)];
    const { typesOf } = rank({ spans: [...before, ...now], logs: [...logged(before), ...logged(now.slice(0, 12))] });
    expect(typesOf('stock')).toContain('missing-line');
  });

  test('a line that another one replaces is not missed: that is another branch', () => {
    const { typesOf } = rank({
      logs: paths(40, (i) => [
        'reserve begins for the item',
        i % 2 ? 'item already reserved by the customer' : 'reserve done for the item',
      ]),
      reference: usual,
    });
    expect(typesOf('stock')).not.toContain('missing-line');
  });
});

test('effects are bounded and monotone', () => {
  expect([0.01, 0.1, 1, 60].map(latencyEffect).map((effect) => Number(effect.toFixed(2)))).toEqual([0.15, 0.52, 1, 1]);
  expect([-1, 0, 1, 1e9].map((x) => saturate(x))).toEqual([0, 0, 0.5, expect.closeTo(1, 6)]);
});
