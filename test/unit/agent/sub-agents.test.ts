import { describe, expect, test } from '@jest/globals';
import type { AgentCheckpoint } from '../../../src/agent/checkpoint.ts';
import { ModelError, type Model } from '../../../src/agent/model.ts';
import { SUB_AGENT_PROMPT } from '../../../src/agent/prompts.ts';
import { compareSubAgents, parentOf, subAgentId } from '../../../src/agent/sub-agents/ids.ts';
import { usedBy } from '../../../src/agent/sub-agents/lost.ts';
import { inProcess } from '../../../src/agent/sub-agents/in-process.ts';
import { runSubAgent, type SubAgentParts } from '../../../src/agent/sub-agents/run-sub-agent.ts';
import type { Finding } from '../../../src/domain/finding.ts';
import { caseBrief, caseProvider, caseRedact, INCIDENT, SECRET, TRIGGER_MS } from '../../support/agent-case.ts';
import { scriptedModel, text, toolUse, type ScriptedStep } from '../../support/scripted-model.ts';
import { foundBy, orderOf } from '../../support/sub-agent-orders.ts';

const FINDING: Finding = {
  conclusion: 'The pool of payments is full.',
  evidence: ['M1', 'L1001'],
  verdicts: [],
  gaps: [],
};
const ORDER = orderOf('inc_case', 1, { task: `Is the pool of payments full? ${SECRET}` });
let calls = 0;
const look = (contains: string): ScriptedStep => ({
  blocks: [toolUse('query_logs', { contains }, `call_${(calls += 1)}`)],
});
const handIn: ScriptedStep = { blocks: [text(JSON.stringify(FINDING))] };
const refuse = new ModelError('invalid_request', 'it was refused (400)');

function parts(model: Model, changes: Partial<SubAgentParts> = {}): SubAgentParts {
  return {
    incident: INCIDENT,
    brief: caseBrief(),
    window: { fromMs: TRIGGER_MS - 3_600_000, toMs: TRIGGER_MS + 600_000 },
    toolbox: { providers: [caseProvider()] },
    model,
    maxOutputTokens: 1000,
    now: Date.now,
    redact: caseRedact,
    nonce: 'f00dcafe',
    signal: new AbortController().signal,
    ...changes,
  };
}

describe('a sub-agent', () => {
  test('B13 B15: its own prompt and the task, no memory; a conclusion with evidence under ids of its own thousand', async () => {
    const model = scriptedModel([look('pool'), handIn]);
    const { outcome, session } = await runSubAgent(ORDER, parts(model));
    model.assertDone();
    expect(model.requests[0]?.system).toEqual([SUB_AGENT_PROMPT]);
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('Is the pool of payments full?');
    expect(outcome).toMatchObject({ kind: 'done', finding: FINDING, terminationReason: 'done', toolCalls: 1 });
    expect(outcome.kind === 'done' && outcome.evidence.map(({ id }) => id)).toEqual(['L1001']);
    expect(session).toMatchObject({ id: 'ses_inc_case.1.1', parentId: 'ses_inc_case', terminationReason: 'done' });
    expect(session.allowed).toEqual(ORDER.allowance);
    expect(JSON.stringify([outcome, session, model.requests])).not.toContain(SECRET);
  });

  test('B14: what is not in its list does not run, whatever it asks for', async () => {
    const wanted = ['delegate', 'remember', 'approve', 'execute', 'rollback'];
    const empty: Finding = { ...FINDING, evidence: ['M1'] };
    const model = scriptedModel([
      { blocks: wanted.map((name) => toolUse(name, {})) },
      { blocks: [text(JSON.stringify(empty))] },
    ]);
    let started = 0;
    const runSubAgents = inProcess(() => Promise.reject(new Error(`started ${(started += 1)}`)));
    const memory = {
      recall: () => Promise.resolve('secret fact'),
      remember: () => Promise.reject(new Error('written')),
    };
    const { session } = await runSubAgent(
      ORDER,
      parts(model, { toolbox: { providers: [caseProvider()], runSubAgents, memory } }),
    );
    const listed = model.requests[0]?.tools.map(({ name }) => name) ?? [];
    expect(listed.filter((name) => wanted.includes(name))).toEqual([]);
    const answers = session.entries.filter(({ role }) => role === 'tool');
    expect(answers.map(({ tool }) => tool?.isError)).toEqual(wanted.map(() => true));
    expect(answers[0]?.text).toContain('There is no tool delegate');
    expect(started).toBe(0);
    expect(JSON.stringify(model.requests)).not.toContain('secret fact');
  });

  test('B13 B15: at 8 turns it hands in what it has', async () => {
    const looks = ['a', 'b', 'c', 'd', 'e', 'f'].map(look);
    const model = scriptedModel([...looks, handIn]);
    const { outcome } = await runSubAgent(ORDER, parts(model));
    expect(model.requests.length).toBeLessThanOrEqual(8);
    expect(model.requests.at(-1)?.toolChoice).toBe('none');
    expect(outcome).toMatchObject({ kind: 'done', finding: { conclusion: FINDING.conclusion } });
    expect(outcome.kind === 'done' && outcome.terminationReason).not.toBe('aborted');
  });

  test('B15: at a cap that leaves no room for a finding, code hands in what was found', async () => {
    const order = { ...ORDER, allowance: { ...ORDER.allowance, turns: 2 } };
    const { outcome } = await runSubAgent(order, parts(scriptedModel([look('pool'), { blocks: [text('no object')] }])));
    expect(outcome).toMatchObject({
      kind: 'done',
      finding: { conclusion: expect.stringMatching(/^ended early: .*\[L1001\]/), evidence: ['L1001'], verdicts: [] },
    });
  });

  test('B13: one whose model fails is lost with its usage, unless it has found something', async () => {
    const early = await runSubAgent(ORDER, parts(scriptedModel([refuse])));
    expect(early.outcome).toMatchObject({ kind: 'lost', reason: expect.stringContaining('it was refused (400)') });
    expect(early.session.terminationReason).toBe('provider_error');
    const late = await runSubAgent(ORDER, parts(scriptedModel([look('pool'), refuse])));
    expect(late.outcome).toMatchObject({
      kind: 'done',
      terminationReason: 'provider_error',
      finding: { evidence: ['L1001'] },
    });
  });

  test('resume: it goes on from its checkpoint, and no answered call is made again', async () => {
    let kept: AgentCheckpoint | undefined;
    const checkpoint = {
      load: () => Promise.resolve(kept),
      save: (saved: AgentCheckpoint) => {
        kept = JSON.parse(JSON.stringify(saved)) as AgentCheckpoint;
        return Promise.resolve();
      },
    };
    const killed = new AbortController();
    const dying = scriptedModel([
      look('pool'),
      () => {
        killed.abort(new Error('killed'));
        return new ModelError('aborted', 'killed');
      },
    ]);
    const first = await runSubAgent(ORDER, parts(dying, { checkpoint, signal: killed.signal }));
    expect(first.outcome.kind).toBe('lost');
    // Paid for, should nobody go on.
    expect(usedBy(kept)).toMatchObject({ usage: { turns: 1, inputTokens: 1000, outputTokens: 100 }, toolCalls: 1 });
    const successor = scriptedModel([handIn]);
    const { outcome, session } = await runSubAgent(ORDER, parts(successor, { checkpoint }));
    successor.assertDone();
    expect(outcome).toMatchObject({ kind: 'done', finding: FINDING, evidence: [{ id: 'L1001' }] });
    expect(session.entries.filter(({ role }) => role === 'tool')).toHaveLength(1);
  });
});

describe('sub-agents in this process', () => {
  const orders = [1, 2, 3].map((place) => orderOf('inc_case', place));

  test('B13: a crash is the outcome of one, and the others go on; outcomes are in the order of the tasks', async () => {
    const run = inProcess((order) =>
      order.task === 'task 2' ? Promise.reject(new Error('a bug')) : Promise.resolve(foundBy(order)),
    );
    const outcomes = await run(orders, new AbortController().signal);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['done', 'lost', 'done']);
    expect(outcomes[1]).toMatchObject({ reason: 'it crashed: a bug' });
  });

  test('they end with their parent', async () => {
    const parent = new AbortController();
    const run = inProcess((order) => {
      parent.abort(new Error('stopped'));
      return Promise.resolve(foundBy(order));
    });
    await expect(run(orders, parent.signal)).rejects.toThrow('stopped');
  });
});

test('ids derive from session, turn and place, lead back to the parent, and are legal job ids', () => {
  const ids = [subAgentId('ses_inc_a', 10, 1), subAgentId('ses_inc_a', 2, 2), subAgentId('ses_inc_a', 2, 1)];
  expect([...ids].sort(compareSubAgents)).toEqual(['ses_inc_a.2.1', 'ses_inc_a.2.2', 'ses_inc_a.10.1']);
  expect(ids.map(parentOf)).toEqual(['ses_inc_a', 'ses_inc_a', 'ses_inc_a']);
  expect(parentOf('ses_check_disk_202611300700')).toBeUndefined();
  for (const id of ids) expect(id).toMatch(/^[a-z][^:]*$/);
});
