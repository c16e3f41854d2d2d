import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { modelIncident } from '../../../../src/funnel/incident-model.ts';
import { findShift } from '../../../../src/funnel/metrics/change-point.ts';
import { isCounter, rateOfCounter } from '../../../../src/funnel/metrics/counter-rate.ts';
import { classifyMetric, edgeOfMetric, isShare, secondsPerUnit } from '../../../../src/funnel/metrics/metric-class.ts';
import { metricFact } from '../../../../src/funnel/metrics/metric-evidence.ts';
import { metricFeatures } from '../../../../src/funnel/metrics/metric-features.ts';
import { displayUnit } from '../../../../src/funnel/metrics/metric-unit.ts';
import { deviationPercent, numberWord, quantityWord } from '../../../../src/funnel/metrics/number-words.ts';
import { readMetrics } from '../../../../src/funnel/metrics/read-metrics.ts';
import { estimateTokens } from '../../../../src/funnel/tokens.ts';
import type { MetricSeries } from '../../../../src/domain/telemetry.ts';
import { incident, MINUTE_MS, series, step, telemetry, TRIGGER_MS } from '../incident-model/shop.ts';

const modelOf = (...all: MetricSeries[]) => modelIncident(incident(), telemetry({ series: all }));
const statementOf = (one: MetricSeries) => {
  const [view] = modelOf(one).series;
  if (!view) throw new Error('no view');
  return metricFact(view, TRIGGER_MS).evidence.statement;
};

describe('deviation', () => {
  test.each([
    [42.1, 2840.5, 6647],
    [0.12, 4.85, 3941.7],
    [32.5, 35.1, 8],
    [100, 25, -75],
    [-4, -2, 50],
  ])('C2: %d → %d is %d %%', (baseline, peak, percent) => {
    expect(deviationPercent(baseline, peak)).toBe(percent);
  });

  test('C2: a baseline of 0 has no percentage; the numbers say it all', () => {
    expect(deviationPercent(0, 12)).toBeNull();
    expect(statementOf(series('orders', 'errors_per_second', (minute) => (minute >= -2 ? 12 : 0)))).toMatch(
      /^orders errors_per_second: 0 → 12 \/s; since /,
    );
  });
});

describe('the statement of a metric', () => {
  test('C2, C7: holds baseline, peak, deviation, change point, duration, percentiles, unit and relative times', () => {
    const statement = statementOf(
      series('orders', 'latency_p95', (minute) => (minute >= -2 ? 2840.5 : 42.1), { unit: 'ms' }),
    );
    expect(statement).toBe(
      'orders latency_p95: 42.1 ms → 2.84 s (+6650 %); ' +
        'since 2 min before the alert, still so; P95 2.84 s, P99 2.84 s',
    );
  });

  test('C2: a shift that ended says how long it was', () => {
    expect(statementOf(series('orders', 'cpu', (minute) => (minute >= -3 && minute < 0 ? 9 : 1)))).toContain(
      'for 3 min',
    );
  });

  test('C2: the peak of an availability is its lowest value', () => {
    expect(statementOf(series('orders', 'availability', (minute) => (minute >= -2 ? 61 : 100)))).toContain(
      '100 → 61 (−39 %)',
    );
  });

  test.each([
    ['client_duration_seconds_p95_from:web', undefined, 0.53, 'calls from web to orders, p95: 0.53 s → 2.12 s'],
    ['client_errors_per_second_from:web', undefined, 3, 'failing calls from web to orders: 3 /s → 12 /s'],
    ['server_p50_from:web', 'ms', 4, 'calls from web as orders sees them, p50: 4 ms → 16 ms'],
    ['grpc_client_stream_latency_from:web', 's', 1, 'calls from web to orders (stream): 1 s → 4 s'],
    ['CpuUsage(m)', undefined, 12, 'orders CpuUsage(m): 12 → 48 millicores'],
    ['MemoryUsage(Mi)', undefined, 300, 'orders MemoryUsage(Mi): 300 MiB → 1.17 GiB'],
    ['pool_used_ratio', undefined, 0.2, 'orders pool_used_ratio: 20 % → 80 %'],
    ['amplification_ratio', undefined, 2, 'orders amplification_ratio: 2 → 8'],
    ['queue_age_seconds_max', undefined, 0.01, 'orders queue_age_seconds_max: 10 ms → 40 ms'],
    ['cache_bytes_in_use', undefined, 4096, 'orders cache_bytes_in_use: 4 KiB → 16 KiB'],
  ])('C2: %s (%s) is said with its unit, an edge in words', (metric, unit, usual, words) => {
    const one = series('orders', metric, (minute) => (minute >= -2 ? 4 * usual : usual), unit ? { unit } : {});
    expect(statementOf(one).split(' (+')[0]).toBe(words);
  });

  test('C2: zero is zero in every unit', () => {
    const waiting = series('orders', 'queue_bytes', (minute) => (minute >= -2 ? 2048 : 0));
    expect(statementOf(waiting)).toMatch(/^orders queue_bytes: 0 → 2 KiB; /);
  });

  test('C2: fewer than 6 samples are insufficient', () => {
    const short = { ...series('orders', 'cpu', step(1, 9)) };
    const cut = { ...short, timesMs: short.timesMs.subarray(57, 62), values: short.values.subarray(57, 62) };
    expect(statementOf(cut)).toMatch(/^orders cpu: insufficient points \(5\)/);
  });

  test('C8: stays short for long names and large numbers', () => {
    const long = series(
      'recommendation-service',
      `container_memory_working_set_bytes_${'x'.repeat(200)}`,
      step(2e8, 9.4e9),
      { unit: 'By' },
    );
    expect(estimateTokens(statementOf(long))).toBeLessThan(90);
    expect(
      estimateTokens(statementOf(series('orders', 'latency_p95', step(0.0421, 2.8405), { unit: 's' }))),
    ).toBeLessThan(70);
  });

  test('C2: no series can make a number that is not one', () => {
    const anyNumber = fc.oneof(fc.double(), fc.constantFrom(NaN, Infinity, -Infinity, 0, -0, 5e-324, 1.7e308));
    fc.assert(
      fc.property(fc.array(anyNumber, { minLength: 63, maxLength: 63 }), (values) => {
        const one = { ...series('orders', 'http_requests_total', () => 0), values: Float64Array.from(values) };
        const layer = readMetrics(modelOf(one));
        for (const { evidence, weight } of layer.items) {
          expect(evidence.statement).not.toMatch(/NaN|Infinity|not a number|undefined/);
          expect((evidence.numbers ?? []).every(Number.isFinite) && Number.isFinite(weight)).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });
});

test('C2: the largest number of a computer stands for "no limit" and is no measurement', () => {
  const unlimited = series('orders', 'memory_limit_bytes', (minute) => (minute === 1 ? 5 : Number.MAX_VALUE));
  expect(statementOf(unlimited)).toContain('insufficient points (1)');
});

describe('the change point', () => {
  test('is the first row of the stretch around the peak, whatever happened earlier', () => {
    const values = [1, 1, 9, 1, 1, 1, 1, 8, 9, 8, 1];
    expect(findShift(values, 1, 8, 8)).toEqual({ from: 7, to: 9 });
  });

  test('a single dip inside a shift does not end it, a long return does', () => {
    expect(findShift([1, 9, 9, 1, 9, 9], 1, 8, 4)).toEqual({ from: 1, to: 5 });
    expect(findShift([1, 9, 9, 1, 1, 1, 9], 1, 8, 6)).toEqual({ from: 6, to: 6 });
  });

  test('looks for drops when the size is negative, and finds none in a flat series', () => {
    expect(findShift([5, 5, 1, 1], 5, -4, 2)).toEqual({ from: 2, to: 3 });
    expect(findShift([5, 5, 5], 5, 3, 1)).toBeUndefined();
  });
});

describe('counters', () => {
  test('become rates a second, and a restart is no negative rate', () => {
    const times = Float64Array.from({ length: 6 }, (_, i) => i * 10_000);
    const { values } = rateOfCounter(times, Float64Array.from([0, 10, 20, 5, 15, 25]));
    expect([...values]).toEqual([1, 1, 0.5, 1, 1]);
  });

  test('are known by name and by behaviour together', () => {
    expect(isCounter('http_requests_total', [1, 2, 3, 4, 5, 6])).toBe(true);
    expect(isCounter('http_requests_total', [5, 1, 4, 2, 9, 3])).toBe(false);
    expect(isCounter('temperature', [1, 2, 3, 4, 5, 6])).toBe(false);
    const withRestart = Array.from({ length: 60 }, (_, i) => (i < 40 ? i : i - 40));
    expect(isCounter('jobs_total', withRestart)).toBe(true);
  });
});

describe('names and units', () => {
  test.each([
    ['container_cpu_usage_seconds_total', undefined, 'cpu'],
    ['PodServerLatencyP99(s)', undefined, 'latency'],
    ['http_request_duration_seconds', undefined, 'latency'],
    ['container_memory_working_set_bytes', undefined, 'memory'],
    ['SuccessRate(%)', undefined, 'availability'],
    ['http_5xx_per_second', undefined, 'error'],
    ['kafka_consumer_lag', undefined, 'queue'],
    ['node_load1', undefined, 'node'],
    ['deployment_replicas_unavailable', undefined, 'error'],
    ['process_open_fd_ratio', '1', 'queue'],
    ['nodejs_heap_used_bytes', undefined, 'memory'],
    ['requests_Sum', undefined, 'requests'],
    ['http_requests_in_flight', undefined, 'queue'],
    ['container_memory_page_faults', undefined, 'other'],
    ['container_network_receive_packets_dropped_total', undefined, 'network'],
    ['pod_process_count', undefined, 'other'],
    ['thing', 'ms', 'latency'],
    ['thing', undefined, 'other'],
  ] as const)('%s (%s) is of class %s', (metric, unit, metricClass) => {
    expect(classifyMetric(metric, unit)).toBe(metricClass);
  });

  test.each([
    'kube_pod_container_resource_limits',
    'envoy_cluster_upstream_rq_time',
    'bytes_read_from_disk_total',
    'data_source_errors',
    'resource:cpu',
  ])('%s is no metric of a call edge', (metric) => {
    expect(edgeOfMetric(metric)).toBeUndefined();
  });

  test('a latency knows its seconds, an edge its caller', () => {
    expect(secondsPerUnit('latency_ms', undefined)).toBe(1e-3);
    expect(secondsPerUnit('Latency(us)', undefined)).toBe(1e-6);
    expect(secondsPerUnit('latency', 's')).toBe(1);
    expect(edgeOfMetric('server_p50_from:cart')).toEqual({ peer: 'cart', peerIs: 'caller', measuredAt: 'callee' });
    const called = { peer: 'cart', peerIs: 'callee', measuredAt: 'caller' };
    expect(edgeOfMetric('client_duration_mean_seconds_to:cart.shop.svc.cluster.local:8080')).toEqual(called);
    expect(edgeOfMetric('client_duration_mean_seconds_to:api.example.com:443')?.peer).toBe('api.example.com');
    expect(edgeOfMetric('latency_p50')).toBeUndefined();
    expect(displayUnit('size_bytes', undefined)).toBe('By');
    expect(displayUnit('requests', '1/s')).toBe('/s');
    expect([isShare('cpu_limit_ratio', '1'), isShare('request_duration', 's')]).toEqual([true, false]);
  });

  test('numbers read like numbers', () => {
    expect([0, 2840.5, 0.00496, 1e12, 123456.7].map(numberWord)).toEqual([
      '0',
      '2840',
      '0.00496',
      '1.00e+12',
      '123,000',
    ]);
    expect(quantityWord(512 * 1024 * 1024, 'By')).toBe('512 MiB');
  });
});

describe('the metric layer', () => {
  const quiet = Array.from({ length: 200 }, (_, i) => series(`s${i % 20}`, `gauge_${i}`, step(5, 5)));
  const constant = Array.from({ length: 12 }, (_, i) => series('web', `constant_${i}`, () => 1));

  test('C1: hundreds of series become a few sentences, and the rest is counted', () => {
    const layer = readMetrics(modelOf(...quiet, ...constant, series('payments', 'cpu_usage', step(0.1, 0.9))));
    expect(layer.items.map(({ key }) => key)).toEqual(['metric:payments/cpu_usage']);
    expect(layer.notes).toEqual(['212 series without a notable change, 12 of them constant']);
  });

  test('quantiles of one metric are one sentence; services stay together, the most telling first', () => {
    const layer = readMetrics(
      modelOf(
        ...['p50', 'p95', 'p99'].map((q) => series('stock', `latency_${q}`, step(0.1, 0.5))),
        series('payments', 'latency_p95', step(0.1, 5)),
        series('payments', 'queue_length', step(10, 30)),
      ),
    );
    expect(layer.items.map(({ evidence }) => evidence.service)).toEqual(['payments', 'payments', 'stock']);
    expect(layer.notes[0]).toMatch(/^2 more series with a notable change are not shown/);
  });

  test('no series is said to be none', () => {
    expect(readMetrics(modelOf())).toEqual({ items: [], notes: ['no metric series'] });
  });

  test('the series of the alert itself is always shown, with its query and link', () => {
    const own = series('web', 'slo_ratio', step(5, 5), {
      fromAlert: true,
      query: 'slo:ratio',
      link: 'http://prometheus/graph',
    });
    const [item] = readMetrics(modelOf(...quiet, own)).items;
    expect(item?.evidence).toMatchObject({ service: 'web', query: 'slo:ratio', link: 'http://prometheus/graph' });
  });

  test('a series of 300,000 samples is no danger to the stack', () => {
    const n = 300_000;
    const timesMs = Float64Array.from({ length: n }, (_, i) => TRIGGER_MS + (i - n + 60) * 1000);
    const values = timesMs.map((time) => (time > TRIGGER_MS - MINUTE_MS ? 50 : 1) + (time % 7));
    const [view] = modelOf({ service: 'web', metric: 'cpu', timesMs, values }).series;
    const result = view && metricFeatures(view);
    expect(result?.kind === 'features' && result.features.shift?.ongoing).toBe(true);
  });
});
