import { expect, test } from '@jest/globals';
import { asSentence, spoken } from '../../../../src/funnel/analyst/spoken.ts';

test.each([
  ['for lack of anything better', 24, 'for lack of anything…'],
  ['a change (a rollout) was made', 12, 'a change…'],
  ['short enough', 40, 'short enough'],
  ['x'.repeat(60), 20, `${'x'.repeat(19)}…`],
  ['\u200b', 10, '(unnamed)'],
])('%j in %d characters is cut between words and ends in no dangling bracket', (text, max, cut) => {
  expect(spoken(text, max)).toBe(cut);
});

test('a sentence ends once', () => {
  expect(['cut off…', 'said.', 'open'].map(asSentence)).toEqual(['cut off…', 'said.', 'open.']);
});
