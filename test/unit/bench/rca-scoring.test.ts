import { describe, expect, test } from '@jest/globals';
import {
  accuracyAt,
  averageAt5,
  calibrationError,
  reliabilityTable,
  scoreDatasets,
  splitHalves,
  wilsonInterval,
  type RankedCase,
} from '../../../bench/rca-scoring.ts';

const ranked = (over: Partial<RankedCase>): RankedCase => ({
  dataset: 'shop',
  id: 'one',
  ranked: ['a', 'b', 'c', 'd', 'e'],
  confidence: 0.8,
  type: 'unknown',
  briefTokens: 1000,
  rawTokens: 100_000,
  cpuMs: 10,
  truth: 'a',
  ...over,
});

describe('accuracy', () => {
  // Places of the truth: 1, 3, 6 (absent from the first five), absent.
  const cases = [
    ranked({ truth: 'a' }),
    ranked({ truth: 'c' }),
    ranked({ ranked: ['a', 'b', 'c', 'd', 'e', 'f'], truth: 'f' }),
    ranked({ ranked: [], truth: 'a', error: 'crashed' }),
  ];

  test('AC@k is the share of all cases, a crashed one included, with the truth among the first k', () => {
    expect(accuracyAt(1, cases)).toBe(0.25);
    expect(accuracyAt(3, cases)).toBe(0.5);
    expect(accuracyAt(6, cases)).toBe(0.75);
  });

  test('Avg@5 is the mean of AC@1 to AC@5', () => {
    // .25, .25, .5, .5, .5
    expect(averageAt5(cases)).toBeCloseTo(0.4, 10);
  });

  test('no case gives 0, not NaN', () => {
    expect(accuracyAt(1, [])).toBe(0);
    expect(calibrationError([])).toBe(0);
  });
});

describe('calibration error', () => {
  test('weighs each bin of a tenth by its cases', () => {
    const cases = [
      ranked({ confidence: 0.85, truth: 'a' }),
      ranked({ confidence: 0.85, truth: 'b' }), // bin .8–.9: stated .85, correct .5
      ranked({ confidence: 0.25, truth: 'b' }), // bin .2–.3: stated .25, correct 0
      ranked({ confidence: 1, truth: 'a' }), // last bin holds 1 itself
    ];
    expect(calibrationError(cases)).toBeCloseTo(0.5 * 0.35 + 0.25 * 0.25 + 0, 10);
  });

  test('the table gives stated mean and share right of every tenth, and leaves out cases without a ranking', () => {
    const table = reliabilityTable([
      ranked({ confidence: 0.82, truth: 'a' }),
      ranked({ confidence: 0.88, truth: 'b' }),
      ranked({ confidence: 0, ranked: [], error: 'crashed' }),
    ]);
    expect(table).toHaveLength(10);
    expect(table[0]).toMatchObject({ from: 0, to: 0.1, cases: 0 });
    expect(table[8]).toMatchObject({ cases: 2, accuracy: 0.5 });
    expect(table[8]?.confidence).toBeCloseTo(0.85, 10);
  });
});

describe('interval of a share', () => {
  // Values of the closed formula, as in R's binom::binom.confint(…, methods = "wilson").
  test.each([
    [0.9, 10, 0.5958, 0.9821],
    [0, 20, 0, 0.1611],
    [1, 20, 0.8389, 1],
  ])('%d of %d cases', (share, n, low, high) => {
    const [from, to] = wilsonInterval(share, n);
    expect(from).toBeCloseTo(low, 3);
    expect(to).toBeCloseTo(high, 3);
  });
});

describe('halves', () => {
  test('alternate within each data set in the order of the names, whatever the order of the cases', () => {
    const cases = ['c', 'a', 'b', 'd'].map((id) => ranked({ dataset: 'x', id }));
    const { a, b } = splitHalves([...cases, ranked({ dataset: 'y', id: 'only' })]);
    expect(a.map(({ id }) => id)).toEqual(['a', 'c', 'only']);
    expect(b.map(({ id }) => id)).toEqual(['b', 'd']);
  });
});

describe('scores of data sets', () => {
  test('one score a data set and one over all, with medians of what was ranked', () => {
    const { datasets, pooled } = scoreDatasets([
      ranked({ dataset: 'x', briefTokens: 1000, rawTokens: 10_000, cpuMs: 10 }),
      ranked({ dataset: 'x', briefTokens: 3000, rawTokens: 30_000, cpuMs: 30, truth: 'b' }),
      ranked({ dataset: 'y', error: 'no alert', ranked: [], briefTokens: 0, rawTokens: 0, cpuMs: 0 }),
    ]);
    expect(datasets.map(({ name, cases, errors, ac1 }) => [name, cases, errors, ac1])).toEqual([
      ['x', 2, 0, 0.5],
      ['y', 1, 1, 0],
    ]);
    expect(datasets[0]).toMatchObject({
      briefTokensMax: 3000,
      briefTokensMedian: 2000,
      rawTokensMedian: 20_000,
      reductionMedian: 0.9,
      cpuMsMedian: 20,
      cpuMsMax: 30,
    });
    expect(pooled).toMatchObject({ cases: 3, errors: 1, ac1: 1 / 3 });
  });

  test('no accuracy is stated when a truth is missing', () => {
    const { truth: _truth, ...untold } = ranked({});
    const { pooled } = scoreDatasets([ranked({}), untold]);
    expect(pooled.ac1).toBeUndefined();
    expect(pooled.ece).toBeUndefined();
    expect(pooled.briefTokensMedian).toBe(1000);
  });
});
