import { describe, expect, test } from '@jest/globals';
import { partsOfEvidence } from '../../../src/domain/evidence-parts.ts';
import type { Report } from '../../../src/domain/report.ts';

const item = (id: string): Report['evidence'][number] => ({
  id,
  kind: 'metric',
  statement: `${id} was seen`,
  at: null,
  relative: null,
  query: null,
  link: null,
});

/** As `writeReport` orders it: the conclusion's own, what speaks against it, alternatives, reasons. */
const REPORT: Parameters<typeof partsOfEvidence>[0] = {
  evidence: ['C1', 'M1', 'M2', 'M3', 'L1', 'M1001'].map(item),
  causal_chain: [
    { service: 'a', statement: 'began', evidence: ['C1'] },
    { service: 'b', statement: 'followed', evidence: ['M1'] },
  ],
  contradicting: ['M2'],
  alternatives: [
    {
      service: 'c',
      type: 'unknown',
      confidence: 0.1,
      why_not: 'quiet',
      supporting: ['M1', 'M3'],
      contradicting: ['L1'],
    },
  ],
  confidence_reasons: ['Tested (M1001)'],
};
const idsOf = (changes: Partial<typeof REPORT>) => {
  const { own, against, others } = partsOfEvidence({ ...REPORT, ...changes });
  return [own, against, others].map((items) => items.map(({ id }) => id));
};

describe('partsOfEvidence', () => {
  test('the conclusion rests on its own evidence, not on that of what was dropped', () => {
    expect(idsOf({})).toEqual([['C1', 'M1'], ['M2'], ['M3', 'L1', 'M1001']]);
  });

  test('what a step cites is its evidence, though it speaks against the cause, too', () => {
    expect(idsOf({ contradicting: ['M1'] })).toEqual([['C1', 'M1', 'M2'], ['M1'], ['M3', 'L1', 'M1001']]);
  });

  test('without a chain nothing is set apart but what speaks against it; each item stands somewhere', () => {
    expect(idsOf({ causal_chain: [] })).toEqual([['C1', 'M1', 'M3', 'L1', 'M1001'], ['M2'], []]);
  });

  test('M10 is not named where M1001 is', () => {
    expect(idsOf({ evidence: ['C1', 'M1', 'M10'].map(item), contradicting: [] })[0]).toEqual(['C1', 'M1', 'M10']);
  });
});
