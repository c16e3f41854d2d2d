import { describe, expect, test } from '@jest/globals';
import { array, assert, double, property } from 'fast-check';
import { judgeBaseline } from '../../../../src/funnel/probes/judge-baseline.ts';
import { judgeForecast } from '../../../../src/funnel/probes/judge-forecast.ts';
import { judgeMetric } from '../../../../src/funnel/probes/judge-metric.ts';
import { answerOf } from '../../../../src/funnel/probes/verdict.ts';
import { everyMinute, MINUTE_MS, NOW_MS, probe } from '../../../support/probe-cases.ts';

const repeat = (value: number, times: number) => Array.from({ length: times }, () => value);
const noisy = (value: number, times: number) =>
  Array.from({ length: times }, (_, i) => value * (1 + ((i * 7) % 5) / 100));
const AROUND = { nowMs: NOW_MS, window: '15m' };

describe('a number against a limit', () => {
  const high = (keys = {}) => probe('metric', { query: 'q', above: 10, over: '10m', ...keys });

  test.each([
    ['the last sample', { reduce: 'last' }, [1, 1, 11], '11'],
    ['the highest', { reduce: 'max' }, [1, 12, 1], '12'],
    ['the average', { reduce: 'avg' }, [10, 11, 12], '11'],
    ['the middle one', { reduce: 'median' }, [1, 11, 100], '11'],
    ['what a counter counted, over a reset', { reduce: 'increase' }, [100, 108, 4], '12'],
  ])('%s is held against it', (_, keys, values, value) => {
    expect(judgeMetric(high(keys), [everyMinute(values)], NOW_MS).seen).toMatchObject([{ value }]);
  });

  test('the limit itself is not passed', () => {
    expect(judgeMetric(high(), [everyMinute([10])], NOW_MS).seen).toEqual([]);
    expect(judgeMetric(probe('metric', { query: 'q', below: 1 }), [everyMinute([1])], NOW_MS).seen).toEqual([]);
    expect(judgeMetric(probe('metric', { query: 'q', below: 1 }), [everyMinute([0])], NOW_MS).seen).toHaveLength(1);
  });

  test('where asked, so large a share of the samples has to be beyond', () => {
    const values = [1, 1, 1, 11];
    expect(judgeMetric(high({ for: 0.5 }), [everyMinute(values)], NOW_MS).seen).toEqual([]);
    expect(judgeMetric(high({ for: 0.25 }), [everyMinute(values)], NOW_MS).seen).toHaveLength(1);
  });

  test('it says since when; nothing when it began before the window', () => {
    const [seen] = judgeMetric(high(), [everyMinute([1, 11, 12, 13])], NOW_MS).seen;
    expect(seen?.sinceMs).toBe(NOW_MS - 2 * MINUTE_MS);
    expect(judgeMetric(high(), [everyMinute([12, 13])], NOW_MS).seen[0]?.sinceMs).toBeUndefined();
  });

  test('samples before the window do not count, and a series without one was not looked at', () => {
    const old = everyMinute([50, ...repeat(1, 20)]);
    expect(judgeMetric(high({ reduce: 'max' }), [old], NOW_MS)).toMatchObject({ lookedAt: 1, seen: [] });
    const past = { ...old, timesMs: old.timesMs.map((ms) => ms - 3_600_000) };
    expect(judgeMetric(high(), [past], NOW_MS).lookedAt).toBe(0);
  });

  test('a series without labels goes by its service alone where the probe is about services, else by its metric too', () => {
    const bare = everyMinute([11], { service: 'checkout', metric: 'http_errors_per_second' });
    const objectBy = (by: readonly string[] | undefined) =>
      judgeMetric(high(by ? { by } : {}), [bare], NOW_MS).seen[0]?.object;
    expect(objectBy(['namespace', 'service'])).toBe('checkout');
    expect([objectBy(undefined), objectBy(['instance'])]).toEqual([
      'checkout http_errors_per_second',
      'checkout http_errors_per_second',
    ]);
  });

  test('the object is made of labels, with the workload in the place of its pods; the worst pod is told', () => {
    const of = (name: string, value: number) =>
      everyMinute([value], { service: name, labels: { namespace: 'shop', pod: name, container: 'app' } });
    const pods = [of('payments-6d5f8c7b9-x2x4z', 11), of('payments-6d5f8c7b9-k7p2q', 15)];
    const asked = high({ by: ['namespace', 'pod'] });
    const { findings } = answerOf(asked, judgeMetric(asked, pods, NOW_MS), AROUND);
    expect(findings).toMatchObject([{ object: 'shop/payments', service: 'payments', value: '15' }]);
    expect(findings[0]?.evidence.statement).toContain('payments-6d5f8c7b9-k7p2q');
  });
});

describe('a number against its own past', () => {
  const moved = (keys = {}) => probe('baseline', { query: 'q', over: '10m', against: '2h', ...keys });

  test('what doubled and stays so is found', () => {
    const series = everyMinute([...noisy(0.1, 120), ...noisy(0.3, 10)]);
    expect(judgeBaseline(moved(), [series], NOW_MS).seen).toMatchObject([{ object: 'checkout latency' }]);
  });

  test('a spike is none, and neither is a change that is small in its unit', () => {
    const spike = everyMinute([...noisy(0.1, 120), ...noisy(0.1, 5), 3, ...noisy(0.1, 4)]);
    expect(judgeBaseline(moved(), [spike], NOW_MS).seen).toEqual([]);
    const small = everyMinute([...noisy(0.001, 120), ...noisy(0.003, 10)]);
    expect(judgeBaseline(moved({ least: 0.05 }), [small], NOW_MS).seen).toEqual([]);
  });

  test('what swings all day has not moved', () => {
    const swings = Array.from({ length: 130 }, (_, i) => (Math.floor(i / 10) % 2 ? 1 : 3));
    expect(judgeBaseline(moved(), [everyMinute(swings)], NOW_MS).seen).toEqual([]);
  });

  test('errors from none are found, traffic to none as well, each in its direction only', () => {
    const errors = everyMinute([...repeat(0, 120), ...noisy(2, 10)]);
    expect(judgeBaseline(moved({ least: 0.1 }), [errors], NOW_MS).seen).toHaveLength(1);
    expect(judgeBaseline(moved({ direction: 'down' }), [errors], NOW_MS).seen).toEqual([]);
    const traffic = everyMinute([...noisy(20, 120), ...repeat(0, 10)]);
    expect(judgeBaseline(moved({ direction: 'down' }), [traffic], NOW_MS).seen).toHaveLength(1);
    expect(judgeBaseline(moved({ direction: 'both' }), [traffic], NOW_MS).seen).toHaveLength(1);
  });

  test('of a short history the first two thirds tell what is usual; a few samples tell nothing', () => {
    const short = everyMinute([...noisy(0.1, 14), ...noisy(0.5, 7)]);
    expect(judgeBaseline(moved({ over: '1h' }), [short], NOW_MS).seen).toHaveLength(1);
    expect(judgeBaseline(moved(), [everyMinute([1, 2, 3])], NOW_MS).lookedAt).toBe(0);
  });
});

describe('when a trend reaches a limit', () => {
  const fills = (keys = {}) =>
    probe('forecast', { query: 'q', above: 0.95, over: '6h', within: '24h', unit: '1', ...keys });
  const growing = (from: number, perHour: number) =>
    everyMinute(Array.from({ length: 360 }, (_, i) => from + (perHour * i) / 60 + (i % 3) * 0.0005));

  test('a disk that grows steadily is found when it is full in time, with the time that is left', () => {
    const [seen] = judgeForecast(fills(), [growing(0.7, 0.01)], NOW_MS).seen;
    expect(seen?.what).toMatch(/^reaches 95 % in 1\d h.* \(now 76 %, \+1 % an hour over 6h\)$/);
    expect(judgeForecast(fills({ within: '6h' }), [growing(0.7, 0.01)], NOW_MS).seen).toEqual([]);
  });

  test('one that is full is found whatever its trend; one that shrinks is not', () => {
    expect(judgeForecast(fills(), [growing(0.97, 0)], NOW_MS).seen[0]?.what).toMatch(/^has passed 95 %/);
    expect(judgeForecast(fills(), [growing(0.9, -0.01)], NOW_MS).seen).toEqual([]);
  });

  test('a sawtooth reaches nothing, and noise neither', () => {
    const saw = everyMinute(Array.from({ length: 360 }, (_, i) => 0.5 + 0.4 * ((i % 60) / 60)));
    expect(judgeForecast(fills(), [saw], NOW_MS).seen).toEqual([]);
    const noise = everyMinute(Array.from({ length: 360 }, (_, i) => 0.9 + 0.02 * Math.sin(i * 1.7)));
    expect(judgeForecast(fills(), [noise], NOW_MS).seen).toEqual([]);
  });

  test('free space that goes to nothing is the same downwards', () => {
    const free = everyMinute(Array.from({ length: 360 }, (_, i) => 10e9 - i * 2e7));
    const asked = probe('forecast', { query: 'q', below: 1e9, over: '6h', within: '12h', unit: 'By' });
    expect(judgeForecast(asked, [free], NOW_MS).seen[0]?.what).toContain('reaches 954 MiB in');
  });

  test('too short a part of the window tells no trend', () => {
    expect(judgeForecast(fills(), [everyMinute([0.1, 0.3, 0.5, 0.7])], NOW_MS).lookedAt).toBe(0);
  });
});

test('any numbers whatever are judged without a word that is no number', () => {
  const any = array(double({ noDefaultInfinity: false, noNaN: false }), { minLength: 1, maxLength: 60 });
  const judges = [
    (values: number[]) => judgeMetric(probe('metric', { query: 'q', above: 1 }), [everyMinute(values)], NOW_MS),
    (values: number[]) => judgeBaseline(probe('baseline', { query: 'q' }), [everyMinute(values)], NOW_MS),
    (values: number[]) =>
      judgeForecast(
        probe('forecast', { query: 'q', above: 1, over: '1h', within: '1h' }),
        [everyMinute(values)],
        NOW_MS,
      ),
  ];
  assert(
    property(any, (values) => {
      for (const judge of judges) {
        for (const { what, weight } of judge(values).seen) {
          expect(what).not.toMatch(/NaN|Infinity|undefined/);
          expect(Number.isFinite(weight)).toBe(true);
        }
      }
    }),
    { numRuns: 150 },
  );
});

test('a rate that rises all the while is no counter, whatever the expression is called', () => {
  const metric = 'sum by (service) (rate(http_requests_total{code=~"5.."}[5m]))';
  const rising = Array.from({ length: 60 }, (_, i) => (i < 45 ? 0.01 + i / 10_000 : 3 + (i - 45) / 10));
  const asked = probe('baseline', { query: metric, over: '15m', against: '1h', factor: 3, least: 0.2 });
  expect(judgeBaseline(asked, [everyMinute(rising, { metric })], NOW_MS).seen).toHaveLength(1);
});
