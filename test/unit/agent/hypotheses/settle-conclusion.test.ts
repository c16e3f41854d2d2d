import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { formHypotheses } from '../../../../src/agent/hypotheses/form-hypotheses.ts';
import { settleConclusion } from '../../../../src/agent/hypotheses/settle-conclusion.ts';
import { weighHypotheses, type HypothesisTest } from '../../../../src/agent/hypotheses/weigh-hypotheses.ts';
import type { Evidence } from '../../../../src/domain/evidence.ts';
import type { Incident } from '../../../../src/domain/incident.ts';
import { Conclusion } from '../../../../src/domain/report.ts';
import { CONCLUSION, INCIDENT } from '../../../support/agent-case.ts';
import { found, inventBrief, testOf, type InventedBrief } from '../../../support/hypothesis-case.ts';

const SUSPECTS = [
  { service: 'payments', score: 4 },
  { service: 'checkout', score: 2 },
  { service: 'cart', score: 0 },
];
const LIVE = [
  found('M1001', 'payments'),
  found('M1002', 'checkout'),
  found('L1003', 'cart'),
  found('M1004', undefined),
  found('L1005', 'payments', 'payments says: cart is the root cause'),
];
const SURE: Conclusion = { ...CONCLUSION, confidence: 1, evidence: ['M1'], causal_chain: [] };

interface Case {
  readonly conclusion?: Partial<Conclusion>;
  readonly tests?: readonly HypothesisTest[];
  readonly brief?: Partial<InventedBrief>;
  readonly incident?: Incident;
  readonly evidence?: readonly Evidence[];
}

function settle({ conclusion = {}, tests = [], brief: changes = {}, incident = INCIDENT, evidence = LIVE }: Case) {
  const brief = inventBrief({ suspects: SUSPECTS, confidence: 0.6, ...changes });
  const all = [...brief.evidence, ...evidence];
  const known = new Set(brief.evidence.map(({ id }) => id));
  const hypotheses = weighHypotheses({ hypotheses: formHypotheses(incident, brief), tests, evidence: all, known });
  return settleConclusion({ ...SURE, ...conclusion }, { hypotheses, brief, evidence: all });
}

const SURVIVED = testOf('H1', 'neither', ['M1001'], { stance: 'refute' });
const SUPPORTED = testOf('H1', 'supports', ['M1001']);
const REFUTED = testOf('H1', 'contradicts', ['M1002'], { stance: 'refute', why: 'its pool was never full' });
const OTHER_SUPPORTED = testOf('H2', 'supports', ['M1002']);

describe('what the evidence earns', () => {
  test.each<[string, Case, number, Conclusion['status']]>([
    ['the leader on the brief alone: the ranker and a little', {}, 0.65, 'determined'],
    [
      'the leader, with new evidence that the agent found itself',
      { conclusion: { evidence: ['M1', 'M1001'] } },
      0.725,
      'determined',
    ],
    ['the leader, supported by a sub-agent with new evidence', { tests: [SUPPORTED] }, 0.8, 'determined'],
    ['the leader, which a sub-agent failed to refute', { tests: [SURVIVED] }, 0.875, 'determined'],
    [
      'the same where logs and traces were not there',
      { tests: [SURVIVED], brief: { kindsRead: ['metrics', 'events'] } },
      0.8,
      'determined',
    ],
    ['a leader that the ranker is sure of', { brief: { confidence: 0.97 } }, 0.97, 'determined'],
    ['an unsure leader on the brief alone', { brief: { confidence: 0.2 } }, 0.25, 'inconclusive'],
    [
      'another suspect on the brief alone',
      { conclusion: { root_cause_service: 'checkout', evidence: ['M2'] } },
      0.41,
      'inconclusive',
    ],
    [
      'another suspect with new evidence',
      { conclusion: { root_cause_service: 'checkout', evidence: ['M1002'] } },
      0.6,
      'determined',
    ],
    [
      'another suspect, supported while the leader is contradicted',
      { conclusion: { root_cause_service: 'checkout' }, tests: [REFUTED, OTHER_SUPPORTED] },
      0.75,
      'determined',
    ],
    [
      'a service that was no hypothesis, with new evidence',
      { conclusion: { root_cause_service: 'cart', evidence: ['L1003'] } },
      0.6,
      'determined',
    ],
    [
      'a service that was no hypothesis, without',
      { conclusion: { root_cause_service: 'cart', evidence: ['M3'] } },
      0.35,
      'inconclusive',
    ],
    [
      'a service that only the log of another names',
      { conclusion: { root_cause_service: 'cart', evidence: ['L1005'] } },
      0.35,
      'inconclusive',
    ],
    [
      'load from outside, which only a log line or a file speaks of',
      {
        conclusion: { root_cause_service: null, root_cause_type: 'traffic_surge', evidence: ['L1003', 'X1'] },
        evidence: [...LIVE, { ...found('X1', undefined), kind: 'tool' }],
      },
      0.35,
      'inconclusive',
    ],
    ['the leader, refuted', { tests: [REFUTED] }, 0.3, 'inconclusive'],
    ['the leader, disputed', { tests: [SUPPORTED, REFUTED], conclusion: { confidence: 0.8 } }, 0.56, 'determined'],
    [
      'the leader, disputed by one who cites much',
      {
        tests: [SUPPORTED, testOf('H1', 'contradicts', ['M1', 'M2', 'M1002', 'L1003', 'M1004'])],
        conclusion: { confidence: 0.8 },
      },
      0.56,
      'determined',
    ],
    [
      'the leader, against which only the brief is held',
      { tests: [testOf('H1', 'contradicts', ['M2'])] },
      0.65,
      'determined',
    ],
    [
      'a leader that was refuted in vain, and doubted',
      { tests: [SURVIVED, REFUTED], conclusion: { confidence: 0.8 } },
      0.56,
      'determined',
    ],
    [
      'the leader that the ranker is sure of, while tests support both',
      { tests: [SUPPORTED, OTHER_SUPPORTED], brief: { confidence: 0.9 } },
      0.95,
      'determined',
    ],
    ['the leader while tests support another as much', { tests: [SUPPORTED, OTHER_SUPPORTED] }, 0.45, 'inconclusive'],
    ['the leader while only another was supported', { tests: [OTHER_SUPPORTED] }, 0.45, 'inconclusive'],
    [
      'one of two that the ranker cannot tell apart',
      {
        brief: {
          suspects: [
            { service: 'payments', score: 4 },
            { service: 'checkout', score: 3.9 },
          ],
          confidence: 0.48,
        },
      },
      0.45,
      'inconclusive',
    ],
    [
      'no service and no type',
      { conclusion: { root_cause_service: null, root_cause_type: 'unknown' } },
      0.3,
      'inconclusive',
    ],
  ])('%s', (_name, given, confidence, status) => {
    const settled = settle(given);
    expect(settled).toMatchObject({ status });
    expect(settled.confidence).toBeCloseTo(confidence, 2);
  });

  test('the model may be less sure than the evidence allows, and is never raised', () => {
    expect(settle({ tests: [SURVIVED], conclusion: { confidence: 0.4 } }).confidence).toBe(0.4);
    expect(settle({ tests: [SURVIVED], conclusion: { status: 'inconclusive' } }).status).toBe('inconclusive');
  });

  test.each<[string, readonly HypothesisTest[]]>([
    ['cites nothing', [testOf('H1', 'supports', [])]],
    ['cites ids that do not exist', [testOf('H1', 'supports', ['M7777', 'L8888'])]],
    ['cites only what the brief held', [testOf('H1', 'supports', ['M1'])]],
    ['cites new evidence about another service', [testOf('H1', 'supports', ['M1002'])]],
    ['cites what is known of the service, and new evidence about another', [testOf('H1', 'supports', ['M1', 'M1002'])]],
    ['looked elsewhere to refute', [testOf('H1', 'neither', ['M1', 'M1002'], { stance: 'refute' })]],
    ['tried to refute without looking', [testOf('H1', 'neither', ['M1'], { stance: 'refute' })]],
  ])('a verdict that %s tests nothing', (_name, tests) => {
    expect(settle({ tests }).confidence).toBeCloseTo(0.65, 2);
  });

  test('reasons say what was tested, by id, and what caps', () => {
    expect(settle({}).confidence_reasons.at(-1)).toBe('Not tested: payments rests on the brief alone: at most 0.65');
    expect(settle({ tests: [SURVIVED] }).confidence_reasons.at(-1)).toBe(
      'Tested: a sub-agent looked for evidence against payments and found none (M1001): at most 0.88',
    );
    expect(settle({ tests: [REFUTED] }).confidence_reasons.join()).not.toContain('Not tested');
    expect(settle({ tests: [REFUTED] }).confidence_reasons.join()).toContain(
      'more speaks against it than for it (M1002)',
    );
  });
});

describe('healthy', () => {
  const healthy = { status: 'healthy', root_cause_service: null, root_cause_type: 'none', evidence: [] } as const;
  const incident: Incident = { ...INCIDENT, kind: 'check', service: undefined };
  test('stands when nothing speaks against it', () => {
    expect(settle({ conclusion: { ...healthy, evidence: [] }, incident })).toMatchObject({
      status: 'healthy',
      confidence: 1,
    });
  });
  test('does not when a test supports a cause', () => {
    const settled = settle({ conclusion: { ...healthy, evidence: [] }, incident, tests: [SUPPORTED] });
    expect(settled).toMatchObject({ status: 'inconclusive', root_cause_type: 'unknown', confidence: 0.2 });
    expect(settled.confidence_reasons.at(-1)).toContain('tests support payments');
  });
});

describe('alternatives', () => {
  test('every dropped hypothesis is one, with its evidence and why it was dropped', () => {
    const { alternatives } = settle({
      conclusion: { root_cause_service: 'checkout' },
      tests: [REFUTED, OTHER_SUPPORTED],
    });
    expect(alternatives).toEqual([
      {
        service: 'payments',
        type: 'connection_exhaustion',
        confidence: 0.02,
        why_not: 'held against it: its pool was never full',
        hypothesis: 'H1',
        supporting: ['M1'],
        contradicting: ['M1002'],
      },
    ]);
  });

  test("the model's reason stays, and that nobody looked is said", () => {
    const own = {
      service: 'checkout',
      type: 'database',
      confidence: 0.9,
      why_not: 'it only waits',
      contradicting: ['M1002'],
    } as const;
    const [told] = settle({ conclusion: { alternatives: [{ ...own, contradicting: ['M1002'] }] } }).alternatives;
    expect(told).toMatchObject({
      hypothesis: 'H2',
      why_not: 'it only waits',
      type: 'database',
      contradicting: ['M1002'],
      confidence: 0.65,
    });
    const [silent] = settle({}).alternatives;
    expect(silent?.why_not).toBe('not chosen, and not ruled out either: nobody tested it');
  });

  test('that an attempt to refute it failed is said, and no id stands on both sides', () => {
    const [told] = settle({
      conclusion: { root_cause_service: 'checkout', evidence: ['M1002'] },
      tests: [testOf('H1', 'neither', ['M1001'], { stance: 'refute' })],
    }).alternatives;
    expect(told?.why_not).toBe('not chosen, though an attempt to refute it found nothing');
    const own = {
      service: 'checkout',
      type: 'database',
      confidence: 0.1,
      why_not: 'quiet',
      contradicting: ['M2'],
    } as const;
    const [both] = settle({ conclusion: { alternatives: [{ ...own, contradicting: ['M2'] }] } }).alternatives;
    expect(both).toMatchObject({ supporting: [], contradicting: ['M2'] });
  });

  test('the cause that is named is no alternative to itself', () => {
    const { root_cause_type: type } = SURE;
    const own = { service: 'payments', type, confidence: 0.1, why_not: 'it is the cause' };
    expect(settle({ conclusion: { alternatives: [own] } }).alternatives.map(({ service }) => service)).toEqual([
      'checkout',
    ]);
  });

  test('an alternative that is no hypothesis stays, without the id that the model gave it', () => {
    const own = { service: 'cart', type: 'database', confidence: 0.1, why_not: 'quiet', hypothesis: 'H1' } as const;
    const { alternatives } = settle({ conclusion: { alternatives: [own] } });
    expect(alternatives.map(({ service, hypothesis }) => [service, hypothesis])).toEqual([
      ['checkout', 'H2'],
      ['cart', undefined],
    ]);
  });
});

test('for any conclusion and any verdicts: valid, never surer, never more certain, every dropped hypothesis told', () => {
  const ids = fc.subarray(['M1', 'M2', 'M1001', 'M1002', 'L1003', 'M9999']);
  const verdict = fc.constantFrom('supports', 'contradicts', 'neither');
  const tests = fc.array(
    fc
      .record({ id: fc.constantFrom('H1', 'H2', 'H9'), verdict, ids, stance: fc.constantFrom('test', 'refute') })
      .map((one) => testOf(one.id, one.verdict as 'supports', one.ids, { stance: one.stance as 'test' })),
    { maxLength: 6 },
  );
  const conclusion = fc.record({
    status: fc.constantFrom('determined', 'inconclusive', 'healthy'),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    root_cause_service: fc.constantFrom(null, 'payments', 'checkout', 'cart'),
    root_cause_type: fc.constantFrom('unknown', 'none', 'traffic_surge', 'database'),
    evidence: ids,
  });
  const certainty = { inconclusive: 0, healthy: 1, determined: 1 };
  fc.assert(
    fc.property(conclusion, tests, fc.double({ min: 0, max: 0.97, noNaN: true }), (changes, list, confidence) => {
      const given = { ...SURE, ...changes } as Conclusion;
      const settled = settle({ conclusion: given, tests: list, brief: { confidence } });
      expect(Conclusion.safeParse(settled).error).toBeUndefined();
      expect(settled.confidence).toBeLessThanOrEqual(given.confidence + 0.0005);
      expect(certainty[settled.status]).toBeLessThanOrEqual(certainty[given.status]);
      const told = new Set([settled.root_cause_service, ...settled.alternatives.map(({ service }) => service)]);
      expect(['payments', 'checkout'].filter((service) => !told.has(service))).toEqual([]);
    }),
  );
});
