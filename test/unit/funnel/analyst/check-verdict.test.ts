import { expect, test } from '@jest/globals';
import type { Brief } from '../../../../src/domain/brief.ts';
import type { ProbeFinding } from '../../../../src/domain/probe-answer.ts';
import type { Conclusion } from '../../../../src/domain/report.ts';
import { concludeClear, concludeFound } from '../../../../src/funnel/analyst/check-verdict.ts';

const CAUSE = 'payments is the likely root cause (connection exhaustion): db_pool_max changed from 16 to 2.';
const ranked = (changes: Partial<Conclusion>): Conclusion => ({
  status: 'determined',
  summary: CAUSE,
  root_cause_service: 'payments',
  root_cause_type: 'connection_exhaustion',
  confidence: 0.8,
  confidence_reasons: [],
  evidence: ['C1'],
  causal_chain: [],
  alternatives: [],
  action_plan: [],
  ...changes,
});

/** The verdict of a check whose probe found this of checkout. */
function conclude(conclusion: Conclusion, finding: Partial<ProbeFinding> = {}): Conclusion {
  const found: ProbeFinding = {
    probe: 'slow',
    severity: 'critical',
    type: undefined,
    service: 'checkout',
    object: 'checkout',
    value: '3 s',
    limit: 'limit 1 s',
    sinceMs: undefined,
    said: 'checkout is 3 s, limit 1 s',
    remedy: undefined,
    weight: 3,
    evidence: { kind: 'metric', service: 'checkout', atMs: undefined, statement: 'checkout is 3 s, limit 1 s' },
    ...finding,
  };
  const { probe: name, severity } = found;
  const answer = { name, kind: 'metric', severity, status: 'found', lookedAt: 1, findings: [found] } as const;
  return concludeFound(conclusion, { probed: { answers: [answer], findingIds: ['M1'] } } as unknown as Brief);
}

test.each([
  [
    'the cause stands before what was found',
    {},
    {},
    `${CAUSE} 1 finding, critical: checkout is 3 s, limit 1 s.`,
    ['C1', 'M1'],
  ],
  [
    'without a cause what was found comes first, then the lead',
    { status: 'inconclusive' },
    {},
    '1 finding, critical: checkout is 3 s, limit 1 s. Why is not determined; the strongest lead is payments.',
    ['M1', 'C1'],
  ],
  [
    'a finding that is its own cause is told once',
    { status: 'inconclusive' },
    { type: 'certificate' },
    '1 finding, critical: checkout is 3 s, limit 1 s.',
    ['M1'],
  ],
] as const)('D5: %s', (_, conclusion, finding, summary, evidence) => {
  expect(conclude(ranked(conclusion), finding)).toMatchObject({ summary, evidence });
});

test.each([
  ['after those that mend a known cause', 'determined', ['Raise the pool.', 'Look at checkout.']],
  ['first, where no cause is known', 'inconclusive', ['Look at checkout.', 'Raise the pool.']],
] as const)('D5: steps of a probe come %s', (_, status, steps) => {
  const mend = { step: 'Raise the pool.', why: CAUSE, risk: 'R2', needs_approval: true } as const;
  const { action_plan } = conclude(ranked({ status, action_plan: [mend] }), { remedy: 'Look at checkout.' });
  expect(action_plan.map(({ step }) => step)).toEqual(steps);
});

test('D5: a cause is not cut off by a long list of findings', () => {
  expect(conclude(ranked({}), { said: 'checkout is slow '.repeat(40) }).summary).toContain(CAUSE);
});

test('D5: what many probes could not tell is said once, and counted', () => {
  const answer = (name: string, status: 'clear' | 'unanswered', note?: string) =>
    ({
      name,
      kind: 'metric',
      severity: 'warning',
      status,
      lookedAt: 1,
      ...(note ? { note } : {}),
      findings: [],
    }) as const;
  const missing = ['c', 'd', 'e', 'f'].map((name) => answer(name, 'unanswered', 'no such series'));
  const { summary, confidence_reasons } = concludeClear(
    [answer('a', 'clear', 'cut at 2000 series'), answer('b', 'clear', 'cut at 2000 series'), ...missing],
    [],
  );
  expect(summary).toBe(
    'All clear: nothing found by 2 of 6 probes in 6 series and objects. No answer from the other 4. Only in part: a, b (cut at 2000 series).',
  );
  expect(confidence_reasons.at(-1)).toBe('although: 4 of 6 probes had no answer');
});
