import { describe, expect, test } from '@jest/globals';
import { modelIncident } from '../../../../src/funnel/incident-model.ts';
import type { ClueType } from '../../../../src/funnel/rank/clue.ts';
import { confidenceOf } from '../../../../src/funnel/rank/confidence.ts';
import type { Standing } from '../../../../src/funnel/rank/fusion.ts';
import { incident, telemetry } from '../incident-model/shop.ts';
import { clue } from './made-clue.ts';

const model = modelIncident(incident(), telemetry());
const standing = (service: string, score: number, ...types: ClueType[]): Standing => {
  const clues = types.map((type) => ({ clue: clue({ type, service }), score }));
  return { service, score, clues, all: clues };
};
const confidence = (...standings: Standing[]) => confidenceOf(model, standings).value;

describe('confidence', () => {
  test('is what the docstring states', () => {
    expect(confidence(standing('stock', 1, 'cpu'))).toBeCloseTo(1 / (1 + Math.exp(1.5 - 1.9)), 3);
    expect(confidence(standing('stock', 1, 'cpu'), standing('web', 0.9, 'cpu'))).toBeCloseTo(
      1 / (1 + Math.exp(1.5 - 1.9)) / (1 + Math.exp(-0.7)),
      3,
    );
  });

  test('is a fifth less where a whole profile or a merely unusual metric leads, and not where one only agrees', () => {
    const direct = confidence(standing('stock', 1, 'cpu'));
    expect(confidence(standing('stock', 1, 'disturbance'))).toBeCloseTo(0.8 * direct, 2);
    expect(confidence(standing('stock', 1, 'generic'))).toBeCloseTo(0.8 * direct, 2);
    expect(confidence(standing('stock', 1, 'cpu', 'generic'))).toBeGreaterThan(direct);
  });

  test('is a third where the alert names nothing and only states and changes speak', () => {
    const { service: _, ...unnamed } = incident();
    const bare = modelIncident({ ...unnamed, service: undefined, labels: {} }, telemetry());
    const value = (...types: ClueType[]) => confidenceOf(bare, [standing('stock', 2, ...types)]).value;
    expect(value('object', 'change')).toBeCloseTo(0.3 * confidence(standing('stock', 2, 'object', 'change')), 2);
    expect(value('object', 'new-error')).toBe(confidence(standing('stock', 2, 'object', 'new-error')));
    expect(confidenceOf(bare, [standing('stock', 2, 'object')]).reasons.join()).toContain('names neither');
  });

  test('gains by kinds that agree, up to three', () => {
    const [one, three, four] = [
      confidence(standing('stock', 1, 'cpu')),
      confidence(standing('stock', 1, 'cpu', 'memory', 'limit')),
      confidence(standing('stock', 1, 'cpu', 'memory', 'limit', 'gone')),
    ];
    expect(three).toBeGreaterThan(one);
    expect(four).toBe(three);
  });

  test('does not fall with a long tail of rivals, nor with noise', () => {
    const rivals = (count: number, score: number) =>
      Array.from({ length: count }, (_, i) => standing(`other-${i}`, score, 'cpu'));
    const first = standing('stock', 2, 'cpu');
    expect(confidence(first, ...rivals(200, 1))).toBe(confidence(first, ...rivals(3, 1)));
    expect(confidence(first, ...rivals(3, 0.09))).toBe(confidence(first));
  });

  test('is 0 below noise, and never 1', () => {
    expect(confidence(standing('stock', 0.09, 'cpu'))).toBe(0);
    expect(confidence(standing('stock', 9, 'cpu'))).toBe(0.97);
  });
});
