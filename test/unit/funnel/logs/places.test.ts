import { describe, expect, test } from '@jest/globals';
import { differentTemplates } from './templates.ts';

describe('what stands behind a preposition at the end', () => {
  const detached = ['bucket raw-data', 'project atlas', 'the billing account', 'cluster prod'].map(
    (place) => `policy was detached from ${place}`,
  );

  test('is a place or a person, of however many words', () => {
    expect(differentTemplates(detached)).toEqual(['policy was detached from <*>']);
  });

  test.each([
    ['two of them', detached.slice(1, 3)],
    ['behind "to"', ['the worker failed to open', 'the worker failed to read it', 'the worker failed to write files']],
    ['behind fewer than three words', ['error in parser', 'error in the first file', 'error in writing']],
    ['of more than four words', ['a', 'a b c d e', 'a b c d e f'].map((end) => `the file was lost in ${end}`)],
    ['with punctuation', ['here', 'disk (first)', 'pool: second one'].map((end) => `the file was lost in ${end}`)],
  ])('%s are no list of places', (_, lines) => {
    expect(differentTemplates(lines)).toHaveLength(lines.length);
  });
});
