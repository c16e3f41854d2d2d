import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { formHypotheses } from '../../../../src/agent/hypotheses/form-hypotheses.ts';
import { nameOfHypothesis } from '../../../../src/domain/hypothesis.ts';
import type { Incident } from '../../../../src/domain/incident.ts';
import { INCIDENT } from '../../../support/agent-case.ts';
import { inventBrief, type InventedBrief } from '../../../support/hypothesis-case.ts';

const CHECK: Incident = { ...INCIDENT, kind: 'check', service: undefined };
const namesOf = (brief: InventedBrief, incident = INCIDENT) =>
  formHypotheses(incident, inventBrief(brief)).map(nameOfHypothesis);

describe('formHypotheses', () => {
  test('the leader comes first, with the change that set it off, its evidence and what would refute it', () => {
    const suspects = [
      { service: 'payments', score: 4, change: 'config of payments: db_pool_max changed from 16 to 2' },
      { service: 'checkout', score: 1 },
    ];
    const [leader, second] = formHypotheses(INCIDENT, inventBrief({ suspects, confidence: 0.9 }));
    expect(leader).toEqual({
      id: 'H1',
      service: 'payments',
      type: 'connection_exhaustion',
      statement: 'It began in payments: connection exhaustion, set off by a change (C1)',
      refutedBy: 'its pool or limit of connections is not used up; or others changed before it',
      prior: 0.9,
      supporting: ['C1', 'M1'],
      contradicting: [],
    });
    expect(second).toMatchObject({
      id: 'H2',
      service: 'checkout',
      statement: expect.stringContaining('not in what it calls'),
    });
    expect(second?.prior).toBeLessThanOrEqual(0.1);
  });

  test('what else the brief suggests competes: a change elsewhere, the alerting service, load from outside', () => {
    const suspects = [
      { service: 'payments', score: 4 },
      { service: 'checkout', score: 0.1 },
      { service: 'cart', score: 0 },
    ];
    const others = [
      { kind: 'change', service: 'cart', statement: 'rollout of cart: shop/cart:2', minutesBefore: 5 },
      { kind: 'change', service: 'payments', statement: 'rollout of payments: old', minutesBefore: 500 },
      { kind: 'metric', service: 'checkout', statement: 'checkout http_requests_per_second: 10 → 40 (+300 %)' },
    ] as const;
    expect(namesOf({ suspects, confidence: 0.8, others })).toEqual([
      'payments',
      'cart',
      'checkout',
      '(load from outside)',
    ]);
    const [, change, , load] = formHypotheses(INCIDENT, inventBrief({ suspects, confidence: 0.8, others }));
    expect(change).toMatchObject({ type: 'deployment_change', supporting: ['C1'] });
    expect(change?.statement).toBe('The change of cart (C1), 5 min before the alert, set it off');
    expect(load?.supporting).toEqual(['M4']);
  });

  test.each([
    'checkout http_client_requests_in_flight: 3 → 28 (+833 %)',
    'checkout http_request_duration_seconds_p50: 0.3 s → 2 s (+531 %)',
    'checkout http_requests_per_second: 10 → 11 (+10 %)',
    'checkout http_requests_per_second: 40 → 10 (−75 %)',
    'checkout requests_failed: 0 → 9 (from zero)',
  ])('no load from outside: %s', (statement) => {
    const others = [{ kind: 'metric', service: 'checkout', statement }] as const;
    const suspects = [
      { service: 'payments', score: 4 },
      { service: 'checkout', score: 1 },
    ];
    expect(namesOf({ suspects, confidence: 0.8, others })).toEqual(['payments', 'checkout']);
  });

  test('what is requested more only after the alert did not set it off', () => {
    const rise = (minutesBefore: number) =>
      ({
        kind: 'metric',
        service: 'cart',
        statement: 'cart requests_per_second: 10 → 40 (+300 %)',
        minutesBefore,
      }) as const;
    const suspects = [
      { service: 'payments', score: 4 },
      { service: 'checkout', score: 1 },
    ];
    const late = { suspects, confidence: 0.8, others: [rise(-10)] };
    expect(namesOf(late)).toEqual(['payments', 'checkout']);
    expect(namesOf({ ...late, others: [rise(-1)] })).toEqual(['payments', 'checkout', '(load from outside)']);
  });

  test("a later change of the leader does not hide another's", () => {
    const others = [
      { kind: 'change', service: 'cart', statement: 'rollout of cart: shop/cart:2', minutesBefore: 5 },
      { kind: 'change', service: 'payments', statement: 'rollout of payments: new', minutesBefore: 2 },
    ] as const;
    const suspects = [{ service: 'payments', score: 4 }];
    expect(namesOf({ suspects, confidence: 0.8, others })).toEqual(['payments', 'cart']);
  });

  test('without a suspect there are two all the same', () => {
    expect(namesOf({ suspects: [], confidence: 0 })).toEqual(['(nothing wrong)', '(load from outside)']);
    expect(namesOf({ suspects: [{ service: 'checkout', score: 2 }], confidence: 0.9 })).toEqual([
      'checkout',
      '(load from outside)',
    ]);
  });

  test('a check without trouble may be healthy; nothing alerts, so no service is the alerting one', () => {
    expect(namesOf({ suspects: [{ service: 'cart', score: 1.2 }], confidence: 0.5 }, CHECK)).toEqual([
      'cart',
      '(nothing wrong)',
    ]);
    expect(namesOf({ suspects: [{ service: 'cart', score: 1.2 }], confidence: 0.5, trouble: ['M1'] }, CHECK)).toEqual([
      'cart',
      '(load from outside)',
    ]);
  });

  test('for any ranking: 2 to 4, distinct, numbered, only ids of the brief, priors that add up to at most 1', () => {
    const suspect = fc.record({
      service: fc.constantFrom('checkout', 'payments', 'cart', 'a\nb', '  '),
      score: fc.double({ min: 0, max: 6, noNaN: true }),
    });
    const suspects = fc.uniqueArray(suspect, { selector: ({ service }) => service, maxLength: 5 });
    fc.assert(
      fc.property(
        suspects,
        fc.double({ min: 0, max: 0.97, noNaN: true }),
        fc.boolean(),
        (list, confidence, isCheck) => {
          const brief = inventBrief({ suspects: list.toSorted((a, b) => b.score - a.score), confidence });
          const formed = formHypotheses(isCheck ? CHECK : INCIDENT, brief);
          expect(formed.length).toBeGreaterThanOrEqual(2);
          expect(formed.length).toBeLessThanOrEqual(4);
          expect(formed.map(({ id }) => id)).toEqual(['H1', 'H2', 'H3', 'H4'].slice(0, formed.length));
          expect(new Set(formed.map(nameOfHypothesis)).size).toBe(formed.length);
          const ids = new Set(brief.evidence.map(({ id }) => id));
          expect(formed.flatMap(({ supporting }) => supporting).every((id) => ids.has(id))).toBe(true);
          expect(formed.every(({ statement }) => !statement.includes('\n'))).toBe(true);
          expect(formed.reduce((sum, { prior }) => sum + prior, 0)).toBeLessThanOrEqual(1.002);
        },
      ),
    );
  });
});
