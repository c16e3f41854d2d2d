import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { commonOnset } from '../../../../src/funnel/metrics/onset.ts';
import type { Samples } from '../../../../src/funnel/metrics/usable-samples.ts';

const STEP_MS = 5000;
const START_MS = Date.UTC(2026, 9, 6, 14);
const END_MS = START_MS + 59 * STEP_MS;

/** Sixty samples of five seconds with a ripple of their own. */
const made = (salt: number, value: (row: number) => number): Samples => ({
  timesMs: Float64Array.from({ length: 60 }, (_, row) => START_MS + row * STEP_MS),
  values: Float64Array.from({ length: 60 }, (_, row) => value(row) * (1 + 0.05 * Math.sin(row * (1 + salt)))),
});
const onset = (all: readonly Samples[]) => commonOnset(all, END_MS, STEP_MS);

describe('the common onset', () => {
  test('is where most series that change do so together', () => {
    const fallen = Array.from({ length: 6 }, (_, i) => made(i, (row) => (row >= 25 ? 40 : 100)));
    const steady = Array.from({ length: 6 }, (_, i) => made(i, () => 100));
    const other = made(9, (row) => (row >= 50 ? 300 : 100));
    expect(onset([...steady, other, ...fallen])).toBe(START_MS + 25 * STEP_MS);
  });

  test('is none in steady series, in a slow drift, and where everyone changes at another time', () => {
    expect(onset(Array.from({ length: 9 }, (_, i) => made(i, () => 100)))).toBeUndefined();
    expect(onset(Array.from({ length: 9 }, (_, i) => made(i, (row) => 100 + row / 5)))).toBeUndefined();
    const scattered = Array.from({ length: 8 }, (_, i) => made(i, (row) => (row >= 10 + 5 * i ? 300 : 100)));
    expect(onset(scattered)).toBeUndefined();
  });

  test('does not mind outliers', () => {
    const spiky = Array.from({ length: 5 }, (_, i) => made(i, (row) => (row % 11 === 3 ? 1e9 : row >= 30 ? 250 : 100)));
    expect(Math.abs((onset(spiky) ?? 0) - (START_MS + 30 * STEP_MS))).toBeLessThanOrEqual(3 * STEP_MS);
  });

  test('survives any series', () => {
    const values = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.array(values, { maxLength: 5 }), (all) => {
        const given = all.map((list) => ({
          timesMs: Float64Array.from(list, (_, row) => START_MS + row * STEP_MS),
          values: Float64Array.from(list),
        }));
        const found = onset(given);
        expect(found === undefined || Number.isFinite(found)).toBe(true);
      }),
    );
  });
});
