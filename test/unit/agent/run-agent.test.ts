import { describe, expect, test } from '@jest/globals';
import type { AgentCheckpoint, CheckpointSlot } from '../../../src/agent/checkpoint.ts';
import { ModelError } from '../../../src/agent/model.ts';
import { nudge, SYSTEM_PROMPT } from '../../../src/agent/prompts.ts';
import { runMainAgent } from '../../../src/agent/main-agent.ts';
import { ProviderError } from '../../../src/domain/provider.ts';
import { Conclusion } from '../../../src/domain/report.ts';
import type { SpanFacts, TraceSpan } from '../../../src/domain/tracing.ts';
import { agentInput, caseProvider, CONCLUSION, SECRET } from '../../support/agent-case.ts';
import { scriptedModel, text, toolUse, type ScriptedStep } from '../../support/scripted-model.ts';

const REPORT: ScriptedStep = { blocks: [text(JSON.stringify(CONCLUSION))] };
const look = (contains: string): ScriptedStep => ({ blocks: [toolUse('query_logs', { contains })] });

describe('runAgent', () => {
  test('the first message holds alert and brief, fenced and redacted; the system prompt holds neither', async () => {
    const model = scriptedModel([REPORT]);
    const result = await runMainAgent(agentInput(model));
    model.assertDone();
    const first = JSON.stringify(model.requests[0]?.messages);
    expect(first).toContain('The alert began at 2026-03-01T10:00:00Z (minute 0)');
    expect(first).toMatch(
      /<untrusted-f00dcafe source=\\"alert\\">.*CheckoutSlow.*<untrusted-f00dcafe source=\\"brief\\">.*\[M1\]/s,
    );
    expect(first).not.toContain(SECRET);
    expect(model.requests[0]?.system).toEqual([SYSTEM_PROMPT]);
    expect(result.entries.map(({ role }) => role)).toEqual(['system', 'user', 'assistant']);
    expect(result.evidence).toHaveLength(3);
  });

  test('C10, C11: the prompt names every field of the report and the discipline', () => {
    for (const field of Object.keys(Conclusion.shape)) expect(SYSTEM_PROMPT).toContain(`"${field}"`);
    expect(SYSTEM_PROMPT).toContain('Do not speculate about network partitions, hardware');
    expect(SYSTEM_PROMPT).toContain('the earliest change point is the origin');
  });

  test('answer without tool or report: one nudge, then the final turn', async () => {
    const model = scriptedModel([{ blocks: [text('Let me think.')] }, { blocks: [text('Hm.')] }, REPORT]);
    const result = await runMainAgent(agentInput(model));
    model.assertDone();
    expect(model.requests[1]?.messages.at(-1)).toEqual({ role: 'user', text: nudge('report') });
    expect(model.requests[2]?.toolChoice).toBe('none');
    expect(result).toMatchObject({ kind: 'concluded', terminationReason: 'done' });
  });

  test('two turns of repeats lead to the final turn', async () => {
    const model = scriptedModel([look('a'), look('a'), look('a'), REPORT]);
    expect(await runMainAgent(agentInput(model))).toMatchObject({
      kind: 'concluded',
      terminationReason: 'done',
      gaps: [],
    });
    model.assertDone();
    expect(model.requests[3]?.toolChoice).toBe('none');
  });

  test('five turns of a tool that the model made up lead to the final turn, whatever its name', async () => {
    const turns = Array.from({ length: 5 }, (_, i) => ({ blocks: [toolUse('constructor', { i }, `call_${i}`)] }));
    const model = scriptedModel([...turns, REPORT]);
    await runMainAgent(agentInput(model, { limits: { maxTurns: 20 } }));
    model.assertDone();
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual([...turns.map(() => 'auto'), 'none']);
  });

  test('five turns of one tool without new evidence lead to the final turn', async () => {
    const barren = { ...caseProvider(), queryLogs: () => Promise.resolve({ items: [] }) };
    const model = scriptedModel(['a', 'b', 'c', 'd', 'e'].map(look).concat(REPORT));
    const result = await runMainAgent(agentInput(model, { providers: [barren], limits: { maxTurns: 20 } }));
    model.assertDone();
    expect(result.kind).toBe('concluded');
  });

  test('tool calls are counted over the run', async () => {
    const model = scriptedModel([look('a'), look('b'), REPORT]);
    const result = await runMainAgent(agentInput(model, { limits: { maxToolCalls: 2 } }));
    model.assertDone();
    expect(result).toMatchObject({ kind: 'concluded', terminationReason: 'tool_calls' });
  });

  test('tokens: the report is written while there are enough left for it', async () => {
    const usage = { inputTokens: 15_000, outputTokens: 1000, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: null };
    const model = scriptedModel([{ blocks: [toolUse('list_evidence', {})], usage }, REPORT]);
    const result = await runMainAgent(agentInput(model, { limits: { maxTokens: 24_000 } }));
    model.assertDone();
    expect(result).toMatchObject({
      kind: 'concluded',
      terminationReason: 'tokens',
      usage: { turns: 2, costUsd: null },
    });
  });

  test('two answers that were cut off lead to the final turn, which is told why', async () => {
    const cut: ScriptedStep = { blocks: [text('{"status":')], stopReason: 'max_tokens' };
    const model = scriptedModel([cut, cut, REPORT]);
    const result = await runMainAgent(agentInput(model));
    model.assertDone();
    expect(JSON.stringify(model.requests[2]?.messages.at(-1))).toContain('cut off at the output limit');
    expect(result).toMatchObject({ kind: 'concluded', terminationReason: 'tokens' });
    expect(result.gaps).toEqual([
      {
        source: 'agent',
        message: 'The search for evidence ended early: answers of the model were cut off at the output limit.',
      },
    ]);
  });

  test('a token budget that is too small for one turn fails without a call', async () => {
    const model = scriptedModel([]);
    const result = await runMainAgent(agentInput(model, { limits: { maxTokens: 1000 } }));
    expect(result).toMatchObject({ kind: 'failed', terminationReason: 'tokens', model: null, usage: { turns: 0 } });
  });

  test('deadline: a turn that takes all its time leaves the final turn its share', async () => {
    const clock = { ms: 1_000_000 };
    const model = scriptedModel([
      (request) => {
        clock.ms += request.timeoutMs;
        return new ModelError('timeout', 'it did not answer in time');
      },
      (request) => {
        expect(request).toMatchObject({ toolChoice: 'none', timeoutMs: 90_000 });
        return { blocks: [text(JSON.stringify(CONCLUSION))] };
      },
    ]);
    const result = await runMainAgent(agentInput(model, { now: () => clock.ms }));
    model.assertDone();
    expect(result).toMatchObject({ kind: 'concluded', terminationReason: 'deadline' });
    expect(result.gaps).toEqual([
      { source: 'agent', message: 'The search for evidence ended early: the time was used up.' },
    ]);
  });

  test('a signal that its deadline aborted ends as deadline, not as aborted', async () => {
    const signal = AbortSignal.timeout(1);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    expect(await runMainAgent(agentInput(scriptedModel([]), { signal }))).toMatchObject({
      kind: 'failed',
      terminationReason: 'deadline',
    });
  });

  test('a dead provider becomes one gap, redacted, and the run goes on', async () => {
    const provider = caseProvider({ fail: new ProviderError('recording', `down ${SECRET}`) });
    const ask = { blocks: [toolUse('query_metrics', { query: 'up' })] };
    const model = scriptedModel([ask, ask, REPORT]);
    const result = await runMainAgent(agentInput(model, { providers: [provider] }));
    model.assertDone();
    expect(result.gaps).toEqual([{ source: 'recording', message: expect.stringContaining('down [redacted]') }]);
    expect(result.entries.filter(({ tool }) => tool?.isError)).toHaveLength(2);
  });

  test('with no providers at all the model works from the brief', async () => {
    const model = scriptedModel([REPORT]);
    await runMainAgent(agentInput(model, { providers: [] }));
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['list_evidence', 'get_evidence']);
  });

  test('a valid report with problems is repaired once; a failing repair leaves what held', async () => {
    const cited = { ...CONCLUSION, evidence: ['M1', 'M99'] };
    const model = scriptedModel([
      { blocks: [text(JSON.stringify(cited))] },
      new ModelError('overloaded', 'it was overloaded'),
    ]);
    const result = await runMainAgent(agentInput(model));
    model.assertDone();
    expect(result).toMatchObject({
      kind: 'concluded',
      value: { evidence: ['M1'] },
      removed: [expect.stringContaining('M99')],
    });
  });

  test('what became of a repair is told once, by the process that made it', async () => {
    const wrong: ScriptedStep = { blocks: [text(JSON.stringify({ ...CONCLUSION, evidence: ['M1', 'M99'] }))] };
    const invalid: ScriptedStep = { blocks: [text('{"status": 7}')] };
    const told = async (script: readonly ScriptedStep[], checkpoint?: CheckpointSlot) => {
      const facts: SpanFacts[] = [];
      const trace: TraceSpan = (kind, _facts, work) => work((more) => void (kind === 'agent' && facts.push(more)));
      await runMainAgent(agentInput(scriptedModel(script), { trace, ...(checkpoint ? { checkpoint } : {}) }));
      return facts.map(({ repair }) => repair);
    };
    expect(await told([REPORT])).toEqual([undefined]);
    expect(await told([wrong, REPORT])).toEqual(['mended']);
    expect(await told([wrong, wrong])).toEqual(['cut']);
    expect(await told([wrong, new ModelError('overloaded', 'it was overloaded')])).toEqual(['cut']);
    expect(await told([invalid, invalid])).toEqual(['failed']);
    let kept: AgentCheckpoint | undefined;
    const slot: CheckpointSlot = {
      load: () => Promise.resolve(kept),
      save: (saved) => Promise.resolve(void (kept = saved)),
    };
    expect(await told([wrong, REPORT], slot)).toEqual(['mended']);
    expect(await told([], slot)).toEqual([undefined]);
  });

  test('tool calls in the final turn are ignored and leave no unanswered call behind', async () => {
    const final = { blocks: [toolUse('list_evidence', {}), text('oops')] };
    const model = scriptedModel([look('a'), final, REPORT]);
    const result = await runMainAgent(agentInput(model, { limits: { maxTurns: 3 } }));
    model.assertDone();
    expect(result).toMatchObject({ kind: 'concluded', terminationReason: 'turns', usage: { turns: 3 } });
    expect(JSON.stringify(model.requests[2]?.messages.at(-2))).toBe(
      '{"role":"assistant","blocks":[{"kind":"text","text":"oops"}]}',
    );
  });

  test('progress says what happens, redacted', async () => {
    const lines: string[] = [];
    await runMainAgent(agentInput(scriptedModel([look('a'), REPORT]), { onProgress: (line) => lines.push(line) }));
    expect(lines).toEqual(['turn 1: query_logs']);
  });

  test('a bug of the model adapter is thrown, not dressed up', async () => {
    await expect(runMainAgent(agentInput(scriptedModel([])))).rejects.toThrow(
      'unexpected call 1 of the scripted model',
    );
  });
});
