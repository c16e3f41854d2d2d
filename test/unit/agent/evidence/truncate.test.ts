import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { downsample } from '../../../../src/agent/evidence/downsample.ts';
import {
  showing,
  truncateErrorLogs,
  truncateInvocations,
  truncateLogs,
  truncateMetrics,
  truncateTraces,
} from '../../../../src/agent/evidence/truncate.ts';

const many = <T>(count: number, item: (place: number) => T) => Array.from({ length: count }, (_, i) => item(i));

describe('A12, A13: caps, and every cut says so', () => {
  test('logs: 50, error logs: 30, of at most 1,000 characters each', () => {
    const logs = many(60, () => ({ message: 'm'.repeat(1001), level: 'ERROR' }));
    expect(truncateLogs(logs)).toHaveLength(50);
    expect(truncateErrorLogs(logs)).toHaveLength(30);
    expect(truncateLogs(logs)[0]).toEqual({ message: `${'m'.repeat(997)}...`, level: 'ERROR' });
    expect(truncateLogs([{ message: 'm'.repeat(1000) }])).toEqual([{ message: 'm'.repeat(1000) }]);
    expect(truncateLogs([{ message: 7 }, 'text', null, [1]])).toEqual([{ message: 7 }, 'text', null, [1]]);
    expect(truncateLogs(logs, 0)).toEqual([]);
  });

  test('traces: 20, each with its first 50 spans and their true number', () => {
    const traces = many(21, (i) => ({ id: i, spans: many(i === 0 ? 51 : 50, (j) => ({ j })) }));
    const kept = truncateTraces(traces) as readonly { spans: readonly unknown[]; span_count_total?: number }[];
    expect(kept).toHaveLength(20);
    expect(kept[0]?.spans).toEqual(many(50, (j) => ({ j })));
    expect(kept[0]?.span_count_total).toBe(51);
    expect(kept[1]).toEqual(traces[1]);
    expect(showing(20, 187, 'traces')).toBe('Showing 20 of 187 traces');
    expect(showing(20, 20, 'traces')).toBeNull();
  });

  test.each(['datapoints', 'values', 'points', 'data'])('metrics: 50, each with at most 20 of its %s', (list) => {
    const metrics = many(51, () => ({ name: 'm', [list]: many(100, (i) => [i, String(i)]) }));
    const [first] = truncateMetrics(metrics) as readonly Record<string, unknown>[];
    const points = first?.[list] as readonly unknown[];
    expect(truncateMetrics(metrics)).toHaveLength(50);
    expect(points.length).toBeLessThanOrEqual(20);
    expect([points[0], points.at(-1)]).toEqual([
      [0, '0'],
      [99, '99'],
    ]);
    expect(first?.[`${list}_total`]).toBe(100);
    expect(truncateMetrics([{ [list]: [1, 2] }])).toEqual([{ [list]: [1, 2] }]);
  });

  test('invocations: 50, each with its first 10 logs', () => {
    const invocations = many(51, () => ({ logs: many(11, (i) => i) }));
    expect(truncateInvocations(invocations)).toHaveLength(50);
    expect(truncateInvocations(invocations)[0]).toEqual({ logs: many(10, (i) => i), log_count_total: 11 });
    expect(truncateInvocations([{ logs: 'none' }])).toEqual([{ logs: 'none' }]);
  });

  test('A9: no input is changed', () => {
    const deep = [
      Object.freeze({
        message: 'm'.repeat(2000),
        spans: Object.freeze(many(60, (i) => i)),
        data: Object.freeze(many(60, (i) => i)),
        logs: Object.freeze(many(60, (i) => i)),
      }),
    ];
    const before = structuredClone(deep);
    for (const cut of [truncateLogs, truncateTraces, truncateMetrics, truncateInvocations]) cut(Object.freeze(deep));
    expect(deep).toEqual(before);
  });
});

describe('A12: down-sampling covers the whole range', () => {
  test('keeps order, both ends, and the highest and the lowest point', () => {
    const value = fc.oneof(fc.integer({ min: -99, max: 99 }), fc.constant(Number.NaN));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 400 }), (values) => {
        const points = values.map((value, place) => ({ value, place }));
        const kept = downsample(points, 20);
        const places = kept.map(({ place }) => place);
        expect(kept.length).toBe(values.length <= 20 ? values.length : kept.length);
        expect(kept.length).toBeLessThanOrEqual(20);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        if (values.length > 0) expect([places[0], places.at(-1)]).toEqual([0, values.length - 1]);
        const finite = (list: readonly { value: number }[]) => list.map((p) => p.value).filter(Number.isFinite);
        expect(Math.max(...finite(kept))).toBe(Math.max(...finite(points)));
        expect(Math.min(...finite(kept))).toBe(Math.min(...finite(points)));
      }),
    );
  });
});
