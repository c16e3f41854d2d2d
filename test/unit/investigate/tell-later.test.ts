import { describe, expect, test } from '@jest/globals';
import type { Incident } from '../../../src/domain/incident.ts';
import type { Look } from '../../../src/domain/look.ts';
import { Report } from '../../../src/domain/report.ts';
import { tellLook, tellRound, type Standing } from '../../../src/investigate/tell-later.ts';
import { makeIncident, makeReport } from '../../support/delivery-content.ts';

const SEEN = Date.parse('2026-11-29T10:05:20Z');

function lookAt(service: string | null, reason = 'its latency rose'): Look {
  const reasons = [{ type: 'metric-rise' as const, score: 0.9, statement: reason, evidenceIds: ['M1'] }];
  return {
    reportId: 'rep_7f3a9c',
    generatedAtMs: SEEN,
    seenUntilMs: SEEN,
    status: service === null ? 'inconclusive' : 'determined',
    root_cause_service: service,
    root_cause_type: service === null ? 'unknown' : 'cpu_saturation',
    confidence: 0.7,
    evidence: ['M1'],
    suspects: service === null ? [] : [{ service, score: 0.9, reasons }],
  };
}

function standing(mode: Report['mode'], named: string | null, leads: string | null): Standing {
  const report = makeReport({ mode, root_cause_service: named });
  return { report, incident: makeIncident(), analystLook: lookAt(leads) };
}

const later = (leads: string | null, mode: Report['mode'] = 'analyst', named = leads) => ({
  report: makeReport({
    mode,
    root_cause_service: named,
    summary: 'written later',
    gaps: ['model: it was overloaded; and so on'],
  }),
  analystLook: lookAt(leads, 'its CPU is used up'),
});

describe('what a later look tells', () => {
  test('nothing, while the same service leads', () => {
    expect(tellLook(standing('analyst', 'cart', 'cart'), later('cart'))).toBeUndefined();
    expect(tellLook(standing('agent', 'orders-db', 'cart'), later('cart'))).toBeUndefined();
    expect(tellLook(standing('analyst', null, null), later(null))).toBeUndefined();
  });

  test('an analyst report gives way, and the news says what leads now and why', () => {
    const told = tellLook(standing('analyst', 'cart', 'cart'), later('payments'));
    expect(told?.report.summary).toBe('written later');
    expect(told?.news).toBe(
      'Samples up to 10:05 UTC: The leading suspect was cart; now it is payments, since: its CPU is used up',
    );
  });

  test.each([
    [
      'contradict',
      'payments',
      'The agent named orders-db; samples up to 10:05 UTC now rank payments first, since: its CPU is used up',
    ],
    ['agree', 'orders-db', 'The agent named orders-db; samples up to 10:05 UTC rank it first, too'],
    [
      'show nothing any more',
      null,
      'The agent named orders-db; in samples up to 10:05 UTC no service stands out any more',
    ],
  ])("an agent's verdict stays where later samples %s, and that is said", (_what, leads, news) => {
    const before = standing('agent', 'orders-db', 'cart');
    const told = tellLook(before, later(leads));
    expect(told?.news).toBe(news);
    const { revision, confidence_reasons, ...rest } = told?.report ?? makeReport();
    const { confidence_reasons: reasonsBefore, ...restBefore } = before.report;
    expect(rest).toEqual(restBefore);
    expect(confidence_reasons).toEqual(leads === 'orders-db' ? reasonsBefore : [...reasonsBefore, news]);
    // Evidence of another look has other ids.
    expect(revision?.changes.flatMap(({ evidence }) => evidence)).toEqual([]);
    expect(Report.safeParse(told?.report).success).toBe(true);
  });

  test('an agent that named no cause is not said to have named one', () => {
    expect(tellLook(standing('agent', null, null), later('cart'))?.news).toMatch(
      /^The agent named no cause; samples up to 10:05 UTC now rank cart first/,
    );
  });
});

describe('what the round of a grown incident tells', () => {
  const alertOf = (service: string): Incident['alerts'][number] => ({
    status: 'firing',
    labels: { service },
    annotations: {},
    startsAtMs: SEEN,
    endsAtMs: undefined,
    generatorUrl: undefined,
    fingerprint: service,
  });
  const grown = (services: readonly string[], changes: Partial<Incident> = {}) =>
    makeIncident({ alerts: services.map(alertOf), alertCount: 3 + services.length, ...changes });

  test('who joined and what is suspected now; the new report stands', () => {
    const told = tellRound(standing('analyst', 'cart', 'cart'), grown(['a', 'b']), later('payments', 'agent'));
    expect(told.news).toBe('2 more services joined: a, b; now payments is suspected, no longer cart');
    expect(told.report.summary).toBe('written later');
  });

  test.each([
    ['alerts of known services', grown([], { alertCount: 4 }), /^1 more alert joined; /],
    ['a graver alert', grown([], { alertCount: 3, severity: 'page' }), /^The severity is now page; /],
    [
      'many services',
      grown(['a', 'b', 'c', 'd', 'e', 'f', 'g']),
      /^7 more services joined: a, b, c, d, e and 2 more; /,
    ],
  ])('of %s', (_what, incident, words) => {
    expect(tellRound(standing('analyst', 'cart', 'cart'), incident, later('cart')).news).toMatch(words);
  });

  test('when the model could not be asked, the verdict of the agent before stays, and the report says why', () => {
    const told = tellRound(standing('agent', 'orders-db', 'cart'), grown(['a']), later('payments'));
    expect(told.report).toMatchObject({ mode: 'agent', root_cause_service: 'orders-db' });
    expect(told.report.gaps).toContain('model: it was overloaded; and so on');
    expect(told.news).toMatch(/^1 more service joined: a; The agent named orders-db; .* now rank payments first/);
  });
});
