import { describe, expect, test } from '@jest/globals';
import { blameCommonEnd } from '../../../../src/funnel/rank/common-end.ts';
import { strongestByService, type Clue } from '../../../../src/funnel/rank/clue.ts';
import { clue } from './made-clue.ts';

const slow = (caller: string, service: string, strength = 0.8): Clue =>
  clue({ type: 'edge', caller, service, strength, rootCauseType: 'network_latency' });
const first = (clues: readonly Clue[]) => strongestByService(blameCommonEnd(clues))[0]?.service;

describe('the common end of slow calls', () => {
  test('is the caller that loses time to several callees', () => {
    expect(first([slow('orders', 'payments'), slow('orders', 'stock')])).toBe('orders');
  });

  test('is the callee that several callers lose time to', () => {
    expect(first([slow('orders', 'stock'), slow('search', 'stock')])).toBe('stock');
  });

  test('is the callee where one call alone is slow: nothing tells the ends apart', () => {
    const alone = slow('orders', 'stock');
    expect(blameCommonEnd([alone])).toEqual([alone]);
  });

  test('is not drawn from everyday noise', () => {
    expect(first([slow('orders', 'payments'), slow('orders', 'stock', 0.19)])).toBe('payments');
  });

  test('is not drawn from calls to callees that are slow themselves', () => {
    const own: Clue = { ...slow('orders', 'stock'), rootCauseType: 'unknown' };
    expect(first([slow('orders', 'payments', 0.9), own])).toBe('payments');
  });

  test('is not asked of clues that know no caller', () => {
    const unseen = [clue({ type: 'trace', rootCauseType: 'network_latency' }), slow('orders', 'payments', 0.5)];
    expect(blameCommonEnd(unseen)).toEqual(unseen);
  });
});
