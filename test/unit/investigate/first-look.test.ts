import { describe, expect, test } from '@jest/globals';
import { NO_GUIDANCE } from '../../../src/agent/guidance.ts';
import { ModelError, type Model } from '../../../src/agent/model.ts';
import { NO_TELEMETRY } from '../../../src/domain/telemetry.ts';
import { distil } from '../../../src/funnel/distil.ts';
import { investigate } from '../../../src/investigate/investigate.ts';
import type { InvestigationState, Journal } from '../../../src/investigate/journal.ts';
import type { FirstLook, InvestigationParts } from '../../../src/investigate/run.ts';
import { ANALYST_LIMITS, caseProvider, CONCLUSION, INCIDENT, series, TRIGGER_MS } from '../../support/agent-case.ts';
import { gate } from '../../support/gate.ts';
import { scriptedModel, text } from '../../support/scripted-model.ts';

const RISES = series('payments', 'latency_p95_seconds', [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 2, 2, 2]);
const TELEMETRY = { ...NO_TELEMETRY, series: [RISES], rawCharacters: 500 };
const LIMITS = { ...ANALYST_LIMITS, maxTurns: 4, maxTokens: 200_000, maxOutputTokens: 2000 };

function keptIn(states: InvestigationState[]): Journal {
  return {
    load: () => Promise.resolve(states.at(-1)),
    save: (state) => Promise.resolve(void states.push(state)),
    main: { load: () => Promise.resolve(undefined), save: () => Promise.resolve() },
  };
}

function partsWith(model: InvestigationParts['model'], order: string[], changes: Partial<InvestigationParts> = {}) {
  const firstLooks: FirstLook[] = [];
  const parts: InvestigationParts = {
    toolbox: { providers: [caseProvider()] },
    gather: () => Promise.resolve(TELEMETRY),
    distil: (incident, given, limits) => Promise.resolve(distil(incident, given, limits)),
    equip: () => Promise.resolve((order.push('equip'), [{ source: 'mcp:wiki', message: 'away' }])),
    guide: () => Promise.resolve((order.push('guide'), NO_GUIDANCE)),
    onFirstLook: (first) => Promise.resolve((order.push('first look'), void firstLooks.push(first))),
    model,
    limits: LIMITS,
    now: () => TRIGGER_MS + 60_000,
    redact: (value) => value,
    nonce: () => 'f00dcafe',
    ...changes,
  };
  return { parts, firstLooks };
}

const never = new AbortController().signal;
const concluding = () =>
  scriptedModel([{ blocks: [text(JSON.stringify({ ...CONCLUSION, evidence: ['M1'], causal_chain: [] }))] }]);

describe('the first look', () => {
  test('is told before agents get their tools and guidance, once, and is marked', async () => {
    const order: string[] = [];
    const { parts, firstLooks } = partsWith(concluding(), order);
    const { report, analystLook } = await investigate(INCIDENT, parts, never);
    expect(order).toEqual(['first look', 'equip', 'guide']);
    expect(firstLooks[0]?.report).toMatchObject({
      id: report.id,
      stage: 'first_look',
      mode: 'analyst',
      root_cause_service: 'payments',
      session: report.session,
      usage: { cost_usd: 0, termination_reason: 'first_look' },
    });
    expect(firstLooks[0]?.report.gaps.join()).not.toMatch(/model|mcp/);
    expect(report).toMatchObject({ mode: 'agent', gaps: expect.arrayContaining(['mcp:wiki: away']) });
    expect(report.stage).toBeUndefined();
    // What a later look of the analyst compares itself with.
    expect(firstLooks[0]?.look.suspects).toEqual(analystLook.suspects);
  });

  test("a model that fails leaves the first look's verdict, with what failed", async () => {
    const broken = scriptedModel([new ModelError('overloaded', 'it was overloaded (529)')]);
    const { parts, firstLooks } = partsWith(broken, []);
    const { report, look, analystLook } = await investigate(INCIDENT, parts, never);
    expect(report).toMatchObject({ mode: 'analyst', usage: { termination_reason: 'provider_error' } });
    expect(report.gaps.at(-1)).toMatch(/^model: .*it was overloaded \(529\).*; this is the offline analyst's report$/);
    const { summary, confidence, evidence } = firstLooks[0]?.report ?? report;
    expect(report).toMatchObject({ summary, confidence, evidence });
    expect(look).toBe(analystLook);
  });

  test.each([
    ['AGENT_MAX_COST_USD', 'AGENT_MAX_COST_USD is 0.0001'],
    ['AGENT_MAX_COST_USD_PER_DAY', 'AGENT_MAX_COST_USD_PER_DAY is 0.0001'],
  ] as const)('a budget that is too small is told with its figure and setting: %s', async (costSetting, words) => {
    const priced: Model = { ...scriptedModel([]), priceUsd: () => 1 };
    const limits = { ...LIMITS, maxCostUsd: 0.0001, costSetting };
    const { report } = await investigate(INCIDENT, partsWith(priced, [], { limits }).parts, never);
    expect(report.usage.termination_reason).toBe('cost');
    expect(report.gaps.at(-1)).toContain(`(${words})`);
  });

  test('is not held up by a provider that does not answer: it is told of what is there, once', async () => {
    const order: string[] = [];
    const told = gate();
    const away = { source: 'loki', message: 'it has not answered yet.' };
    const { parts, firstLooks } = partsWith(concluding(), order, {
      // The rest comes only once the first look is out.
      gather: async (_incident, _window, _signal, onSoFar) => {
        onSoFar?.({ ...TELEMETRY, gaps: [away] });
        await told.opened;
        return TELEMETRY;
      },
    });
    const onFirstLook = async (first: FirstLook) => {
      await parts.onFirstLook?.(first);
      told.open();
    };
    const { report } = await investigate(INCIDENT, { ...parts, onFirstLook }, never);
    expect(order).toEqual(['first look', 'equip', 'guide']);
    expect(firstLooks).toHaveLength(1);
    expect(firstLooks[0]?.report.gaps).toContain('loki: it has not answered yet.');
    expect(report.gaps.join()).not.toContain('not answered yet');
  });

  test('without a model there is none: the report comes at once', async () => {
    const order: string[] = [];
    const { report } = await investigate(INCIDENT, partsWith({ off: 'not set' }, order).parts, never);
    expect(order).toEqual([]);
    expect(report.stage).toBeUndefined();
  });

  test('whoever goes on with a kept investigation does not tell it again', async () => {
    const states: InvestigationState[] = [];
    const first = partsWith(concluding(), [], { journal: keptIn(states) });
    await investigate(INCIDENT, first.parts, never);
    expect(first.firstLooks).toHaveLength(1);
    const second = partsWith(concluding(), [], {
      journal: keptIn(states),
      gather: () => Promise.reject(new Error('read')),
    });
    const { report } = await investigate(INCIDENT, second.parts, never);
    expect(second.firstLooks).toEqual([]);
    expect(report.mode).toBe('agent');
  });

  test('another round of the same incident has a session of its own, and the same report id', async () => {
    const { report, session } = await investigate(
      INCIDENT,
      partsWith(concluding(), [], { workId: `${INCIDENT.id}-r2` }).parts,
      never,
    );
    expect(report).toMatchObject({ id: `rep_${INCIDENT.id}`, session: `ses_${INCIDENT.id}-r2` });
    expect(session).toMatchObject({ id: report.session, incidentId: INCIDENT.id });
  });
});
