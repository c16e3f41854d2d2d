import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { estimateTokens, fitsBudget } from '../../../src/funnel/tokens.ts';

describe('estimateTokens', () => {
  test('C8: is a quarter above the o200k count, rounded up', () => {
    expect(estimateTokens('')).toBe(0);
    expect(estimateTokens('hello world')).toBe(3); // two tokens
  });

  test('counts the spelling of a special token as text', () => {
    expect(estimateTokens('<|endoftext|>')).toBeGreaterThan(1);
  });

  test('C8: never gives more than a quarter above the UTF-8 bytes, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(estimateTokens(text)).toBeLessThanOrEqual(Math.ceil(Buffer.byteLength(text) * 1.25));
      }),
    );
  });

  test('a long run without a word border is counted in pieces', () => {
    const text = 'ab'.repeat(100_000);
    expect(estimateTokens(text)).toBeGreaterThan(50_000);
    expect(estimateTokens(text)).toBeLessThan(100_000);
  });

  test('does not cut a surrogate pair between two pieces', () => {
    const shifted = `x${'😀'.repeat(4000)}`;
    expect(estimateTokens(shifted)).toBeLessThanOrEqual(estimateTokens('😀'.repeat(4000)) + 4);
  });
});

describe('fitsBudget', () => {
  test('agrees with estimateTokens for any text and budget', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), fc.integer({ min: 0, max: 120 }), (text, budget) => {
        expect(fitsBudget(text, budget)).toBe(estimateTokens(text) <= budget);
      }),
    );
  });
});
