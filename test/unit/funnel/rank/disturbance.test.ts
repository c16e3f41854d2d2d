import { describe, expect, test } from '@jest/globals';
import type { MetricSeries, Span } from '../../../../src/domain/telemetry.ts';
import { SHOP, TRIGGER_MS } from '../incident-model/shop.ts';
import { finding, rank } from './rank-shop.ts';

const STEP_MS = 5000;
const METRICS = {
  cpu_usage_cores: 0.4,
  memory_rss_bytes: 4e8,
  network_rx_bytes: 2e5,
  network_tx_bytes: 3e5,
  fs_writes: 20,
  threads: 30,
} as const;
type Metric = keyof typeof METRICS;
/** Level from the onset on, relative to the usual one. */
type Change = Partial<Record<Metric, number>>;

const ONSET_S = -50;

/** Five-second samples of every service from 150 s before the alert to 40 s after it: a short recording without any symptom metric. */
function pods(changes: Record<string, Change>): MetricSeries[] {
  return SHOP.services.flatMap((service, s) =>
    Object.entries(METRICS).map(([metric, usual], m) => {
      const rows = Array.from({ length: 39 }, (_, i) => -150 + i * 5);
      const factor = changes[service]?.[metric as Metric] ?? 1;
      const ripple = (row: number) => 1 + 0.06 * Math.sin(row * (1.3 + s + 0.7 * m));
      return {
        service,
        metric,
        timesMs: Float64Array.from(rows, (second) => TRIGGER_MS + second * (STEP_MS / 5)),
        values: Float64Array.from(rows, (second, row) => usual * ripple(row) * (second >= ONSET_S ? factor : 1)),
      };
    }),
  );
}

const less = (factor: number): Change => ({
  cpu_usage_cores: factor,
  network_rx_bytes: factor,
  network_tx_bytes: factor,
  fs_writes: factor,
});
const first = (changes: Record<string, Change>) => rank({ series: pods(changes) }).first;

describe('short recordings of pods without a symptom metric', () => {
  test('resources that rise without more requests are the service’s own', () => {
    expect(first({ web: less(0.8), orders: less(0.7), stock: { cpu_usage_cores: 3 } })).toMatchObject({
      service: 'stock',
      rootCauseType: 'cpu_saturation',
    });
    expect(first({ web: less(0.8), payments: { memory_rss_bytes: 2 } })).toMatchObject({
      service: 'payments',
      rootCauseType: 'memory_exhaustion',
    });
  });

  test('more work that comes in explains more processor time', () => {
    const busy = { cpu_usage_cores: 3, network_rx_bytes: 3, network_tx_bytes: 3, fs_writes: 3 };
    expect(first({ search: busy, stock: { cpu_usage_cores: 3 } }).service).toBe('stock');
  });

  test('who has less to do because its caller calls less is a victim of that caller', () => {
    expect(first({ web: less(0.6), orders: less(0.15), payments: less(0.15), stock: less(0.15) }).service).toBe(
      'orders',
    );
  });

  test('who holds threads while it waits speaks against the one it waits for', () => {
    const { first: suspect, typesOf } = rank({
      series: pods({
        web: { ...less(0.6), threads: 4 },
        orders: { ...less(0.45), threads: 4 },
        payments: { ...less(0.08), fs_writes: 1 },
      }),
    });
    expect(suspect.service).toBe('payments');
    expect(typesOf('payments')[0]).toBe('disturbance');
  });

  test('a burst that was over before the alert is no cause', () => {
    const burst = pods({ stock: { cpu_usage_cores: 1.8 } }).map((one) => {
      if (one.service !== 'payments' || one.metric !== 'fs_writes') return one;
      const isBurst = (i: number) => {
        const second = ((one.timesMs[i] ?? 0) - TRIGGER_MS) / 1000;
        return second >= -40 && second < -25;
      };
      return { ...one, values: one.values.map((value, i) => (isBurst(i) ? value * 500 : value)) };
    });
    expect(rank({ series: burst }).first.service).toBe('stock');
  });

  test('failing probes of those who wait do not outvote what the metrics show', () => {
    const probes = ['web', 'orders'].map((service) => finding(service, 0.6, 'probe_failure', 'event'));
    const series = pods({ web: less(0.7), orders: less(0.6), stock: { memory_rss_bytes: 2.2, cpu_usage_cores: 2 } });
    expect(rank({ series }, probes).first.service).toBe('stock');
  });

  test('the trouble of a workload that nobody calls is not that of the alerting service', () => {
    const series = pods({ stock: { memory_rss_bytes: 2.2, cpu_usage_cores: 2 } });
    const events = [finding('debug-shell', 0.9, 'scheduling', 'event')];
    expect(rank({ series }, events).first.service).toBe('stock');
    expect(rank({ series }, [finding('coredns', 0.9, 'dns', 'event')]).first.service).toBe('coredns');
  });

  test('a node that tells which process it killed speaks of that process', () => {
    const killed = finding('node-1', 0.95, 'memory_exhaustion', 'event');
    const statement = 'Warning OOMKilling on Node node-1: Memory cgroup out of memory: Killed process 4123 (payments)';
    const event = { ...killed, key: 'event:Node/node-1/OOMKilling', evidence: { ...killed.evidence, statement } };
    const { first: suspect } = rank({ series: pods({ web: less(0.8) }) }, [event]);
    expect(suspect).toMatchObject({ service: 'payments', rootCauseType: 'memory_exhaustion' });
  });

  test('the spans of a single service measure no symptom that could be compared', () => {
    const span = (service: string, i: number): Span => ({
      timeUs: (TRIGGER_MS - i * 1000) * 1000,
      traceId: `t${i}`,
      spanId: `${service}${i}`,
      parentId: '',
      service,
      operation: 'GET /',
      durationUs: 1000,
    });
    const typesWith = (...services: string[]) =>
      rank({
        series: pods({ stock: { cpu_usage_cores: 3 } }),
        spans: services.map((service, i) => span(service, i)),
      }).typesOf('stock');
    expect(typesWith('web', 'web', 'web')).toContain('disturbance');
    expect(typesWith('web', 'orders')).not.toContain('disturbance');
  });

  test('silence is kept where a symptom is measured', () => {
    const latency = ['web', 'orders'].map((service) => ({
      ...(pods({})[0] as MetricSeries),
      service,
      metric: 'latency_p95_seconds',
    }));
    const { typesOf } = rank({ series: [...pods({ stock: { cpu_usage_cores: 3 } }), ...latency] });
    expect(typesOf('stock')).not.toContain('disturbance');
  });
});
