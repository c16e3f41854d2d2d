import { describe, expect, test } from '@jest/globals';
import type { LogRecord } from '../../../../src/domain/telemetry.ts';
import { series, step, TRIGGER_MS } from '../incident-model/shop.ts';
import { finding, latencies, rank } from './rank-shop.ts';

const line = (service: string, message: string, i: number, level = 'INFO'): LogRecord => ({
  timeMs: TRIGGER_MS - 60_000 + i * 10,
  service,
  level,
  message,
});
const routine = Array.from({ length: 50 }, (_, i) => line('orders', `order ${i} accepted`, i));
const errors = (service: string, message: string) =>
  Array.from({ length: 20 }, (_, i) => line(service, message, i, 'ERROR'));
const reference = { logs: routine, spans: [] };

describe('who only passes trouble on', () => {
  test('blame is handed along the calls to the service whose own errors name a cause', () => {
    const { ranking, first, typesOf } = rank({
      logs: [
        ...routine,
        ...errors('web', 'POST /order failed: orders answered 502'),
        ...errors('orders', 'order not placed: payments answered 503'),
        ...errors('payments', 'connection pool exhausted: no connection to stock within 2000 ms'),
      ],
      reference,
    });
    expect(first).toMatchObject({ service: 'payments', rootCauseType: 'connection_exhaustion' });
    expect(typesOf('payments')).toEqual(expect.arrayContaining(['new-error', 'blame']));
    expect(typesOf('orders')).not.toContain('blame');
    const second = ranking.suspects[1];
    expect(second?.score).toBeLessThan(first.score / 2);
  });

  test('an exhausted pool is its holder’s own: the healthy service at its other end is not blamed', () => {
    const { typesOf } = rank({
      logs: [...routine, ...errors('payments', 'connection pool exhausted: no connection to "stock" within 2000 ms')],
      reference,
    });
    expect(typesOf('stock')).toEqual([]);
  });

  test('a pool that a slow callee fills is a consequence', () => {
    const pool = [
      series('orders', 'db_pool_used_ratio', step(0.3, 1)),
      series('orders', 'db_pool_waiting', step(0, 40)),
    ];
    const given = {
      logs: [...routine, ...errors('orders', 'connection pool exhausted: no connection to stock')],
      reference,
    };
    const levels = (stock: number) =>
      latencies({ web: [0.2, 1.2], orders: [0.1, 1.1], stock: [0.05, stock], payments: [0.05, 0.05] });
    const slow = rank({ ...given, series: [...levels(1.05), ...pool] });
    expect(slow.first.service).toBe('stock');
    expect(slow.ranking.confidence).toBeGreaterThan(0.6);
    const healthy = rank({ ...given, series: [...levels(0.05), ...pool] });
    expect(healthy.first).toMatchObject({ service: 'orders', rootCauseType: 'connection_exhaustion' });
  });

  test('a pool that the callee says is exhausted is the callee’s', () => {
    const { first } = rank({
      logs: [...routine, ...errors('orders', 'payments answered 503: connection pool exhausted')],
      reference,
    });
    expect(first).toMatchObject({ service: 'payments', rootCauseType: 'connection_exhaustion' });
  });

  test('services that blame each other keep the blame', () => {
    const { ranking } = rank({
      logs: [
        ...routine,
        ...errors('orders', 'call to payments failed with 500'),
        ...errors('payments', 'call to orders failed with 500'),
      ],
      reference,
    });
    expect(ranking.suspects.slice(0, 2).map(({ service }) => service)).toEqual(
      expect.arrayContaining(['orders', 'payments']),
    );
  });

  test('failures of a service that gives up on a slow callee are blamed on that one', () => {
    const given = (service: string, errors: number, seconds: number) => [
      series(service, 'errors_per_second', (m) => (m >= -2 ? errors : 0), { unit: '1/s' }),
      series(service, 'latency_p95_seconds', step(0.05, seconds)),
      series(service, 'requests_per_second', step(100, 100), { unit: '1/s' }),
    ];
    const all = (stock: number) => [
      ...given('web', 40, 1.1),
      ...given('orders', 40, 1.1),
      ...given('stock', 0, stock),
      ...given('payments', 0, 0.05),
    ];
    expect(rank({ series: all(1.05) }).first.service).toBe('stock');
    expect(rank({ series: all(0.05) }).first.service).toBe('orders');
  });

  test('one failure among thousands of requests is no symptom to divide', () => {
    const shareOf = (errors: number) =>
      rank({
        series: ['web', 'orders', 'stock'].flatMap((service) => [
          series(service, 'errors_per_second', (m) => (m >= -2 && service !== 'stock' ? errors : 0), { unit: '1/s' }),
          series(service, 'requests_per_second', step(1000, 1000), { unit: '1/s' }),
        ]),
      })
        .ranking.suspects.find(({ service }) => service === 'orders')
        ?.reasons.find(({ type }) => type === 'share')?.score ?? 0;
    expect(shareOf(1)).toBeLessThan(shareOf(100) / 2);
  });

  const slowEdges = [
    series('orders', 'client_duration_seconds_p95_from:web', step(0.5, 4.8)),
    series('payments', 'client_duration_seconds_p95_from:orders', step(0.5, 2.5)),
    series('payments', 'http_request_duration_seconds_p95', step(0.5, 2.5)),
  ];
  const calls = (now: number) => [
    series('orders', 'http_requests_per_second', step(7, 7)),
    series('payments', 'client_requests_per_second_from:orders', step(7, now)),
  ];
  const edgeOf = (all: ReturnType<typeof calls>, service: string) => {
    const { ranking } = rank({ series: [...slowEdges, ...all] });
    const suspect = ranking.suspects.find((each) => each.service === service);
    return suspect?.reasons.find(({ type }) => type === 'edge')?.score ?? 0;
  };

  test('retries of a slow call explain the excess of the caller', () => {
    expect(edgeOf(calls(10.5), 'orders')).toBeLessThan(edgeOf(calls(7), 'orders') / 2);
    expect(edgeOf(calls(10.5), 'payments')).toBeGreaterThan(4 * edgeOf(calls(10.5), 'orders'));
  });

  test('quantiles of one edge are compared each with its like, whatever their order', () => {
    const measured = (side: string, quantile: string, now: number) =>
      series('payments', `${side}_duration_seconds_${quantile}_from:orders`, step(0.1, now));
    const slowTail = [
      measured('client', 'p50', 0.1),
      measured('client', 'p95', 2.1),
      measured('server', 'p95', 2.1),
      measured('server', 'p50', 0.1),
    ];
    expect(rank({ series: slowTail }).first).toMatchObject({ service: 'payments', rootCauseType: 'unknown' });
  });

  test('time lost on the way to several callees is lost at the caller they share', () => {
    const edge = (callee: string, caller: string, now: number) => [
      series(callee, `client_duration_seconds_p95_from:${caller}`, step(0.02, now)),
      series(callee, `server_duration_seconds_p95_from:${caller}`, step(0.018, 0.018)),
    ];
    const lostAt = (stock: number) =>
      rank({ series: [...edge('payments', 'orders', 0.5), ...edge('stock', 'orders', stock)] }).first;
    expect(lostAt(0.5)).toMatchObject({ service: 'orders', rootCauseType: 'network_latency' });
    expect(lostAt(0.02)).toMatchObject({ service: 'payments', rootCauseType: 'network_latency' });
  });

  test('time that a client waits for its own exhausted pool is not lost on the way', () => {
    const measured = (side: string, now: number) =>
      series('stock', `${side}_duration_seconds_p95_from:orders`, step(0.01, now));
    const gap = [measured('client', 2), measured('server', 0.01)];
    const pool = [
      series('orders', 'db_pool_used_ratio', step(0.3, 1)),
      series('orders', 'db_pool_waiting', step(0, 40)),
    ];
    expect(rank({ series: gap }).first).toMatchObject({ service: 'stock', rootCauseType: 'network_latency' });
    expect(rank({ series: [...gap, ...pool] }).first).toMatchObject({
      service: 'orders',
      rootCauseType: 'connection_exhaustion',
    });
  });

  test('a callee that is slow by its own measure is no slow network', () => {
    expect(rank({ series: slowEdges }).first).toMatchObject({ service: 'payments', rootCauseType: 'unknown' });
  });
});

describe('limits', () => {
  test.each([
    ['db_pool_used_ratio', 0.3, 1, 'connection_exhaustion'],
    ['disk_used_percent', 60, 99, 'disk_full'],
    ['db_pool_waiting_requests', 0, 28, 'connection_exhaustion'],
    ['consumer_lag', 10, 9000, 'queue_backlog'],
    ['process_open_fds_ratio', 0.2, 0.99, 'connection_exhaustion'],
  ])('%s from %d to %d says %s', (metric, usual, now, type) => {
    const { first, typesOf } = rank({ series: [series('stock', metric, step(usual, now))] });
    expect(first).toMatchObject({ service: 'stock', rootCauseType: type });
    expect(typesOf('stock')).toContain('limit');
  });

  test('a used count is held against the maximum beside it, also when the maximum fell', () => {
    const pool = [
      series('stock', 'pool_connections_in_use', () => 2),
      series('stock', 'pool_connections_max', (minute) => (minute >= -2 ? 2 : 16)),
    ];
    expect(rank({ series: pool }).typesOf('stock')).toContain('limit');
  });

  test('the maximum of another instance is no limit', () => {
    const of = (pod: string) => ({ labels: { pod } });
    const pools = (limited: string) => [
      series('stock', 'pool_connections_in_use', step(1, 8), of('a')),
      series('stock', 'pool_connections_in_use', step(1, 1), of('b')),
      series('stock', 'pool_connections_max', () => 8, of(limited)),
      series('stock', 'pool_connections_max', () => 99, of('c')),
    ];
    expect(rank({ series: pools('a') }).typesOf('stock')).toContain('limit');
    expect(rank({ series: pools('b') }).typesOf('stock')).not.toContain('limit');
  });

  test('half a pool is no trouble', () => {
    const half = series('stock', 'db_pool_used_ratio', step(0.1, 0.5));
    expect(rank({ series: [half] }).typesOf('stock')).not.toContain('limit');
  });
});

describe('the change that set it off', () => {
  const full = [series('stock', 'db_pool_used_ratio', step(0.3, 1))];
  const changeAt = (minutes: number, text: string) => {
    const change = finding('stock', 0.5, 'config_change', 'change');
    const evidence = { ...change.evidence, statement: text, atMs: TRIGGER_MS + minutes * 60_000 };
    return { ...change, key: `change:stock/${minutes}`, evidence };
  };

  test('is the last one before the onset', () => {
    const states = [changeAt(-12, 'older'), changeAt(-3, 'newer')];
    expect(rank({ series: full }, states).first.trigger?.statement).toBe('newer');
  });

  test('is none that came after the trouble, long before it, or to another service', () => {
    for (const minutes of [2, -90]) {
      expect(rank({ series: full }, [changeAt(minutes, 'other')]).first.trigger).toBeUndefined();
    }
    const elsewhere = { ...changeAt(-3, 'elsewhere'), service: 'search' };
    expect(rank({ series: full }, [elsewhere]).first.trigger).toBeUndefined();
  });
});

test('a tie is never above one half, and every step away from it is worth more', () => {
  const shared = (other: number) =>
    rank({
      series: [
        series('payments', 'cpu_usage_percent', step(20, 90)),
        series('stock', 'cpu_usage_percent', step(20, other)),
        ...['web', 'orders', 'search'].map((service) => series(service, 'cpu_usage_percent', step(20, 20))),
      ],
    }).ranking;
  const [tie, near, far] = [shared(90), shared(60), shared(30)];
  expect(tie.confidence).toBeLessThanOrEqual(0.5);
  expect(near.confidence).toBeGreaterThan(tie.confidence);
  expect(far.confidence).toBeGreaterThan(near.confidence);
  expect(tie.confidenceReasons.join('\n')).toMatch(/^although: (payments|stock) is nearly as suspicious \(/m);
  for (const { confidenceReasons } of [tie, near, far]) expect(confidenceReasons.length).toBeLessThanOrEqual(3);
});
