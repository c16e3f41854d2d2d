import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { runMainAgent } from '../../../src/agent/main-agent.ts';
import { ModelError, type ModelBlock, type ModelRequest } from '../../../src/agent/model.ts';
import { SHORTER } from '../../../src/agent/prompts.ts';
import type { SpanFacts, TraceSpan } from '../../../src/domain/tracing.ts';
import { toParams } from '../../../src/llm/wire.ts';
import { agentInput, caseProvider, CONCLUSION, logLines } from '../../support/agent-case.ts';
import { refusal } from '../../support/messages-api/validate.ts';
import { scriptedModel, text, toolUse, type ScriptedStep } from '../../support/scripted-model.ts';

const REPORT: ScriptedStep = { blocks: [text(JSON.stringify(CONCLUSION))] };

/** Something new for each question, so that a run may be long. */
const freshLogs = {
  ...caseProvider(),
  queryLogs: ({ contains = '' }: { readonly contains?: string }) =>
    Promise.resolve({ items: logLines('payments', [`${'deeper '.repeat(contains.length)}trouble`]) }),
};

/** What a model may do in one turn, the n-th. */
const moves: Readonly<Record<string, (n: number) => ScriptedStep>> = {
  looks: (n) => ({ blocks: [toolUse('query_logs', { contains: 'x'.repeat(n) }, `a${n}`)] }),
  'looks twice and thinks': (n) => ({
    blocks: [
      thinking(n),
      text(`Turn ${n}: ${'word '.repeat(200)}`),
      toolUse('query_logs', { contains: 'y'.repeat(n) }, `b${n}`),
      toolUse('list_evidence', {}, `c${n}`),
    ],
  }),
  'asks for what there is not': (n) => ({
    blocks: [toolUse('rm', { n }, `d${n}`), toolUse('query_metrics', {}, `e${n}`)],
  }),
  'uses an id twice': (n) => ({
    blocks: [1, 2].map(() => toolUse('query_logs', { contains: 'z'.repeat(n) }, `f${n}`)),
  }),
  'asks too much': (n) => ({
    blocks: Array.from({ length: 12 }, (_, i) => toolUse('get_evidence', { ids: [`M${i + n}`] }, `g${n}_${i}`)),
  }),
  talks: (n) => ({ blocks: [text(`Hm ${n}.`)] }),
  'says nothing': () => ({ blocks: [] }),
  'only thinks': (n) => ({ blocks: [thinking(n)] }),
  'is cut off': (n) => ({ blocks: [toolUse('query_logs', {}, `h${n}`)], stopReason: 'max_tokens' }),
  'does not mean its calls': (n) => ({ blocks: [text('x'), toolUse('query_logs', {}, `i${n}`)], stopReason: 'end' }),
  overflows: () => new ModelError('overflow', 'it was too large'),
  'hands in nonsense': () => ({ blocks: [text('{"status": 7}')] }),
};

function thinking(n: number): ModelBlock {
  return { kind: 'opaque', data: { type: 'thinking', thinking: `thought ${n}`, signature: 'c2ln' } };
}

async function requestsOf(names: readonly string[]): Promise<readonly ModelRequest[]> {
  const steps = names.map((name, n) => moves[name]?.(n + 1) ?? REPORT);
  const model = scriptedModel([...steps, ...Array.from({ length: 40 }, () => REPORT)]);
  const limits = { maxTurns: 40, maxTokens: 100_000_000, maxToolCalls: 1000 };
  await runMainAgent(agentInput(model, { limits, providers: [freshLogs] }));
  return model.requests;
}

/** As they go over the wire. */
const wireOf = (request: ModelRequest) => toParams(request, 'claude-sonnet-5-5');
const long = fc.array(fc.constantFrom(...Object.keys(moves), 'looks', 'looks', 'looks twice and thinks'), {
  minLength: 1,
  maxLength: 30,
});

describe('requests of a run', () => {
  test('break no rule of the API, whatever the model does, compactions included', async () => {
    await fc.assert(
      fc.asyncProperty(long, async (names) => {
        const sent = new Set(
          names.map((_, n) => JSON.stringify({ type: 'thinking', thinking: `thought ${n + 1}`, signature: 'c2ln' })),
        );
        for (const request of await requestsOf(names)) {
          const body: unknown = JSON.parse(JSON.stringify({ ...wireOf(request), stream: true }));
          expect(refusal(body, sent)).toBeUndefined();
        }
      }),
      { numRuns: 60, examples: [[[...Array.from({ length: 16 }, () => 'looks twice and thinks'), 'overflows']]] },
    );
  });

  test('grow at their end only, but for compactions and what is said for one turn', async () => {
    const wholeRun = ['looks', 'talks', 'looks twice and thinks', 'is cut off', 'asks too much', 'looks'];
    const requests = await requestsOf(wholeRun);
    expect(requests).toHaveLength(7);
    for (const [i, request] of requests.entries()) {
      const kept = request.messages.filter((message) => !(message.role === 'user' && message.text === SHORTER));
      const next = requests[i + 1];
      if (!next) break;
      expect(JSON.stringify(next.messages.slice(0, kept.length))).toBe(JSON.stringify(kept));
      expect([next.system, next.tools]).toEqual([request.system, request.tools]);
    }
  });

  test('a recovery note lives for one turn', async () => {
    const requests = await requestsOf(['looks', 'is cut off', 'looks']);
    const noted = requests.map(({ messages }) => JSON.stringify(messages).includes(SHORTER));
    expect(noted).toEqual([false, false, true, false]);
  });

  test('a long run keeps the first message, one summary and at most twelve turns', async () => {
    const requests = await requestsOf(Array.from({ length: 30 }, () => 'looks'));
    expect(requests).toHaveLength(31);
    const first = JSON.stringify(requests[0]?.messages[0]);
    for (const { messages } of requests) {
      expect(JSON.stringify(messages[0])).toBe(first);
      expect(messages.length).toBeLessThanOrEqual(1 + 24);
      const summaries = messages.filter((message) => JSON.stringify(message).includes('Session summary:'));
      expect(summaries.length).toBeLessThanOrEqual(1);
    }
    expect(JSON.stringify(requests.at(-1)?.messages[1])).toContain('Session summary:');
  });
});

test('an agent, its turns and its tools are spans, each with what it is and how it ended', async () => {
  const spans: (readonly [kind: string, facts: SpanFacts])[] = [];
  const trace: TraceSpan = async (kind, facts, work) => {
    const at = spans.push([kind, facts]) - 1;
    return work((more) => (spans[at] = [kind, { ...facts, ...more }]));
  };
  const model = scriptedModel([{ blocks: [toolUse('query_logs', {}, 'one'), toolUse('nothing', {}, 'two')] }, REPORT]);
  await runMainAgent(agentInput(model, { trace }));
  expect(spans).toMatchObject([
    ['agent', { agent: 'main', session: 'ses_case', model: 'scripted', turns: 2, terminationReason: 'done' }],
    ['turn', { turn: 1, inputTokens: 1000, outputTokens: 100, stopReason: 'tool_use' }],
    ['tool', { tool: 'query_logs', callId: 'one', turn: 1, outcome: 'ok' }],
    ['turn', { turn: 2, stopReason: 'end' }],
  ]);
  expect(spans).toHaveLength(4);
});
