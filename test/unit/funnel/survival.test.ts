import { describe, expect, test } from '@jest/globals';
import { OTHERS, survive, SURVIVAL_KINDS } from '../../../bench/survival/survive.ts';

/** Small haystacks: enough to hide in, little enough for every test run. */
const FEWER = { lines: 1500, samples: 6000, events: 1000, objects: 100, spans: 12_000 } as const;

describe('C3, C8: one decisive fact among thousands of others stands in the brief', () => {
  test.each(SURVIVAL_KINDS.map((kind) => [kind.name, kind] as const))('%s', (_name, kind) => {
    const { line, text, tokens } = survive(kind, FEWER, 3);
    expect(tokens).toBeLessThanOrEqual(5820);
    // The text is what a reader of a failure needs to see.
    expect(line ?? text).toMatch(kind.shows[0] ?? /^/);
  });

  test('there are kinds for everything that is read, and 100,000 others in the benchmark', () => {
    expect(SURVIVAL_KINDS.length).toBeGreaterThanOrEqual(36);
    expect(new Set(SURVIVAL_KINDS.map(({ name }) => name)).size).toBe(SURVIVAL_KINDS.length);
    expect(Object.keys(OTHERS).every((haystack) => SURVIVAL_KINDS.some((kind) => kind.haystack === haystack))).toBe(
      true,
    );
  });
});
