import { describe, expect, test } from '@jest/globals';
import type { Look } from '../../../src/domain/look.ts';
import { compareLooks } from '../../../src/investigate/compare-looks.ts';

const reason = (type: string, score: number, id: string) => ({
  type,
  score,
  statement: `${type} of ${score}`,
  evidenceIds: [id],
});
const suspect = (service: string, ...reasons: readonly ReturnType<typeof reason>[]) => ({
  service,
  reasons,
  score: reasons.reduce((sum, { score }) => sum + score, 0),
});
const look = (over: Partial<Look> = {}): Look => ({
  reportId: 'rep_1',
  generatedAtMs: Date.parse('2026-03-01T10:01:00Z'),
  seenUntilMs: Date.parse('2026-03-01T10:00:45Z'),
  status: 'determined',
  root_cause_service: 'cart',
  root_cause_type: 'cpu_saturation',
  confidence: 0.5,
  evidence: ['M9'],
  suspects: [suspect('cart', reason('cpu', 2, 'M1'))],
  ...over,
});
const changes = (earlier: Look, later: Look) => compareLooks(earlier, later).changes;

describe('a second look', () => {
  test('says which look it is compared with, and confirms it when nothing of weight moved', () => {
    expect(compareLooks(look(), look({ confidence: 0.64 }))).toEqual({
      of: {
        id: 'rep_1',
        generatedAt: '2026-03-01T10:01:00.000Z',
        seenUntil: '2026-03-01T10:00:45.000Z',
        status: 'determined',
        root_cause_service: 'cart',
        root_cause_type: 'cpu_saturation',
        confidence: 0.5,
      },
      changes: [],
    });
  });

  test('another leading suspect: with the evidence that has come in for it since, of the later report', () => {
    const later = look({
      root_cause_service: 'payments',
      suspects: [
        suspect('payments', reason('share', 3, 'M2'), reason('new-error', 1, 'L1'), reason('edge', 0.5, 'M3')),
        suspect('cart', reason('cpu', 2, 'M1')),
      ],
    });
    const earlier = look({
      suspects: [suspect('cart', reason('cpu', 2, 'M1')), suspect('payments', reason('edge', 0.5, 'M7'))],
    });
    expect(changes(earlier, later)).toEqual([
      {
        what: 'root_cause_service',
        from: 'cart',
        to: 'payments',
        statement: 'The leading suspect was cart; now it is payments, since: share of 3; new-error of 1',
        evidence: ['M2', 'L1'],
      },
    ]);
  });

  test('another leading suspect because what spoke for the first has faded', () => {
    const payments = suspect('payments', reason('share', 1.5, 'M2'));
    const earlier = look({ suspects: [suspect('cart', reason('cpu', 2, 'M1')), payments] });
    const later = look({
      root_cause_service: 'payments',
      suspects: [payments, suspect('cart', reason('cpu', 0.4, 'M1'))],
    });
    const [change] = changes(earlier, later);
    expect(change?.statement).toBe(
      'The leading suspect was cart; now it is payments, for this no longer weighs as much: cpu of 2',
    );
    expect(change?.evidence).toEqual(['M9']);
  });

  test.each([
    ['cart', null, 'cart is no longer suspected: nothing that is known now stands out.'],
    [null, 'cart', 'No suspect stood out; now it is cart, since: cpu of 2'],
  ])('from %s to %s', (from, to, statement) => {
    const suspects = (service: string | null) => (service === null ? [] : look().suspects);
    const earlier = look({ root_cause_service: from, suspects: suspects(from) });
    const later = look({ root_cause_service: to, suspects: suspects(to) });
    expect(changes(earlier, later).map((change) => change.statement)).toEqual([statement]);
  });

  test('confidence in the same suspect that moved by .15 or more, with what it gained', () => {
    const later = look({
      confidence: 0.65,
      suspects: [suspect('cart', reason('cpu', 2, 'M1'), reason('limit', 1, 'O1'))],
    });
    expect(changes(look(), later)).toEqual([
      {
        what: 'confidence',
        from: '0.50',
        to: '0.65',
        statement: 'Confidence in cart rose from 0.50 to 0.65, since: limit of 1',
        evidence: ['O1'],
      },
    ]);
  });

  test.each([
    [0.8, 0.95],
    [0.95, 0.8],
    [0.1, 0.25],
  ])('a confidence of %f that becomes %f has moved by the 0.15 that count', (before, after) => {
    expect(changes(look({ confidence: before }), look({ confidence: after })).map(({ what }) => what)).toEqual([
      'confidence',
    ]);
  });

  test('confidence falls because another is suspected more than before', () => {
    const later = look({
      confidence: 0.3,
      suspects: [look().suspects[0]!, suspect('payments', reason('share', 1.8, 'M2'))],
    });
    expect(changes(look(), later)[0]).toMatchObject({
      statement:
        'Confidence in cart fell from 0.50 to 0.30: payments is suspected more than before, since: share of 1.8',
      evidence: ['M2'],
    });
  });

  test('type and status', () => {
    const later = look({
      root_cause_type: 'memory_exhaustion',
      status: 'inconclusive',
      suspects: [suspect('cart', reason('cpu', 2, 'M1'), reason('memory', 2.5, 'M4'))],
    });
    expect(changes(look(), later).map(({ what, statement, evidence }) => [what, statement, evidence])).toEqual([
      ['root_cause_type', 'The type was cpu saturation; now it is memory exhaustion, since: memory of 2.5', ['M4']],
      ['status', 'The earlier look was determined; this one is inconclusive.', ['M9']],
    ]);
  });
});
