import { describe, expect, test } from '@jest/globals';
import { TERMINATION_REASONS, type TerminationReason } from '../../../src/agent/agent-stop.ts';
import { NO_GUIDANCE } from '../../../src/agent/guidance.ts';
import { runMainAgent } from '../../../src/agent/main-agent.ts';
import { ModelError, NO_TOKENS, type Model, type TokenPrice } from '../../../src/agent/model.ts';
import type { Brief, Suspect } from '../../../src/domain/brief.ts';
import { Report } from '../../../src/domain/report.ts';
import { NO_TELEMETRY } from '../../../src/domain/telemetry.ts';
import { investigate } from '../../../src/investigate/investigate.ts';
import {
  agentInput,
  caseBrief,
  caseProvider,
  caseRedact,
  CONCLUSION,
  INCIDENT,
  logLines,
} from '../../support/agent-case.ts';
import { scriptedModel, text, toolUse, type ScriptedStep } from '../../support/scripted-model.ts';

const REPORT: ScriptedStep = { blocks: [text(JSON.stringify(CONCLUSION))] };
const look = (contains: string, usage = {}): ScriptedStep => ({
  blocks: [toolUse('query_logs', { contains }, `call_${contains}`)],
  usage: { ...NO_TOKENS, inputTokens: 1000, outputTokens: 100, ...usage },
});
const price: TokenPrice = (tokens) => (tokens.inputTokens + tokens.cacheWriteTokens + 5 * tokens.outputTokens) / 1e6;

interface Exit {
  readonly steps: (clock: { ms: number }) => readonly ScriptedStep[];
  readonly limits?: { readonly maxTurns?: number; readonly maxTokens?: number; readonly maxCostUsd?: number };
  /** Who wrote the report, and what it says of the end. */
  readonly mode: 'agent' | 'analyst';
  readonly gap?: string;
}

const EXITS: Readonly<Record<Exclude<TerminationReason, 'tool_calls'>, Exit>> = {
  done: { steps: () => [look('a'), REPORT], mode: 'agent' },
  turns: {
    steps: () => [look('a'), look('b'), REPORT],
    limits: { maxTurns: 4 },
    mode: 'agent',
    gap: 'all turns were used',
  },
  deadline: {
    steps: (clock) => [
      look('a'),
      (request) => {
        clock.ms += request.timeoutMs;
        return new ModelError('timeout', 'it did not answer in time');
      },
      REPORT,
    ],
    mode: 'agent',
    gap: 'the time was used up',
  },
  tokens: {
    steps: () => [look('a', { inputTokens: 92_000 }), REPORT],
    limits: { maxTokens: 100_000 },
    mode: 'agent',
    gap: 'the token budget was used up',
  },
  cost: {
    steps: () => [look('a', { inputTokens: 75_000, costUsd: 0.075 }), REPORT],
    limits: { maxCostUsd: 0.1 },
    mode: 'agent',
    gap: 'the cost limit was reached',
  },
  refusal: {
    steps: () => [look('a'), { blocks: [], stopReason: 'refusal', stopDetail: 'cyber' }],
    mode: 'analyst',
    gap: 'the model declined to work on this incident (category cyber)',
  },
  overflow: {
    steps: () => [look('a'), new ModelError('overflow', 'the request was too large for it'), REPORT],
    mode: 'agent',
    gap: 'no longer fitted the context window',
  },
  provider_error: {
    steps: () => [look('a'), new ModelError('overloaded', 'it was overloaded (529), 4 times in a row')],
    mode: 'analyst',
    gap: 'the model gave no answer: it was overloaded (529), 4 times in a row',
  },
  aborted: {
    steps: () => [look('a'), new ModelError('aborted', 'the request was cancelled')],
    mode: 'analyst',
    gap: 'the request was cancelled',
  },
  invalid_report: {
    steps: () => [look('a'), { blocks: [text('{"status": 7}')] }, { blocks: [text('{}')] }],
    mode: 'analyst',
    gap: 'not valid, and not after a repair either',
  },
};

const suspect = (service: string, score: number): Suspect => ({
  service,
  score,
  rootCauseType: 'connection_exhaustion',
  reasons: [{ type: 'generic', score, statement: `${service} changed`, evidenceIds: ['M1'] }],
});
const BRIEF: Brief = {
  ...caseBrief(),
  ranking: {
    suspects: [suspect('payments', 2), suspect('checkout', 1)],
    confidence: 0.6,
    confidenceReasons: ['one suspect stands out'],
  },
};

const CLOCK_MS = Date.parse('2026-03-01T10:05:00Z');

async function investigateWith({ steps, limits }: Exit) {
  const clock = { ms: CLOCK_MS };
  const scripted = scriptedModel(steps(clock));
  const model: Model = { ...scripted, priceUsd: price };
  const investigation = await investigate(
    INCIDENT,
    {
      toolbox: { providers: [caseProvider()] },
      gather: () => Promise.resolve(NO_TELEMETRY),
      distil: () => Promise.resolve(BRIEF),
      guide: () => Promise.resolve(NO_GUIDANCE),
      model,
      limits: {
        baselineMs: 3_600_000,
        eventWindowMs: 300_000,
        tokenBudget: 5820,
        timeoutMs: 300_000,
        maxTurns: 8,
        maxTokens: 200_000,
        maxOutputTokens: 2000,
        maxCostUsd: null,
        ...limits,
      },
      now: () => clock.ms,
      redact: caseRedact,
      nonce: () => 'f00dcafe',
    },
    new AbortController().signal,
  );
  scripted.assertDone();
  return { ...investigation, requests: scripted.requests };
}

describe('every way a run can end gives a valid report that says which', () => {
  test.each(Object.entries(EXITS))('%s', async (reason, exit) => {
    const { report, session } = await investigateWith(exit);
    expect(Report.safeParse(report).error).toBeUndefined();
    expect(report.usage.termination_reason).toBe(reason);
    expect(session.terminationReason).toBe(reason);
    expect(report.mode).toBe(exit.mode);
    if (exit.gap === undefined) expect(report.gaps).toEqual([]);
    else expect(report.gaps.join('\n')).toContain(exit.gap);
  });

  test.each(Object.entries(EXITS))('%s: two investigations are equal, byte by byte', async (_reason, exit) => {
    const [first, second] = [await investigateWith(exit), await investigateWith(exit)];
    const bytes = ({ report, session, subSessions }: typeof first) => JSON.stringify([report, session, subSessions]);
    expect(bytes(second)).toBe(bytes(first));
    const asked = ({ requests }: typeof first) =>
      JSON.stringify(requests.map(({ system, messages }) => [system, messages]));
    expect(asked(second)).toBe(asked(first));
  });

  test('tool_calls: the result is asked for when they are used up', async () => {
    const model = scriptedModel([look('a'), look('b'), REPORT]);
    const result = await runMainAgent(agentInput(model, { limits: { maxToolCalls: 2 } }));
    model.assertDone();
    expect(result).toMatchObject({ kind: 'concluded', terminationReason: 'tool_calls' });
  });

  test.each([
    ['tokens', { maxTokens: 14_000, maxOutputTokens: 500 }, undefined],
    ['cost', { costUsd: 0.016, maxOutputTokens: 500 }, price],
  ] as const)(
    '%s: results too large for what is left are summed up, and the report comes',
    async (reason, limits, priceUsd) => {
      const words = Array.from({ length: 400 }, (_, i) => `${'so '.repeat(i % 40)}it failed at ${i.toString(36)}x`);
      const provider = caseProvider({ logs: logLines('payments', words) });
      const calls = ['a', 'b', 'c', 'd', 'e', 'f'].map((contains) => toolUse('query_logs', { contains }, contains));
      const scripted = scriptedModel([{ blocks: calls }, REPORT]);
      const model: Model = { ...scripted, ...(priceUsd ? { priceUsd } : {}) };
      const result = await runMainAgent(agentInput(model, { providers: [provider], limits }));
      scripted.assertDone();
      expect(result).toMatchObject({ kind: 'concluded', terminationReason: reason });
      const [first, final] = scripted.requests.map(({ messages }) => messages);
      expect(final?.[0]).toEqual(first?.[0]);
      expect(JSON.stringify(final)).toContain('Session summary:');
      expect(JSON.stringify(final)).toContain('The last result:');
    },
  );

  test('there is no other way', () => {
    expect([...Object.keys(EXITS), 'tool_calls'].toSorted()).toEqual([...TERMINATION_REASONS].toSorted());
  });

  test('a cost limit without a known price refuses to start, and says why', async () => {
    const model = scriptedModel([]);
    const result = await runMainAgent(agentInput(model, { limits: { costUsd: 1 } }));
    expect(result).toMatchObject({ kind: 'failed', terminationReason: 'cost', usage: { turns: 0 } });
    expect(result.kind === 'failed' && result.reason).toBe(
      'a cost limit is set, and the price of the model scripted is not known',
    );
  });
});
