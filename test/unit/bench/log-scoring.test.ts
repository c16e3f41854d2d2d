import { describe, expect, test } from '@jest/globals';
import { scoreGrouping } from '../../../bench/log-scoring.ts';

describe('scoreGrouping', () => {
  test('an identical partition scores 1, whatever the labels are called', () => {
    expect(scoreGrouping(['a', 'a', 'b'], ['7', '7', '1'])).toEqual({ ga: 1, fga: 1, top5: 1 });
  });

  test('everything in one group scores 0 when there is more than one true group', () => {
    expect(scoreGrouping(['a', 'a', 'b'], ['x', 'x', 'x'])).toEqual({ ga: 0, fga: 0, top5: 0 });
  });

  test('every line on its own scores the share of true singletons', () => {
    const score = scoreGrouping(['a', 'a', 'b'], ['1', '2', '3']);
    expect(score.ga).toBeCloseTo(1 / 3, 12);
    expect(score.fga).toBeCloseTo(0.4, 12); // P 1/3, R 1/2
    expect(score.top5).toBe(0.5);
  });

  test('one stray line makes its whole true group wrong, and the group it strayed into', () => {
    const score = scoreGrouping(['a', 'a', 'a', 'b', 'c'], ['1', '1', '2', '2', '3']);
    expect(score.ga).toBeCloseTo(1 / 5, 12);
    expect(score.fga).toBeCloseTo(1 / 3, 12); // one correct of 3 predicted and of 3 true
  });

  test('only the five largest true groups count for top5', () => {
    const truth = ['a', 'b', 'c', 'd', 'e'].flatMap((label) => [label, label]).concat('f', 'g');
    const predicted = truth.map((label) => (label > 'e' ? 'rest' : label));
    expect(scoreGrouping(truth, predicted).top5).toBe(1);
  });

  test('no lines score 0 instead of NaN', () => {
    expect(scoreGrouping([], [])).toEqual({ ga: 0, fga: 0, top5: 0 });
  });

  test('lists of different lengths are a mistake of the caller', () => {
    expect(() => scoreGrouping(['a'], [])).toThrow('Cannot score 0 predicted labels against 1 true ones.');
  });
});
