import { describe, expect, test } from '@jest/globals';
import { printResult } from '../../../bench/rca-print.ts';
import { reliabilityTable, scoreDatasets, splitHalves, type RankedCase } from '../../../bench/rca-scoring.ts';
import { scoreTypes } from '../../../bench/rca-types.ts';

const ranked = (id: string, over: Partial<RankedCase> = {}): RankedCase => ({
  dataset: 'shop',
  id,
  ranked: ['cart', 'db'],
  confidence: 0.8,
  type: 'dns',
  briefTokens: 10,
  rawTokens: 100,
  cpuMs: 5,
  ...over,
});

function print(cases: readonly RankedCase[]): string {
  const halves = splitHalves(cases);
  return printResult({
    ...scoreDatasets(cases),
    reliability: reliabilityTable(cases),
    types: scoreTypes(cases),
    halves: { a: scoreDatasets(halves.a), b: scoreDatasets(halves.b) },
    cases,
  });
}

describe('the result of bench:rca in print', () => {
  test('without truth: the rankings, no accuracies', () => {
    const text = print([ranked('one')]);
    expect(text).toContain('shop/one: cart, db; dns, confidence 0.8; 10 of 100 tokens');
    expect(text).not.toMatch(/✓|✗|Halves|Reliability/);
  });

  test('with truth: right and wrong, halves and bins, one case alone included', () => {
    const text = print([ranked('one', { truth: 'cart' }), ranked('two', { truth: 'db' })]);
    expect(text).toMatch(/shop\/one: cart, db ✓/);
    expect(text).toMatch(/shop\/two: cart, db ✗ \(db\)/);
    expect(text).toMatch(/^0\.8–0\.9 {6}2 {2}0\.800 {2}0\.500$/m);
    expect(print([ranked('one', { truth: 'cart' })])).toContain('B no cases');
  });

  test('a name of a recording does not steer the terminal', () => {
    const text = print([
      ranked('one', { ranked: ['\u001b[2Jcart\u0007'] }),
      ranked('two', { error: 'no \u001b]0;title\u0007' }),
    ]);
    // eslint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});
