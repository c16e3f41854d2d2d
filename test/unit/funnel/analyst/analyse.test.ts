import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { Brief, Suspect } from '../../../../src/domain/brief.ts';
import type { Evidence } from '../../../../src/domain/evidence.ts';
import type { Incident } from '../../../../src/domain/incident.ts';
import { Conclusion } from '../../../../src/domain/report.ts';
import { ROOT_CAUSE_TYPES } from '../../../../src/domain/root-cause-type.ts';
import { ACTIONS } from '../../../../src/funnel/analyst/action-catalogue.ts';
import { analyse } from '../../../../src/funnel/analyst/analyse.ts';
import { verifyConclusion } from '../../../../src/investigate/verify.ts';
import { firingIncident } from '../../../support/incidents.ts';

const TRIGGER_MS = Date.parse('2026-03-04T10:00:00Z');

const incident = (fields: Partial<Incident> = {}) => firingIncident({ startsAtMs: TRIGGER_MS, ...fields });

const evidence = (id: string, service: string, statement: string): Evidence => ({
  id,
  kind: id.startsWith('E') ? 'event' : 'metric',
  service,
  statement,
  atMs: TRIGGER_MS - 45_000,
});

const ALERT = evidence('E1', 'frontend', 'alert fired: HighErrorRate');

function suspect(
  service: string,
  score: number,
  evidenceIds: readonly string[],
  fields: Partial<Suspect> = {},
): Suspect {
  const reasons = [{ type: 'cpu', score, statement: `${service} CPU holds at 97 %`, evidenceIds }];
  return { service, score, rootCauseType: 'cpu_saturation', reasons, ...fields };
}

function brief(fields: Partial<Brief> = {}): Brief {
  return {
    text: '',
    tokens: 0,
    rawTokens: 50_000,
    ranking: { suspects: [], confidence: 0, confidenceReasons: [] },
    evidence: [ALERT],
    gaps: [],
    alertEvidenceId: 'E1',
    ...fields,
  };
}

const threeSuspects = brief({
  ranking: {
    suspects: [
      suspect('store', 3, ['M1']),
      suspect('cart', 1, ['M2']),
      suspect('frontend', 0.5, ['M3']),
      suspect('mailer', 0.3, []),
      suspect('idle', 0, []),
    ],
    confidence: 0.8,
    confidenceReasons: ['store is far ahead'],
  },
  evidence: [
    evidence('M1', 'store', 'store cpu: 20 → 97 %'),
    evidence('M2', 'cart', 'cart latency: 12 ms → 480 ms (+3900 %); since 45 s before the alert, still so'),
    evidence('M3', 'frontend', 'frontend errors: 0 → 14 %'),
    ALERT,
  ],
  callPath: ['store', 'ledger', 'cart', 'frontend'],
});

describe('a determined verdict', () => {
  const conclusion = analyse(incident(), threeSuspects);

  test('C11: has service, type, confidence and action plan', () => {
    expect(conclusion).toMatchObject({
      status: 'determined',
      root_cause_service: 'store',
      root_cause_type: 'cpu_saturation',
      confidence: 0.8,
      confidence_reasons: ['store is far ahead'],
      // Of the symptom too, since the summary tells of it.
      evidence: ['M1', 'M3'],
    });
    expect(conclusion.action_plan.length).toBeGreaterThanOrEqual(2);
  });

  test('C7: the summary names service, type, what shows it and when, and what the alerting service suffers', () => {
    expect(conclusion.summary).toBe(
      'store is the likely root cause (CPU saturation): its cpu went from 20 to 97 %, 45 s before the alert; ' +
        'meanwhile frontend errors went from 0 to 14 %.',
    );
  });

  test('the chain goes from cause to symptom; who shows nothing is named as lying between', () => {
    expect(conclusion.causal_chain).toEqual([
      { service: 'store', statement: 'cpu went from 20 to 97 %', evidence: ['M1'] },
      {
        service: 'cart',
        statement:
          'calls store by way of ledger (nothing seen there), and its latency went from 12 ms to 480 ms (+3900 %)',
        evidence: ['M2'],
      },
      {
        service: 'frontend',
        statement: 'calls cart, and its errors went from 0 to 14 %; alert fired: HighErrorRate',
        evidence: ['E1', 'M3'],
      },
    ]);
  });

  test('alternatives say by numbers why they are not first, and share what the verdict leaves', () => {
    expect(conclusion.alternatives.map(({ service }) => service)).toEqual(['cart', 'frontend']);
    expect(conclusion.alternatives[0]?.why_not).toContain('weighs 33 % of that against ');
    const sum = conclusion.alternatives.reduce((total, { confidence }) => total + confidence, 0);
    expect(sum).toBeLessThanOrEqual(0.2 + 1e-9);
  });

  test('passes the check of citations unchanged', () => {
    const services = new Set(threeSuspects.ranking.suspects.map(({ service }) => service));
    const { conclusion: verified, problems, removed } = verifyConclusion(conclusion, threeSuspects.evidence, services);
    expect({ problems, removed, confidence: verified.confidence }).toEqual({
      problems: [],
      removed: [],
      confidence: 0.8,
    });
  });

  test('without a known way the symptom says so', () => {
    const { callPath: _, ...rest } = threeSuspects;
    const chain = analyse(incident(), rest).causal_chain;
    expect(chain.map(({ service }) => service)).toEqual(['store', 'frontend']);
    expect(chain[1]?.statement).toContain('no call from here to store is known');
  });
});

describe('other verdicts', () => {
  test('low confidence is inconclusive, with the strongest lead and what is missing', () => {
    const ranking = { ...threeSuspects.ranking, confidence: 0.2 };
    const gaps = [{ source: 'loki', message: 'timed out after 15 s' }];
    const conclusion = analyse(incident(), { ...threeSuspects, ranking, gaps });
    expect(conclusion.status).toBe('inconclusive');
    expect(conclusion.root_cause_service).toBe('store');
    expect(conclusion.summary).toMatch(
      /^Not determined\. The strongest lead is store .*Missing: loki: timed out after 15 s\.$/,
    );
  });

  test('no suspect is inconclusive, for an alert never healthy', () => {
    const conclusion = analyse(incident(), brief());
    expect(conclusion).toMatchObject({
      status: 'inconclusive',
      root_cause_service: null,
      root_cause_type: 'unknown',
      confidence: 0,
    });
    expect(conclusion.action_plan.every(({ risk }) => risk === 'R0')).toBe(true);
  });

  test('no data says so', () => {
    const conclusion = analyse(incident(), brief({ rawTokens: 0 }));
    expect(conclusion.summary).toContain('no telemetry could be read');
    expect(conclusion.confidence_reasons).toEqual(['no telemetry could be read']);
  });

  test('that nothing was found is said once', () => {
    const said = ['nothing anomalous was found', 'although: there were no logs to look at'];
    const ranking = { ...brief().ranking, suspects: [], confidence: 0, confidenceReasons: said };
    expect(analyse(incident(), brief({ ranking })).confidence_reasons).toEqual([
      'nothing that was read deviates from its usual state',
      'although: there were no logs to look at',
    ]);
  });

  test('a check with nothing notable is healthy; with nothing read it is not', () => {
    const check = incident({ kind: 'check' });
    expect(analyse(check, brief())).toMatchObject({ status: 'healthy', root_cause_type: 'none', action_plan: [] });
    expect(analyse(check, brief({ rawTokens: 0 })).status).toBe('inconclusive');
    expect(analyse(check, threeSuspects).status).toBe('determined');
  });

  test('a check that could not read everything is less sure of health', () => {
    const check = incident({ kind: 'check' });
    const partial = analyse(check, brief({ gaps: [{ source: 'loki', message: 'down' }] }));
    expect(partial.confidence).toBeLessThan(analyse(check, brief()).confidence);
    expect(partial.summary).toContain('1 source or list could not be read in full');
  });
});

describe('the action plan', () => {
  const planFor = (service: string, labels: Incident['labels'] = { namespace: 'shop' }) =>
    analyse(
      incident({ labels, service }),
      brief({ ranking: { ...threeSuspects.ranking, suspects: [suspect(service, 3, ['M1'])] } }),
    ).action_plan;

  test.each(ROOT_CAUSE_TYPES)('the catalogue has checks before proposals for %s', (type) => {
    const risks = ACTIONS[type].map(({ risk }) => risk);
    expect(risks[0]).toBe('R0');
    expect(risks.indexOf('R0')).toBeLessThan(1);
    expect(risks).toEqual(risks.toSorted((a, b) => Number(a !== 'R0') - Number(b !== 'R0')));
    expect(ACTIONS[type].length).toBeLessThanOrEqual(4);
    for (const { risk, rollback } of ACTIONS[type]) expect(risk === 'R0' || Boolean(rollback)).toBe(true);
  });

  test('everything above R0 needs approval and says how to undo it', () => {
    for (const { risk, needs_approval: needsApproval, rollback } of planFor('store')) {
      expect(needsApproval).toBe(risk !== 'R0');
      expect(risk === 'R0' || rollback !== undefined).toBe(true);
    }
  });

  test('commands are exact', () => {
    const commands = planFor('store', { namespace: 'shop', deployment: 'store' }).map(({ command }) => command);
    expect(commands).toContain('kubectl -n shop rollout undo deployment/store');
    expect(commands).toContain(
      'sum by (pod) (rate(container_cpu_usage_seconds_total{namespace="shop",pod=~"store-.*"}[5m]))',
    );
  });

  test('a Deployment that nobody has seen is not to be rolled back by a command', () => {
    const proposed = planFor('store').filter(({ risk }) => risk !== 'R0');
    expect(proposed.map(({ step }) => step).join()).toContain('roll store back');
    expect(proposed.map(({ command }) => command).filter(Boolean)).toEqual([]);
  });

  test('has no command of Kubernetes where nothing says that there is one', () => {
    const plan = planFor('store', {});
    expect(plan.map(({ command }) => command).filter(Boolean)).toEqual([]);
    expect(plan.map(({ step }) => step).join(' ')).not.toMatch(/\b(pods?|namespace|nodes?)\b/);
    expect(plan.length).toBeGreaterThanOrEqual(3);
  });

  test.each(ROOT_CAUSE_TYPES)('outside of Kubernetes something is left to look at for %s', (type) => {
    const suspects = [suspect('store', 3, ['M9'], { rootCauseType: type })];
    const plan = analyse(
      incident({ labels: {} }),
      brief({ ranking: { ...threeSuspects.ranking, suspects } }),
    ).action_plan;
    expect(type === 'scheduling' || type === 'node_failure' || plan[0]?.risk === 'R0').toBe(true);
  });

  test('begins with the object that shows the cause', () => {
    const query = 'kubectl -n shop describe service store';
    const state: Evidence = {
      id: 'O1',
      kind: 'state',
      service: 'store',
      statement: 'Service store sends nowhere',
      atMs: undefined,
      query,
    };
    const suspects = [suspect('store', 3, ['O1'], { rootCauseType: 'config_change' })];
    const plan = analyse(
      incident(),
      brief({ ranking: { ...threeSuspects.ranking, suspects }, evidence: [state, ALERT] }),
    ).action_plan;
    expect(plan[0]).toMatchObject({ risk: 'R0', command: query, why: 'Service store sends nowhere' });
    expect(plan.length).toBeLessThanOrEqual(5);
  });

  test.each(['a; rm -rf /', '$(id)', 'a b', '--help', 'a"}', 'a\nb', 'Größe', '', '$&'])(
    'no command is written with the name %j',
    (name) => {
      expect(planFor('store', { namespace: name }).every(({ command }) => command === undefined)).toBe(true);
      expect(planFor(name || '-').every(({ command }) => command === undefined)).toBe(true);
    },
  );
});

describe('a change that set it off', () => {
  const change: Evidence = {
    id: 'C1',
    kind: 'change',
    service: 'store',
    statement: 'config of store: pool_max changed from 16 to 2',
    atMs: TRIGGER_MS - 30_000,
  };
  const log: Evidence = {
    id: 'L1',
    kind: 'log',
    service: 'store',
    statement:
      'New error "pool exhausted after <*>"; 641 lines where none is usual in store; first 20 s before the alert; ' +
      'sample: 2026-03-04T09:59:40Z ERROR pool exhausted after 2000 ms',
    atMs: TRIGGER_MS - 20_000,
  };
  const reason = (type: string, id: string) => ({ type, score: 1, statement: `${type} of store`, evidenceIds: [id] });
  const first: Suspect = {
    ...suspect('store', 3, ['M1'], { rootCauseType: 'connection_exhaustion' }),
    mechanism: [reason('new-error', 'L1')],
    trigger: reason('change', 'C1'),
  };
  const [, ...rest] = threeSuspects.ranking.suspects;
  const changed = {
    ...threeSuspects,
    ranking: { ...threeSuspects.ranking, suspects: [first, ...rest] },
    evidence: [...threeSuspects.evidence, change, log],
  };
  const conclusion = analyse(incident(), changed);

  test('stands in the summary with old and new value, time and effect', () => {
    expect(conclusion.summary).toBe(
      'store is the likely root cause (connection exhaustion): pool_max changed from 16 to 2, 30 s before the alert; ' +
        'since then frontend errors went from 0 to 14 %.',
    );
  });

  test('of a kind of two words, too', () => {
    const flag = { ...change, statement: 'feature flag of store: pool_max changed from 16 to 2' };
    const {
      causal_chain: [step],
    } = analyse(incident(), { ...changed, evidence: [...threeSuspects.evidence, flag, log] });
    expect(step?.statement).toBe('pool_max changed from 16 to 2, 30 s before the alert');
  });

  test('begins the chain; what ails the service follows in the words of its log', () => {
    expect(conclusion.causal_chain.slice(0, 2)).toEqual([
      { service: 'store', statement: 'pool_max changed from 16 to 2, 30 s before the alert', evidence: ['C1'] },
      { service: 'store', statement: 'logs "pool exhausted after 2000 ms" (641 lines, none usual)', evidence: ['L1'] },
    ]);
    expect(conclusion.evidence.slice(0, 2)).toEqual(['C1', 'L1']);
  });

  test('is told once where it is all that speaks against the service', () => {
    const alone: Suspect = { ...first, mechanism: [reason('change', 'C1')], reasons: [reason('change', 'C1')] };
    const { summary, causal_chain: chain } = analyse(incident(), {
      ...changed,
      ranking: { ...changed.ranking, suspects: [alone] },
      evidence: [change, ALERT],
    });
    expect(summary.match(/pool_max/g)).toHaveLength(1);
    expect(chain.filter(({ statement }) => statement.includes('pool_max'))).toHaveLength(1);
  });

  test('is the first thing proposed: to take it back, with approval and a way to undo that', () => {
    const [proposal] = conclusion.action_plan.filter(({ risk }) => risk !== 'R0');
    expect(proposal).toMatchObject({
      step: 'Revert the change of store: pool_max changed from 16 to 2.',
      risk: 'R2',
      needs_approval: true,
    });
    expect(proposal?.why).toMatch(/\(C1\)\.$/);
    expect(proposal?.rollback).toBe('Set pool_max back to 2.');
  });

  const risksAt = (confidence: number) =>
    analyse(incident(), { ...changed, ranking: { ...changed.ranking, confidence } }).action_plan.map(
      ({ risk }) => risk,
    );

  test('where the confidence is high, one check stands before the revert; where it is not, all do', () => {
    expect(risksAt(0.9)).toEqual(['R0', 'R2', 'R0', 'R2', 'R0']);
    expect(risksAt(0.5)).toEqual(['R0', 'R0', 'R2', 'R2', 'R0']);
  });

  test('C11: on a lead nothing is proposed that changes anything, and no story is told', () => {
    const lead = analyse(incident(), { ...changed, ranking: { ...changed.ranking, confidence: 0.2 } });
    expect(lead).toMatchObject({ status: 'inconclusive', root_cause_service: 'store', causal_chain: [] });
    expect(lead.action_plan.length).toBeGreaterThan(0);
    expect(lead.action_plan.filter(({ risk, needs_approval: asks }) => risk !== 'R0' || asks)).toEqual([]);
    expect(JSON.stringify(lead)).not.toMatch(/root cause \(|Revert|Correct/);
  });

  test.each([
    ['rollout of store: Deployment store rolled out, revision 7', 'kubectl -n shop rollout undo deployment/store'],
    [
      'rollout of store: ReplicaSet store-5d9c replaced store-77b4: image of app 1 → 2',
      'kubectl -n shop rollout undo deployment/store',
    ],
    ['rollout of store: Deployment store-canary rolled out, revision 7', undefined],
    ['deploy of store: version 7', undefined],
    ['config of store: pool_max changed from 16 to 2', undefined],
  ])('%s: a command takes it back only where the Deployment is known', (statement, command) => {
    const trigger = { ...reason('change', 'C1'), statement };
    const suspects = [{ ...first, trigger }];
    const { action_plan: plan } = analyse(incident({ labels: { namespace: 'shop' } }), {
      ...changed,
      ranking: { ...changed.ranking, suspects },
      evidence: [{ ...change, statement, namespace: 'shop' }, log, ALERT],
    });
    expect(plan.find(({ step }) => step.startsWith('Revert'))?.command).toBe(command);
  });

  test('every figure of the chain stands in the evidence it cites', () => {
    const services = new Set(changed.ranking.suspects.map(({ service }) => service));
    const { problems, conclusion: verified } = verifyConclusion(conclusion, changed.evidence, services);
    expect({ problems, confidence: verified.confidence }).toEqual({ problems: [], confidence: 0.8 });
  });
});

describe('a change far from the alert', () => {
  const HOUR_MS = 3_600_000;
  const old: Evidence = {
    id: 'C1',
    kind: 'change',
    service: 'stock',
    statement: 'config of stock: ttl changed from 9 to 1',
    atMs: TRIGGER_MS - 14 * HOUR_MS,
  };
  const changedOnly = (service: string, score: number): Suspect => ({
    service,
    score,
    rootCauseType: 'config_change',
    reasons: [{ type: 'change', score, statement: old.statement, evidenceIds: ['C1'] }],
  });
  const given = (suspects: readonly Suspect[], item = old, confidence = 0.4) =>
    brief({
      ranking: {
        suspects,
        confidence,
        confidenceReasons: ['only stock shows evidence'],
        blindSpots: ['although: metrics end 14 h before the alert'],
      },
      evidence: [item, evidence('M2', 'cart', 'cart latency: 12 ms → 480 ms'), ALERT],
    });

  test('is no lead where no sign of trouble followed, however the ranker weighs it', () => {
    const conclusion = analyse(incident(), given([changedOnly('stock', 0.7)]));
    expect(conclusion).toMatchObject({
      status: 'inconclusive',
      root_cause_service: null,
      root_cause_type: 'unknown',
      confidence: 0,
      confidence_reasons: [
        'no sign of trouble was found near the alert',
        'although: metrics end 14 h before the alert',
      ],
      evidence: ['C1'],
      causal_chain: [],
      alternatives: [],
    });
    expect(conclusion.summary).toContain('only a change of stock, ttl changed from 9 to 1, 14 h before the alert');
    expect(conclusion.action_plan.every(({ risk }) => risk === 'R0')).toBe(true);
  });

  test('gives way to who shows a sign of trouble, who is a lead and no more', () => {
    const conclusion = analyse(incident(), given([changedOnly('stock', 0.7), suspect('cart', 0.5, ['M2'])]));
    expect(conclusion).toMatchObject({ status: 'inconclusive', root_cause_service: 'cart', confidence: 0.25 });
    expect(conclusion.confidence_reasons[0]).toMatch(/^although: what weighs most is only a change of stock, .*14 h/);
    expect(conclusion.alternatives).toEqual([]);
  });

  test.each([
    ['shortly before the alert', TRIGGER_MS - 20 * 60_000, 'stock'],
    ['long before it', TRIGGER_MS - 40 * 60_000, null],
    ['long after it', TRIGGER_MS + 40 * 60_000, null],
    ['at an unknown time', undefined, null],
  ])('%s', (_name, atMs, service) => {
    expect(analyse(incident(), given([changedOnly('stock', 0.7)], { ...old, atMs })).root_cause_service).toBe(service);
  });

  test('counts with a sign of trouble at the same service', () => {
    const both = changedOnly('stock', 0.7);
    const sign = { type: 'share', score: 0.5, statement: 'slow', evidenceIds: ['M2'] };
    const conclusion = analyse(incident(), given([{ ...both, reasons: [...both.reasons, sign] }]));
    expect(conclusion.root_cause_service).toBe('stock');
  });
});

describe('a metric to watch', () => {
  const planWith = (query: string) => {
    const metric = { ...evidence('M1', 'store', 'store cpu: 20 → 97 %'), query };
    return analyse(incident({ labels: {} }), { ...threeSuspects, evidence: [metric, ALERT] }).action_plan;
  };

  test('is a command only when its query surely reads', () => {
    expect(planWith('rate(cpu_seconds_total{service="store"}[5m])').at(-1)?.command).toContain('rate(');
    for (const query of ['store/cpu', '$(id)', 'up{a="`id`"}'])
      expect(
        planWith(query)
          .map(({ command }) => command)
          .filter(Boolean),
      ).toEqual([]);
  });

  test('tells in the end whether it worked; its query is the first thing to look at where no other command is known', () => {
    const [first, ...others] = planWith('rate(cpu_seconds_total{service="store"}[5m])');
    expect(first).toMatchObject({ step: 'Look at store cpu.', command: expect.stringContaining('rate(') });
    expect(others.at(-1)).toMatchObject({
      step: 'Afterwards, watch store cpu: it has to return to its usual level.',
      risk: 'R0',
    });
    expect(planWith('store/cpu')[0]?.step).toMatch(/^Compare processor use/);
  });
});

test('whatever the brief holds, the verdict keeps the schema', () => {
  const wild = fc.oneof(fc.string({ unit: 'binary', maxLength: 2000 }), fc.constant('😀'.repeat(900)), fc.constant(''));
  const id = fc.constantFrom('M1', 'E1', 'L7', 'O22');
  const anySuspect = fc.record({
    service: wild.map((text) => text || 'x'),
    score: fc.double(),
    rootCauseType: fc.constantFrom(...ROOT_CAUSE_TYPES),
    reasons: fc.array(
      fc.record({ type: wild, score: fc.double(), statement: wild, evidenceIds: fc.array(id, { maxLength: 40 }) }),
      { maxLength: 5 },
    ),
    mechanism: fc.array(
      fc.record({ type: wild, score: fc.double(), statement: wild, evidenceIds: fc.array(id, { maxLength: 40 }) }),
      { maxLength: 2 },
    ),
    trigger: fc.record({
      type: wild,
      score: fc.double(),
      statement: wild,
      evidenceIds: fc.array(id, { maxLength: 2 }),
    }),
  });
  const anyBrief = fc.record({
    suspects: fc.array(anySuspect, { maxLength: 30 }),
    confidence: fc.double(),
    confidenceReasons: fc.array(wild, { maxLength: 20 }),
    path: fc.option(fc.array(wild, { minLength: 1, maxLength: 30 })),
    text: wild,
    kind: fc.constantFrom<Incident['kind']>('incident', 'check'),
  });
  fc.assert(
    fc.property(anyBrief, ({ suspects, confidence, confidenceReasons, path, text, kind }) => {
      const conclusion = analyse(
        incident({ title: text, service: text || undefined, labels: { namespace: text }, kind }),
        brief({
          ranking: { suspects, confidence, confidenceReasons },
          evidence: [ALERT, evidence('M1', text, text), evidence('O22', suspects[0]?.service ?? '', text)],
          gaps: [{ source: text, message: text }],
          ...(path ? { callPath: path } : {}),
        }),
      );
      expect(() => Conclusion.parse(conclusion)).not.toThrow();
    }),
    { numRuns: 150 },
  );
});
