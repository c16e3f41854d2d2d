import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { seededRandom } from '../../../../bench/seeded-random.ts';
import type { LogRecord } from '../../../../src/domain/telemetry.ts';
import { readLogs } from '../../../../src/funnel/logs/log-layer.ts';
import { measureLogs, type LogLayerInput } from '../../../../src/funnel/logs/log-measures.ts';
import { valuesOf, wildcardPlaces } from '../../../../src/funnel/logs/line-values.ts';
import { findDrifts } from '../../../../src/funnel/logs/parameter-drift.ts';
import { templateLogs } from '../../../../src/funnel/logs/templated-logs.ts';
import { mapServices } from '../../../../src/funnel/services.ts';

const TRIGGER = Date.UTC(2026, 4, 6, 10, 0, 0);
const FROM = TRIGGER - 240_000;
const SERVICES = mapServices({ services: ['cart'], edges: [] }, [], undefined);

type Say = (i: number, random: () => number) => string;

/** 120 lines before the window and 60 inside it. */
function input(before: Say, now: Say, service = 'cart'): LogLayerInput {
  const random = seededRandom(7);
  const lines = (from: number, count: number, say: Say): LogRecord[] =>
    Array.from({ length: count }, (_, i) => ({
      timeMs: from + i * 4000,
      service,
      level: 'info',
      message: say(i, random),
    }));
  const logs = [...lines(FROM - 120 * 4000, 120, before), ...lines(FROM, 60, (i, r) => now(120 + i, r))];
  return {
    logs,
    reference: [],
    templated: templateLogs(logs, []),
    services: SERVICES,
    triggerMs: TRIGGER,
    windowFromMs: FROM,
    windowToMs: TRIGGER + 180_000,
  };
}

const drifts = (before: Say, now: Say) => {
  const given = input(before, now);
  return findDrifts(given, measureLogs(given));
};
const about = (least: number, most: number) => (random: () => number) => Math.round(least + (most - least) * random());

describe('valuesOf', () => {
  test.each<[string, [string, string, number | string][]]>([
    ['took 40ms', [['took', 'time', 40]]],
    [
      'took 2.8 s, wrote 4 MB',
      [
        ['took', 'time', 2800],
        ['wrote', 'size', 4 * 1024 ** 2],
      ],
    ],
    ['done in 1m2.5s', [['in', 'time', 62_500]]],
    [
      'elapsed_ms=17 rows=500 mode=fallback',
      [
        ['elapsed_ms', 'time', 17],
        ['rows', 'number', 500],
        ['mode', 'word', 'fallback'],
      ],
    ],
    [
      '{"waitMs":7,"bytes": 10,"zone":"eu-1"}',
      [
        ['waitMs', 'time', 7],
        ['bytes', 'size', 10],
        ['zone', 'word', 'eu-1'],
      ],
    ],
    ['used 93% of pool', [['used', 'percent', 93]]],
    [
      'free -3 of 8/50',
      [
        ['free', 'number', -3],
        ['of', 'number', 8],
      ],
    ],
  ])('%s', (line, expected) => {
    expect(valuesOf(line, undefined).map(({ name, dimension, value }) => [name, dimension, value])).toEqual(expected);
  });

  test.each([
    'order_id=17 pid=4 port: 8080 userId=9',
    'at 2026-05-06 09:58:40 on 10.1.2.3:80 version v1.2 1.2.3',
    'seen 1778061520000 and 123456789012345678',
    'shard-3 of acquirer-4 at /srv/7/x',
  ])('what names something is no value: %s', (line) => expect(valuesOf(line, undefined)).toEqual([]));

  test('a word at the place of a wildcard is a value', () => {
    const places = wildcardPlaces('order <*> routed to <*>');
    expect(valuesOf('order a7 routed to acquirer-3', places)).toEqual([
      { name: 'order', isField: false, dimension: 'word', nth: 1, value: 'a7' },
      { name: 'to', isField: false, dimension: 'word', nth: 1, value: 'acquirer-3' },
    ]);
  });

  test('any text is read without an error, and gives a bounded number of finite values', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 900 }),
      fc.constant('a=1 '.repeat(900)),
      fc.constant('9'.repeat(2000)),
    );
    fc.assert(
      fc.property(text, (line) => {
        const values = valuesOf(line, wildcardPlaces(line));
        expect(values.length).toBeLessThanOrEqual(24);
        for (const { value } of values) expect(typeof value === 'string' || Number.isFinite(value)).toBe(true);
      }),
    );
  });
});

describe('findDrifts', () => {
  test('a duration that grew is told with both medians, and since when', () => {
    const given = input(
      (i, r) => `settled order ${i} in ${about(35, 45)(r)} ms`,
      (i, r) => `settled order ${i} in ${i < 150 ? about(35, 45)(r) : about(2700, 2900)(r)} ms`,
    );
    const [drift, ...others] = findDrifts(given, measureLogs(given));
    expect(others).toEqual([]);
    expect(drift).toMatchObject({ service: 'cart', name: 'in', change: { kind: 'shift', dimension: 'time' } });
    expect(drift?.sinceMs).toBeGreaterThanOrEqual(FROM + 30 * 4000);
    expect(drift?.sinceMs).toBeLessThan(FROM + 36 * 4000);
    const statements = readLogs(given).items.map(({ evidence }) => evidence.statement);
    expect(statements[0]).toMatch(
      /^Log line "settled order <\*> in <\*>" with other values: after "in" (?:median )?(?:3|4)\d(?:\.5)? ms → 2\.[78]\d? s/,
    );
  });

  test.each<[string, Say, Say]>([
    ['numbers that only count on', (i) => `sent message ${i} of batch`, (i) => `sent message ${i} of batch`],
    ['random numbers', (_, r) => `user ${about(0, 9999)(r)} came`, (_, r) => `user ${about(0, 9999)(r)} came`],
    ['ids of a new process', () => 'worker pid=4121 idle', () => 'worker pid=77 idle'],
    ['a fifth more', (_, r) => `took ${about(90, 110)(r)} ms`, (_, r) => `took ${about(110, 130)(r)} ms`],
    ['half a millisecond', () => 'took 0.1 ms', () => 'took 0.6 ms'],
    [
      'a few outliers',
      (_, r) => `took ${about(30, 50)(r)} ms`,
      (i, r) => `took ${i % 30 ? about(30, 50)(r) : 9000} ms`,
    ],
    ['another word each time', (i) => `mode=m${i % 7} set`, (i) => `mode=m${i % 5} set`],
  ])('%s are no drift', (_name, before, now) => expect(drifts(before, now)).toEqual([]));

  test('a value that most lines carry now is told with both shares', () => {
    const [drift] = drifts(
      (i) => `routed order via=acquirer-${i % 4}`,
      () => 'routed order via=acquirer-3',
    );
    expect(drift?.change).toMatchObject({ kind: 'takeover', value: 'acquirer-3', shareNow: 1 });
  });

  test('a bare number that fell is told too', () => {
    const [drift] = drifts(
      (_, r) => `free=${about(60, 70)(r)} slots`,
      () => 'free=0 slots',
    );
    expect(drift?.change).toMatchObject({ kind: 'shift', now: 0, share: 1 });
  });

  test('the result does not depend on the order of the records', () => {
    const given = input(
      (_, r) => `took ${about(30, 50)(r)} ms`,
      (_, r) => `took ${about(900, 950)(r)} ms`,
    );
    const logs = given.logs.toReversed();
    const turned = { ...given, logs, templated: templateLogs(logs, []) };
    expect(findDrifts(turned, measureLogs(turned))).toEqual(findDrifts(given, measureLogs(given)));
  });
});
