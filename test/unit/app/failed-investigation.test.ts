import { describe, expect, test } from '@jest/globals';
import { NO_GUIDANCE } from '../../../src/agent/guidance.ts';
import { failedInvestigation } from '../../../src/app/failed-investigation.ts';
import { NO_USAGE } from '../../../src/domain/session.ts';
import type { InvestigationParts } from '../../../src/investigate/run.ts';
import { ANALYST_LIMITS, caseProvider, caseRedact, INCIDENT, SECRET, TRIGGER_MS } from '../../support/agent-case.ts';
import { makeReport } from '../../support/delivery-content.ts';
import { modelByAgent } from '../../support/model-by-agent.ts';
import { stateOf } from '../../support/sub-agent-orders.ts';

const unasked = () => Promise.reject(new Error('the telemetry was read again'));
const PARTS: InvestigationParts = {
  toolbox: { providers: [caseProvider()] },
  gather: unasked,
  distil: unasked,
  guide: () => Promise.resolve(NO_GUIDANCE),
  model: modelByAgent({}),
  limits: ANALYST_LIMITS,
  now: () => TRIGGER_MS,
  redact: caseRedact,
  nonce: () => 'f00dcafe',
};
const NOTHING = { main: NO_USAGE, subAgents: [] };
const GIVEN_UP = {
  incidentId: INCIDENT.id,
  jobId: 'investigate_inc_case',
  reason: 'failed',
  error: new Error(`a bug, ${SECRET}`),
} as const;

describe('an investigation that is given up', () => {
  test('the analyst reports on what an earlier start had distilled; nothing is read and no model is asked', async () => {
    const { report, session } = await failedInvestigation(INCIDENT, GIVEN_UP, PARTS, {
      state: stateOf(),
      used: NOTHING,
      firstLook: undefined,
    });
    expect(report).toMatchObject({
      mode: 'analyst',
      usage: { termination_reason: 'given_up', turns: 0, brief_tokens: 60 },
    });
    expect(report.gaps.join('\n')).toMatch(/the investigation failed every time: a bug.*offline analyst/);
    expect(session).toMatchObject({ id: 'ses_inc_case', terminationReason: 'given_up' });
    expect(JSON.stringify([report, session])).not.toContain(SECRET);
  });

  test.each([
    ['the analyst reports', stateOf()],
    ['nothing is claimed', undefined],
  ])('what its agents had used is told when %s: it was paid for', async (_name, state) => {
    const main = { ...NO_USAGE, turns: 3, inputTokens: 1000, outputTokens: 200, cacheWriteTokens: 50, costUsd: 0.02 };
    const used = { main, subAgents: [{ ...NO_USAGE, turns: 5, inputTokens: 400, costUsd: 0.01 }] };
    const { report, session } = await failedInvestigation(INCIDENT, GIVEN_UP, PARTS, {
      state,
      used,
      firstLook: undefined,
    });
    expect(report.usage).toMatchObject({ turns: 3, sub_agents: 1, input_tokens: 1450, output_tokens: 200 });
    expect(report.usage.cost_usd).toBeCloseTo(0.03);
    expect(session.usage).toEqual(main);
  });

  test.each([
    ['nothing is kept', undefined],
    ['it is of another version', { ...stateOf(), version: 0 as never }],
    ['it cannot be analysed', stateOf({ brief: {} as never })],
  ])('a short report claims nothing when %s', async (_name, state) => {
    const poison = { ...GIVEN_UP, reason: 'poison' as const };
    const { report } = await failedInvestigation(INCIDENT, poison, PARTS, {
      state,
      used: NOTHING,
      firstLook: undefined,
    });
    expect(report).toMatchObject({ status: 'inconclusive', confidence: 0, evidence: [] });
    expect(report.gaps).toEqual([expect.stringContaining('ended its worker process every time')]);
  });

  test('the verdict of a first look that was told stands, with the reason, when nothing else is kept', async () => {
    const firstLook = {
      ...makeReport({ root_cause_service: 'cart', gaps: ['kubernetes: away'] }),
      stage: 'first_look' as const,
    };
    const left = { state: undefined, used: NOTHING, firstLook };
    const { report } = await failedInvestigation(INCIDENT, GIVEN_UP, PARTS, left);
    expect(report).toMatchObject({ root_cause_service: 'cart', usage: { termination_reason: 'given_up' } });
    expect(report.stage).toBeUndefined();
    expect(report.gaps).toEqual(['kubernetes: away', expect.stringContaining('failed every time')]);
  });
});
