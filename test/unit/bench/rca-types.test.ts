import { describe, expect, test } from '@jest/globals';
import { scoreTypes, typesMeant } from '../../../bench/rca-types.ts';

describe('words for faults', () => {
  test.each([
    ['cpu_contention', ['cpu_saturation']],
    ['Memory Leak', ['memory_exhaustion']],
    ['network_delay', ['network_latency']],
    ['packet-loss', ['network_loss']],
    ['pod_oom_kill', ['memory_exhaustion']],
    ['exception', ['code_error']],
    ['wrong_image_tag', ['image_pull']],
    ['failing liveness probe', ['probe_failure']],
    ['missing_secret', ['config_change']],
    ['dns', ['dns']],
    ['other', undefined],
    ['unknown', undefined],
  ])('%s', (word, types) => {
    expect(typesMeant(word)).toEqual(types);
  });
});

describe('score of types', () => {
  test('counts the words that the list can say, and shows the others unscored', () => {
    const score = scoreTypes([
      { type: 'cpu_saturation', trueType: 'cpu_consumed' },
      { type: 'unknown', trueType: 'cpu_consumed' },
      { type: 'code_error', trueType: 'latency_delay' },
      { type: 'code_error', trueType: 'other' },
      { type: 'code_error' },
    ]);
    expect(score).toMatchObject({ cases: 3, accuracy: 2 / 3 });
    expect(score.words).toEqual([
      { word: 'cpu_consumed', means: ['cpu_saturation'], cases: 2, stated: { cpu_saturation: 1, unknown: 1 } },
      { word: 'latency_delay', means: ['network_latency', 'code_error'], cases: 1, stated: { code_error: 1 } },
      { word: 'other', means: [], cases: 1, stated: { code_error: 1 } },
    ]);
  });

  test('states no share when no truth names a type', () => {
    expect(scoreTypes([{ type: 'dns' }])).toEqual({ cases: 0, words: [] });
  });
});
