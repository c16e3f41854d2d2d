import { describe, expect, test } from '@jest/globals';
import { dispersionOf, judgeCounts, type LineCounts } from '../../../../src/funnel/logs/log-change.ts';

const counts = (fields: Partial<LineCounts>): LineCounts => ({
  count: 0,
  expected: 0,
  expectedSinceLast: 0,
  scale: 1,
  dispersion: 1,
  silenceRatio: 1,
  ...fields,
});

describe('judgeCounts', () => {
  test.each<[string, Partial<LineCounts>, string]>([
    ['a line that was never there', { count: 1 }, 'new'],
    ['a few more than usual', { count: 13, expected: 9 }, 'steady'],
    ['many more than usual', { count: 90, expected: 9 }, 'burst'],
    ['twice as many of very few', { count: 4, expected: 2 }, 'steady'],
    ['many more, of lines that always crowd', { count: 90, expected: 30, dispersion: 40 }, 'steady'],
    ['many more than a short fault-free time promises', { count: 20, expected: 8, scale: 20 }, 'steady'],
    ['far fewer', { count: 40, expected: 400 }, 'fewer'],
    ['half of a handful', { count: 3, expected: 6 }, 'steady'],
    ['none of many', { expected: 30 }, 'vanished'],
    ['none of few', { expected: 3 }, 'steady'],
    ['none of an hourly job', { expected: 30, dispersion: 50 }, 'steady'],
    ['none any more', { count: 60, expected: 200, expectedSinceLast: 90, silenceRatio: 100 }, 'vanished'],
    ['a pause like those before', { count: 60, expected: 70, expectedSinceLast: 20, silenceRatio: 1.5 }, 'steady'],
  ])('%s', (_name, fields, change) => expect(judgeCounts(counts(fields))).toBe(change));
});

describe('dispersionOf', () => {
  test('is 1 for lines that come evenly, and for too few stretches to tell', () => {
    expect(dispersionOf([10, 10, 10, 10, 10], 5)).toBe(1);
    expect(dispersionOf([0, 40], 2)).toBe(1);
    expect(dispersionOf([], 9)).toBe(1);
  });

  test('is large for a job that writes all its lines at once; stretches without lines count', () => {
    const counts: number[] = [];
    counts[3] = 80;
    expect(dispersionOf(counts, 8)).toBeCloseTo(80, 5);
  });
});
