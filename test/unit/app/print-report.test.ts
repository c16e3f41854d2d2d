import { describe, expect, test } from '@jest/globals';
import { printReport } from '../../../src/app/print-report.ts';
import type { Report } from '../../../src/domain/report.ts';
import { makeReport } from '../../support/delivery-content.ts';

const print = (over: Partial<Report> = {}) => printReport(makeReport(over), { colour: false });
const item = (statement: string, over: Partial<Report['evidence'][number]> = {}): Report['evidence'][number] => ({
  id: 'M1',
  kind: 'metric',
  statement,
  at: null,
  relative: null,
  query: null,
  link: null,
  ...over,
});

describe('a report for the terminal', () => {
  test("shows the alert's words, and the way back to it: its link, the session, when it was written", () => {
    const { incident } = makeReport();
    const text = print({ incident: { ...incident, description: 'Checkout fails for one in seven.' } });
    expect(text).toContain('\n"Checkout fails for one in seven."\n');
    expect(text).toMatch(/\nsession ses_\S+ · written 2026-11-29T10:00:41Z\nalert: https:\/\/alerts\.example\.com\//);
  });

  test('how it came before is ours, and stands outside of what the alert says', () => {
    const history = 'Second time in 2 min (before: inc_1)';
    const text = print({ incident: { ...makeReport().incident, description: 'Checkout fails.', history } });
    expect(text).toContain(`\n${history}\n"Checkout fails."\n`);
  });

  test('names the query of evidence on a line of its own, else its page, and nothing that was said already', () => {
    const text = print({
      evidence: [
        item('orders errors: 0 → 9', { query: 'rate(errors[1m])', link: 'https://prom.example/1' }),
        item('release 812', { link: 'https://deploys.example/812' }),
        item('orders errors_total: 0 → 9', { query: 'orders/errors_total' }),
        item('long', { query: 'x'.repeat(300) }),
      ],
    });
    expect(text).toContain('\n      ↳ rate(errors[1m])\n');
    expect(text).toContain('\n      ↳ https://deploys.example/812\n');
    expect(text).not.toContain('orders/errors_total');
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(130);
  });

  test.each([
    ['a p95: 0.3 s → 2.09 s (+530 %); still so; P95 2.07 s, P99 2.09 s', false],
    ['a waiting: 0 → 26; still so; P95 18.8, P99 22.9', true],
    ['a p95: 30 ms → 2 s (+6567 %); still so; P95 900 ms, P99 1990 ms', true],
  ])('percentiles stand only where they say more than the peak: %s', (statement, shown) => {
    expect(print({ evidence: [item(statement)] }).includes('P95')).toBe(shown);
  });

  test('does not call a lead the cause', () => {
    expect(print({ status: 'determined' })).toMatch(/\nRoot cause {3}[a-z-]+ · /);
    expect(print({ status: 'inconclusive' })).toMatch(
      /\nRoot cause {3}not determined; the strongest lead is [a-z-]+ · /,
    );
    expect(print({ status: 'inconclusive', root_cause_service: null })).toContain('\nRoot cause   not determined\n');
    expect(print({ status: 'healthy', root_cause_type: 'none' })).toContain('\nRoot cause   none: healthy\n');
  });

  test('what only dropped explanations rest on comes last, under its own heading', () => {
    const chain = [{ service: 'a', statement: 'it rose', evidence: ['M1'] }];
    const other = { service: 'cart', type: 'database', confidence: 0.1, why_not: 'it only waits' } as const;
    const text = print({
      evidence: [item('a rose'), item('b fell', { id: 'M2' })],
      causal_chain: chain,
      alternatives: [{ ...other, supporting: ['M2'] }],
    });
    expect(text).toMatch(/\nEvidence\n {2}\[M1\] a rose\n\n/);
    expect(text).toMatch(/\nAlso looked at\n {2}\[M2\] b fell\n\nrep_/);
  });

  test('says what the risks mean where it proposes something, and only there', () => {
    expect(print()).toContain('R0 reads only');
    expect(print({ action_plan: [] })).not.toContain('R0 reads only');
  });

  test('shows what speaks against the cause, and both sides of every other explanation', () => {
    const other = { service: 'cart', type: 'database', confidence: 0.1, why_not: 'it only waits' } as const;
    const text = print({
      evidence: [item('a rose'), item('b fell', { id: 'M2' })],
      contradicting: ['M2'],
      alternatives: [{ ...other, hypothesis: 'H2', supporting: ['M1'], contradicting: ['M2'] }, other],
    });
    expect(text).toContain('What speaks against it\n  [M2] b fell\n');
    expect(text).toContain('cart (database, 0.10): it only waits [for it: M1; against it: M2]\n');
    expect(text).toContain('cart (database, 0.10): it only waits\n');
    expect(print()).not.toContain('What speaks against it');
  });

  test('a second look says what has changed, or that nothing has', () => {
    const of = {
      id: 'rep_1',
      generatedAt: '2026-11-29T10:00:41Z',
      seenUntil: null,
      status: 'determined',
      root_cause_service: 'cart',
      root_cause_type: 'unknown',
      confidence: 0.5,
    } as const;
    const change = { what: 'root_cause_service', from: 'cart', to: 'orders', statement: 'Now it is orders.' } as const;
    expect(print({ revision: { of, changes: [{ ...change, evidence: ['M1'] }] } })).toContain(
      '\nSince the first look\n  · Now it is orders. [M1]\n',
    );
    expect(print({ revision: { of, changes: [] } })).toContain('this look confirms the first');
    expect(print({ revision: { of, changes: [] }, status: 'inconclusive' })).toContain(
      'Nothing changed: still nothing is certain.',
    );
    expect(print()).not.toContain('Since the first look');
  });

  test('a recording is said to be one', () => {
    const { incident } = makeReport();
    expect(print({ incident: { ...incident, source: 'recording' } })).toContain('recorded, since 2026-11-29T10:00:00Z');
    expect(print()).toContain('since 2026-11-29T10:00:00Z · from alertmanager');
  });
});
