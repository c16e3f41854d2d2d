import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { Conclusion } from '../../../src/domain/report.ts';
import { verifyConclusion } from '../../../src/investigate/verify.ts';
import { caseBrief, CONCLUSION, SERVICES } from '../../support/agent-case.ts';

const EVIDENCE = caseBrief().evidence;
const verify = (changes: Partial<Conclusion>) => verifyConclusion({ ...CONCLUSION, ...changes }, EVIDENCE, SERVICES);
const step = (statement: string, evidence: string[], service = 'payments') => ({ service, statement, evidence });

describe('verifyConclusion', () => {
  test('evidence about others does not convict: confidence is at most 0.5', () => {
    const { conclusion, problems } = verify({
      confidence: 0.95,
      evidence: ['M2'],
      causal_chain: [step('Its p95 rose to 4.85 s.', ['M2'], 'checkout')],
    });
    expect(conclusion).toMatchObject({ root_cause_service: 'payments', confidence: 0.5, status: 'inconclusive' });
    expect(conclusion.confidence_reasons.at(-1)).toBe('Lowered: none of the cited evidence is about payments.');
    expect(problems).toEqual([{ path: 'evidence', rule: 'cite evidence about the root cause service itself' }]);
  });

  test('a command that is not known to be read-only is not R0, whatever the model calls it', () => {
    const action = { step: 'Look.', why: 'It helps.', risk: 'R0' as const, needs_approval: false };
    const judged = (command: string) => verify({ action_plan: [{ ...action, command }] }).conclusion.action_plan[0];
    expect(judged('kubectl -n shop get pods')).toMatchObject({ risk: 'R0', needs_approval: false });
    expect(judged('kubectl -n shop get pods; rm -rf /')).toMatchObject({ risk: 'R3', needs_approval: true });
  });

  test('healthy does not stand against trouble in the brief', () => {
    const healthy = { ...CONCLUSION, status: 'healthy' as const, root_cause_type: 'none' as const };
    const { conclusion, problems } = verifyConclusion(healthy, EVIDENCE, SERVICES, { notHealthy: 'M1 shows trouble' });
    expect(conclusion).toMatchObject({ status: 'inconclusive', root_cause_type: 'unknown', confidence: 0.2 });
    expect(problems).toEqual([{ path: 'status', rule: 'may not be healthy: M1 shows trouble' }]);
    expect(verifyConclusion(healthy, EVIDENCE, SERVICES).conclusion.status).toBe('healthy');
  });

  test('leaves a conclusion that holds as it is', () => {
    expect(verify({})).toEqual({ conclusion: CONCLUSION, problems: [], removed: [] });
  });

  test('removes ids that do not exist; confidence falls by their share and says why', () => {
    const { conclusion, problems, removed } = verify({ evidence: ['M1', 'M9', 'M2'] });
    expect(conclusion.evidence).toEqual(['M1', 'M2']);
    expect(conclusion.confidence).toBeCloseTo(0.8 * (4 / 5), 3);
    expect(conclusion.confidence_reasons.at(-1)).toBe('Lowered: 1 of 5 citations do not exist (M9).');
    expect(problems).toEqual([{ path: 'evidence[1]', rule: 'cites evidence that does not exist in this run' }]);
    expect(removed).toEqual(['Citations of evidence that does not exist: M9.']);
  });

  test('takes out a step that rests only on evidence that does not exist', () => {
    const { conclusion, removed } = verify({
      causal_chain: [step('It rained.', ['E7'], 'cart'), ...CONCLUSION.causal_chain],
    });
    expect(conclusion.causal_chain).toEqual(CONCLUSION.causal_chain);
    expect(removed[0]).toBe('Step about cart: it cited only evidence that does not exist (E7).');
  });

  test('every problem is named by its place in the report that the model wrote', () => {
    const { problems } = verify({
      evidence: ['M1', 'M1', 'M9'],
      causal_chain: [step('It rained.', ['E7'], 'cart'), step('Users leave.', []), step('It used 77 of 99.', ['M1'])],
    });
    expect(problems.map(({ path }) => path)).toEqual([
      'evidence[2]',
      'causal_chain[0].evidence[0]',
      'causal_chain[1].evidence',
      'causal_chain[2].statement',
    ]);
  });

  test('keeps a step without citations, marked, and lowers confidence', () => {
    const { conclusion, problems } = verify({ causal_chain: [...CONCLUSION.causal_chain, step('Users leave.', [])] });
    expect(conclusion.causal_chain.at(-1)?.statement).toBe('Users leave. (not validated: no evidence cited)');
    expect(conclusion.confidence).toBeLessThan(0.8);
    expect(problems).toEqual([{ path: 'causal_chain[2].evidence', rule: 'cite at least one id' }]);
  });

  test('without any valid citation nothing is determined, and confidence is at most 0.2', () => {
    const { conclusion } = verify({ evidence: ['M8'], causal_chain: [step('Trust me.', ['M9'])] });
    expect(conclusion).toMatchObject({ status: 'inconclusive', evidence: [], causal_chain: [] });
    expect(conclusion.confidence).toBeLessThanOrEqual(0.2);
    expect(verify({ evidence: [], causal_chain: [] }).conclusion).toMatchObject({
      status: 'inconclusive',
      confidence: 0.2,
    });
  });

  test('"healthy" may rest on nothing found, but not on citations that do not exist', () => {
    const healthy = { status: 'healthy', root_cause_service: null, root_cause_type: 'none', causal_chain: [] } as const;
    expect(verify({ ...healthy, causal_chain: [], evidence: [] }).conclusion).toMatchObject({
      status: 'healthy',
      confidence: 0.8,
    });
    expect(verify({ ...healthy, causal_chain: [], evidence: ['M9'] }).conclusion.status).toBe('inconclusive');
  });

  test('the root cause must be a known service; spelling is forgiven', () => {
    expect(verify({ root_cause_service: 'Payments' }).conclusion.root_cause_service).toBe('payments');
    expect(verify({ root_cause_service: null }).problems).toEqual([]);
    const { conclusion, removed } = verify({ root_cause_service: 'ledger' });
    expect(conclusion).toMatchObject({ root_cause_service: null, status: 'inconclusive', confidence: 0.3 });
    expect(removed).toEqual(['Root cause service "ledger": not a known service.']);
  });

  test('alternatives must be known services too', () => {
    const other = { type: 'database', confidence: 0.1, why_not: 'quiet' } as const;
    const { conclusion } = verify({
      alternatives: [
        { service: 'cart', ...other },
        { service: 'moon', ...other },
      ],
    });
    expect(conclusion.alternatives.map(({ service }) => service)).toEqual(['cart']);
  });

  test('a number that the cited evidence contradicts lowers confidence', () => {
    const { conclusion, problems } = verify({ causal_chain: [step('The pool rose from 4 to 900.', ['M1'])] });
    expect(conclusion.confidence).toBeCloseTo(0.8 * 0.7, 3);
    expect(conclusion.confidence_reasons.at(-1)).toContain('900 (M1)');
    expect(conclusion.causal_chain[0]?.statement).toBe(
      'The pool rose from 4 to 900. (not validated: its evidence shows something else)',
    );
    expect(problems).toEqual([
      { path: 'causal_chain[0].statement', rule: 'states a number that none of its evidence shows' },
    ]);
  });

  test('a summary that its evidence contradicts is marked, and what a step said before lowers but once', () => {
    const statement = 'The pool rose from 4 to 900.';
    const { conclusion, problems } = verify({
      summary: statement,
      evidence: ['M1'],
      causal_chain: [step(statement, ['M1'])],
    });
    expect(conclusion.summary).toBe(`${statement} (not validated: its evidence shows something else)`);
    expect(conclusion.confidence).toBeCloseTo(0.8 * 0.7, 3);
    expect(problems.map(({ path }) => path)).toEqual(['causal_chain[0].statement', 'summary']);
  });

  test('a change needs approval, whatever the conclusion says', () => {
    const plan = (risk: 'R0' | 'R3') => ({ step: 'x', why: 'y', risk, needs_approval: false });
    const { conclusion } = verify({ action_plan: [plan('R0'), plan('R3')] });
    expect(conclusion.action_plan.map(({ needs_approval }) => needs_approval)).toEqual([false, true]);
  });

  test('for any conclusion: valid, never more confident, only existing ids, input unchanged', () => {
    const id = fc.constantFrom('M1', 'M2', 'L1', 'M9', 'X3');
    const arbitrary = fc.record({
      status: fc.constantFrom('determined', 'inconclusive', 'healthy'),
      confidence: fc.double({ min: 0, max: 1, noNaN: true }),
      confidence_reasons: fc.array(fc.constant('because'), { maxLength: 8 }),
      evidence: fc.array(id, { maxLength: 20 }),
      root_cause_service: fc.constantFrom(null, 'payments', 'CART', 'moon'),
      causal_chain: fc.array(
        fc.record({
          service: fc.constant('cart'),
          statement: fc.string({ minLength: 1, maxLength: 600 }),
          evidence: fc.array(id, { maxLength: 5 }),
        }),
        { maxLength: 8 },
      ),
    });
    fc.assert(
      fc.property(arbitrary, (changes) => {
        const input = { ...CONCLUSION, ...changes } as Conclusion;
        const before = structuredClone(input);
        const { conclusion } = verifyConclusion(input, EVIDENCE, SERVICES);
        expect(input).toEqual(before);
        expect(Conclusion.safeParse(conclusion).error).toBeUndefined();
        // Rounded to three places.
        expect(conclusion.confidence).toBeLessThanOrEqual(input.confidence + 0.0005);
        const cited = [...conclusion.evidence, ...conclusion.causal_chain.flatMap((item) => item.evidence)];
        expect(cited.every((cite) => EVIDENCE.some((item) => item.id === cite))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
