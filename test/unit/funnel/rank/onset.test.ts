import { describe, expect, test } from '@jest/globals';
import type { StateFinding } from '../../../../src/funnel/layers.ts';
import { earlyOnset } from '../../../../src/funnel/rank/onset.ts';
import { MINUTE_MS, TRIGGER_MS } from '../incident-model/shop.ts';
import { contextOf, finding } from './rank-shop.ts';

const HOUR_BEFORE_MS = TRIGGER_MS - 60 * MINUTE_MS;

/** Minutes before the alert at which the incident is said to have begun. */
function onset(errorsMs: readonly number[], states: readonly StateFinding[] = [], firstMs = HOUR_BEFORE_MS) {
  const atMs = earlyOnset(contextOf({}, states), { firstMs, timesMs: errorsMs });
  return atMs === undefined ? undefined : (TRIGGER_MS - atMs) / MINUTE_MS;
}
const every = (seconds: number, fromMinute: number, toMinute = 0) =>
  Array.from(
    { length: Math.floor(((toMinute - fromMinute) * 60) / seconds) },
    (_, i) => TRIGGER_MS + fromMinute * MINUTE_MS + i * seconds * 1000,
  );
const since = (minute: number, severity: number): StateFinding => {
  const state = finding('stock', severity, 'probe_failure');
  return { ...state, evidence: { ...state.evidence, atMs: TRIGGER_MS + minute * MINUTE_MS } };
};

describe('the onset before the usual window', () => {
  test('is where errors set in', () => {
    expect(onset(every(5, -11))).toBeCloseTo(11, 0);
    expect(onset([...every(60, -60), ...every(5, -11)])).toBeCloseTo(11, 0);
  });

  test('is none where errors always came, where they doubled, and where they were a handful', () => {
    expect(onset(every(5, -60))).toBeUndefined();
    expect(onset([...every(10, -60), ...every(10, -11)])).toBeUndefined();
    expect(onset(every(200, -11))).toBeUndefined();
  });

  test('is none where errors began within the usual window, or nothing is known of the time before', () => {
    expect(onset(every(1, -3))).toBeUndefined();
    expect(onset(every(1, -6), [], TRIGGER_MS - 6 * MINUTE_MS)).toBeUndefined();
  });

  test('is a minute before the first grave state, not before a slight or an old one', () => {
    expect(onset([], [since(-6, 0.9), since(-9, 0.9)])).toBeCloseTo(10);
    expect(onset([], [since(-9, 0.3)])).toBeUndefined();
    expect(onset([], [since(-60, 0.9)])).toBeUndefined();
  });
});
