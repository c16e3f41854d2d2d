import { describe, expect, test } from '@jest/globals';
import type { AgentCheckpoint, CheckpointSlot } from '../../../src/agent/checkpoint.ts';
import { NO_GUIDANCE } from '../../../src/agent/guidance.ts';
import { runMainAgent } from '../../../src/agent/main-agent.ts';
import { ModelError, type ModelRequest } from '../../../src/agent/model.ts';
import type { ExternalTool } from '../../../src/agent/toolbox.ts';
import { agentInput, caseProvider, CONCLUSION, SECRET, type CaseChanges } from '../../support/agent-case.ts';
import { scriptedModel, text, toolUse, type ScriptedStep } from '../../support/scripted-model.ts';

/** Keeps every checkpoint as a store would: as text. */
function recordingSlot(from?: string): CheckpointSlot & { readonly saved: readonly string[] } {
  const saved: string[] = [];
  return {
    saved,
    load: () => Promise.resolve(from === undefined ? undefined : (JSON.parse(from) as AgentCheckpoint)),
    save: (checkpoint) => {
      saved.push(JSON.stringify(checkpoint));
      return Promise.resolve();
    },
  };
}

const REPORT: ScriptedStep = { blocks: [text(JSON.stringify(CONCLUSION))] };
const CUT: ScriptedStep = { blocks: [text('{"status":')], stopReason: 'max_tokens' };
const WRONG: ScriptedStep = { blocks: [text(JSON.stringify({ ...CONCLUSION, evidence: ['M1', 'M99'] }))] };
const INVALID: ScriptedStep = { blocks: [text('{"status": 7}')] };
const logs = (contains: string): ScriptedStep => ({
  blocks: [toolUse('query_logs', { contains }, `call_${contains}`)],
});
const both: ScriptedStep = {
  blocks: [
    text(`Looking, ${SECRET}.`),
    toolUse('query_metrics', { query: 'payments' }, 'call_m'),
    toolUse('query_logs', { service: 'payments' }, 'call_l'),
  ],
};
const THINKING: ScriptedStep = {
  blocks: [{ kind: 'opaque', data: { type: 'thinking', thinking: 'hm' } }, toolUse('list_evidence', {}, 'call_t')],
};

const QUESTIONS: readonly (readonly [name: string, input: object])[] = [
  ['query_metrics', { query: 'payments' }],
  ['query_logs', {}],
  ['list_evidence', {}],
  ['get_evidence', { ids: ['M1'] }],
];

const SCRIPTS: readonly (readonly [name: string, script: readonly ScriptedStep[], limits: CaseChanges['limits']])[] = [
  ['tools and a report', [both, logs('a'), REPORT], {}],
  ['a nudge', [logs('a'), { blocks: [text('Hm.')] }, both, REPORT], {}],
  ['an answer that was cut off', [CUT, both, REPORT], {}],
  ['a final turn and a repair', [both, logs('a'), WRONG, REPORT], { maxTurns: 4 }],
  [
    'a final turn that was cut off, and a repair that was',
    [both, logs('a'), CUT, WRONG, CUT, REPORT],
    { maxTurns: 6, maxToolCalls: 3 },
  ],
  ['an invalid report', [both, INVALID, REPORT], {}],
  ['repeats', [logs('a'), logs('a'), logs('a'), REPORT], {}],
  ['an overflow', [both, THINKING, new ModelError('overflow', 'too long'), REPORT], {}],
  [
    'more turns than the window holds',
    [
      ...Array.from({ length: 15 }, (_, i): ScriptedStep => {
        const [name, input] = QUESTIONS[i % 4] ?? ['list_evidence', {}];
        return {
          blocks: [
            text(`Turn ${i}.`),
            toolUse(name, { ...input, ...(i > 3 ? { service: `s${i}` } : {}) }, `call_${i}`),
          ],
        };
      }),
      REPORT,
    ],
    { maxTurns: 20, maxToolCalls: 100 },
  ],
  ['a report that stays invalid', [both, INVALID, INVALID], {}],
  ['a refusal', [both, { blocks: [], stopReason: 'refusal' }], {}],
];

const CLOCK_MS = Date.parse('2026-03-01T10:05:00Z');

async function runScript(script: readonly ScriptedStep[], limits: CaseChanges['limits'], from?: string) {
  const model = scriptedModel(script);
  const checkpoint = recordingSlot(from);
  const provider = caseProvider();
  const lines: string[] = [];
  const result = await runMainAgent(
    agentInput(model, {
      limits: limits ?? {},
      checkpoint,
      providers: [provider],
      now: () => CLOCK_MS,
      onProgress: (line) => lines.push(line),
      // Another process has another nonce; the run keeps its own.
      nonce: from === undefined ? 'f00dcafe' : 'beefbeef',
    }),
  );
  model.assertDone();
  return { result, lines, saved: checkpoint.saved, asked: provider.asked, requests: model.requests.map(bytesOf) };
}

/** What goes over the wire. */
function bytesOf({ system, tools, messages, toolChoice, maxOutputTokens, jsonSchema }: ModelRequest): string {
  return JSON.stringify({ system, tools, messages, toolChoice, maxOutputTokens, jsonSchema });
}

interface SavedState {
  readonly state: {
    readonly texts: readonly string[];
    readonly value: {
      readonly step: { readonly kind: string };
      readonly ledger: { readonly own: { readonly turns: number } };
    };
  };
}

describe.each(SCRIPTS)('a run with %s', (_name, script, limits) => {
  test('goes on from each of its checkpoints to the same end, with exactly the calls that are left', async () => {
    const whole = await runScript(script, limits);
    expect(whole.saved.length).toBeGreaterThan(script.length);
    for (const saved of whole.saved) {
      const { turns } = (JSON.parse(saved) as SavedState).state.value.ledger.own;
      const rest = await runScript(script.slice(turns), limits, saved);
      expect(JSON.stringify(rest.result)).toBe(JSON.stringify(whole.result));
      expect(rest.requests).toEqual(whole.requests.slice(turns));
      expect(rest.lines[0]).toBe(`going on after turn ${turns}`);
      expect(whole.saved.slice(-rest.saved.length || whole.saved.length)).toEqual(rest.saved);
    }
  });

  test('two runs with one clock and one nonce are equal, byte by byte', async () => {
    const [first, second] = [await runScript(script, limits), await runScript(script, limits)];
    expect(second).toEqual(first);
    expect(JSON.stringify(second)).toBe(JSON.stringify(first));
  });

  test('no secret is kept in a checkpoint', async () => {
    const { saved } = await runScript(script, limits);
    expect(saved.join()).not.toContain(SECRET);
  });
});

describe('checkpoints', () => {
  const script = [both, logs('a'), REPORT];

  test('are saved after every answer of the model and after every batch of tools', async () => {
    const { saved } = await runScript(script, {});
    const steps = saved.map((json) => (JSON.parse(json) as SavedState).state.value.step.kind);
    expect(steps).toEqual(['tools', 'work', 'tools', 'work', 'ended']);
  });

  test('a result of a tool is kept once, however often it is said', async () => {
    const { saved } = await runScript([both, logs('a'), logs('b'), REPORT], {});
    const kept = saved.at(-1) ?? '';
    const { texts } = (JSON.parse(kept) as SavedState).state;
    const [result = ''] = texts.filter((one) => one.startsWith('<untrusted-f00dcafe source="query_metrics">'));
    const line = /\[M\d+\] payments pool_in_use: usual.*?;/.exec(result)?.[0] ?? 'none';
    // The result, and the evidence that was made of its line.
    expect(kept.split(line.slice(line.indexOf('] ') + 2))).toHaveLength(3);
    expect(texts).toHaveLength(new Set(texts).size);
  });

  test('tools that were answered are not asked again, and repeats stay repeats', async () => {
    const again = [logs('a'), logs('b'), logs('a'), REPORT];
    const { saved } = await runScript(again, {});
    const rest = await runScript(again.slice(2), {}, saved[3]);
    expect(rest.asked).toEqual([]);
    expect(rest.requests[1]).toContain('You made this very call before');
  });

  const lookup = (name: string): ExternalTool => ({
    forSubAgents: false,
    tool: {
      name,
      description: name,
      inputSchema: { type: 'object' },
      run: () => Promise.resolve({ kind: 'text', searched: name, notes: [], text: `from ${name}` }),
    },
  });

  async function withTools(tools: readonly string[], steps: readonly ScriptedStep[], from?: string) {
    const model = scriptedModel(steps);
    const checkpoint = recordingSlot(from);
    const toolbox = { providers: [caseProvider()], external: () => Promise.resolve(tools.map(lookup)) };
    const result = await runMainAgent({ ...agentInput(model, { checkpoint }), toolbox });
    model.assertDone();
    return { result, saved: checkpoint.saved, requests: model.requests };
  }
  const asking = (name: string, id: string): ScriptedStep => ({ blocks: [toolUse(name, { of: id }, id)] });

  test('a source of tools that is away does not make the run begin anew: its tools stay listed and say that they are gone', async () => {
    const steps = [asking('mcp__wiki__lookup', 'call_1'), asking('mcp__wiki__lookup', 'call_2'), REPORT];
    const whole = await withTools(['mcp__wiki__lookup'], steps);
    const rest = await withTools([], steps.slice(1), whole.saved[1]);
    expect(rest.result).toMatchObject({ kind: 'concluded', usage: { turns: 3 } });
    expect(rest.requests[0]?.tools).toEqual(whole.requests[1]?.tools);
    expect(JSON.stringify(rest.requests[1]?.messages)).toContain(
      'mcp__wiki__lookup is not available now. Go on without it.',
    );
    expect(rest.result.gaps).toContainEqual({
      source: 'mcp__wiki__lookup',
      message: expect.stringContaining('not available'),
    });
  });

  test('a tool that came later is neither offered to a resumed run nor run in it', async () => {
    const steps = [both, asking('mcp__new__lookup', 'call_2'), REPORT];
    const whole = await withTools([], steps);
    const rest = await withTools(['mcp__new__lookup'], steps.slice(1), whole.saved[1]);
    expect(rest.requests[0]?.tools).toEqual(whole.requests[0]?.tools);
    expect(JSON.stringify(rest.requests[1]?.messages)).toContain('There is no tool mcp__new__lookup.');
    expect(JSON.stringify(rest.requests)).not.toContain('from mcp__new__lookup');
  });

  test('memory that changed meanwhile does not change what the model is sent', async () => {
    const run = async (memory: string, steps: readonly ScriptedStep[], from?: string) => {
      const model = scriptedModel(steps);
      const checkpoint = recordingSlot(from);
      await runMainAgent(agentInput(model, { checkpoint, guidance: { ...NO_GUIDANCE, memory } }));
      return { saved: checkpoint.saved, system: model.requests.map(({ system }) => system) };
    };
    const whole = await run('host db1: disk = 1 TB', script);
    const rest = await run('host db1: disk = 2 TB', script.slice(1), whole.saved[1]);
    expect(whole.system[0]?.[1]).toContain('1 TB');
    expect(rest.system).toEqual(whole.system.slice(1));
  });

  const withState = ({ version, state }: SavedState & { readonly version: number }, change: object) => ({
    version,
    state: { ...state, value: { ...state.value, ...change } },
  });

  test.each<[string, (checkpoint: SavedState & { readonly version: number }) => unknown]>([
    ['another version', (checkpoint) => ({ ...checkpoint, version: 99 })],
    ['other prompts', (checkpoint) => withState(checkpoint, { fingerprint: 'other' })],
    ['a cut state', (checkpoint) => withState(checkpoint, { transcript: {} })],
    ['no texts', ({ version, state }) => ({ version, state: { value: state.value } })],
    ['no state', ({ version }) => ({ version, state: null })],
  ])('of %s are passed over, and the run says that it starts anew', async (_name, change) => {
    const { saved } = await runScript(script, {});
    const changed = JSON.stringify(change(JSON.parse(saved[1] ?? '') as SavedState & { version: number }));
    const { lines, result } = await runScript(script, {}, changed);
    expect(lines[0]).toContain('starting anew');
    expect(result).toMatchObject({ kind: 'concluded', usage: { turns: 3 } });
  });

  test('a run that is stopped from outside leaves its last checkpoint to go on from', async () => {
    const abort = new AbortController();
    const checkpoint = recordingSlot();
    const model = scriptedModel([
      both,
      () => {
        abort.abort();
        return new ModelError('aborted', 'the request was cancelled');
      },
    ]);
    const stopped = await runMainAgent(agentInput(model, { checkpoint, signal: abort.signal }));
    expect(stopped).toMatchObject({ kind: 'failed', terminationReason: 'aborted' });
    const rest = await runScript([REPORT], {}, checkpoint.saved.at(-1));
    expect(rest.result).toMatchObject({ kind: 'concluded', usage: { turns: 2 } });
  });
});
