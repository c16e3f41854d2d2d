import { describe, expect, test } from '@jest/globals';
import { findingContract } from '../../../src/agent/sub-agents/finding-contract.ts';
import { formHypotheses } from '../../../src/agent/hypotheses/form-hypotheses.ts';
import { Finding } from '../../../src/domain/finding.ts';
import { INCIDENT } from '../../support/agent-case.ts';
import { inventBrief } from '../../support/hypothesis-case.ts';

const BRIEF = inventBrief({
  suspects: [
    { service: 'payments', score: 4 },
    { service: 'checkout', score: 2 },
  ],
  confidence: 0.6,
});
const CONTRACT = findingContract(formHypotheses(INCIDENT, BRIEF), INCIDENT);
const FINDING: Finding = {
  conclusion: 'connections_in_use of payments rose from 4 to 50.',
  evidence: ['M1'],
  verdicts: [{ hypothesis: 'H1', verdict: 'supports', why: 'it rose from 4 to 50', evidence: ['M1'] }],
  gaps: [],
};

function judge(changes: Partial<Finding>) {
  const judged = CONTRACT.judge(JSON.stringify({ ...FINDING, ...changes }), BRIEF.evidence);
  if (judged.kind !== 'judged' || !judged.value) throw new Error('no finding');
  return { ...judged, value: judged.value };
}
const verdict = (changes: Partial<Finding['verdicts'][number]>) => ({
  verdicts: [{ ...FINDING.verdicts[0], ...changes } as Finding['verdicts'][number]],
});

describe('findingContract', () => {
  test('a finding that holds is left as it is', () => {
    expect(judge({})).toEqual({ kind: 'judged', value: FINDING, problems: [], removed: [] });
  });

  test('ids that nobody knows are cut, and a verdict that rests on nothing counts as neither', () => {
    const { value, problems } = judge({ evidence: ['M1', 'M777'], ...verdict({ evidence: ['X999'] }) });
    expect(value).toMatchObject({ evidence: ['M1'], verdicts: [{ verdict: 'neither', evidence: [] }] });
    expect(problems.map(({ path }) => path)).toEqual(['verdicts.0.evidence', 'evidence']);
  });

  test('a verdict on a hypothesis that does not exist is cut', () => {
    const { value, problems } = judge(verdict({ hypothesis: 'H9' }));
    expect(value.verdicts).toEqual([]);
    expect(problems).toEqual([{ path: 'verdicts.0.hypothesis', rule: 'is no hypothesis of this investigation' }]);
  });

  test('figures are checked as in the report: a verdict that its evidence contradicts counts as neither, a conclusion says so', () => {
    const { value, problems } = judge({ conclusion: 'It rose from 4 to 900.', ...verdict({ why: 'it rose to 900' }) });
    expect(value.verdicts[0]?.verdict).toBe('neither');
    expect(value.conclusion).toBe('It rose from 4 to 900. (not validated: its evidence shows something else)');
    expect(problems.map(({ path }) => path)).toEqual(['verdicts.0.why', 'conclusion']);
    expect(Finding.safeParse(judge({ conclusion: `${'x'.repeat(1480)} 900 of 4` }).value).error).toBeUndefined();
  });

  test('no JSON is none; a wrong shape is problems without a value', () => {
    expect(CONTRACT.judge('I think', [])).toEqual({ kind: 'none' });
    expect(CONTRACT.judge('{"conclusion": 1}', [])).toMatchObject({ kind: 'judged', value: undefined });
  });
});
