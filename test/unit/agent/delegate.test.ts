import { describe, expect, test } from '@jest/globals';
import { Ledger } from '../../../src/agent/ledger.ts';
import { lost } from '../../../src/agent/sub-agents/lost.ts';
import type { SubAgentOrder, SubAgentOutcome } from '../../../src/agent/sub-agents/port.ts';
import { delegateTool } from '../../../src/agent/tools/delegate.ts';
import type { ToolContext } from '../../../src/agent/tools/tool.ts';
import { EvidenceBook, type Evidence } from '../../../src/domain/evidence.ts';
import { NO_USAGE } from '../../../src/domain/session.ts';
import { caseBrief, TRIGGER_MS } from '../../support/agent-case.ts';
import { foundBy } from '../../support/sub-agent-orders.ts';

const ALLOWANCE = { turns: 12, tokens: 300_000, toolCalls: 96, costUsd: null, timeMs: 300_000 };
const never = new AbortController().signal;

function evidence(id: string): Evidence {
  return { id, kind: 'log', service: 'payments', statement: `payments says ${id}`, atMs: TRIGGER_MS };
}

function desk(
  answer: (order: SubAgentOrder, index: number) => SubAgentOutcome = (order) => foundBy(order),
  { allowance = ALLOWANCE, brief = caseBrief() } = {},
) {
  const started: SubAgentOrder[] = [];
  const ledger = new Ledger({ allowance, now: () => 0 });
  const book = new EvidenceBook(brief.evidence);
  const tool = delegateTool({
    sessionId: 'ses_inc_a',
    ledger,
    hypotheses: [],
    runSubAgents: (orders) => {
      started.push(...orders);
      return Promise.resolve(orders.map(answer));
    },
  });
  const context = (turn: number, call = 0): ToolContext => ({
    triggerMs: TRIGGER_MS,
    window: { fromMs: 0, toMs: TRIGGER_MS },
    brief,
    book,
    now: () => 0,
    turn,
    call,
  });
  const call = async (tasks: unknown, turn = 1) => {
    const data = await tool.run({ tasks }, context(turn), never);
    if (data.kind !== 'text') throw new Error('delegate returns text');
    return { ...data, lines: data.text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>) };
  };
  return { tool, ledger, book, started, call };
}

const tasks = (count: number) => Array.from({ length: count }, (_, i) => ({ task: `task ${i + 1}` }));

describe('delegate', () => {
  test.each([
    ['no task', []],
    ['five tasks', tasks(5)],
    ['a blank task', [{ task: 'look' }, { task: ' \n ' }]],
    ['a task that is too long', [{ task: 'x'.repeat(2001) }]],
    ['an unknown hypothesis', [{ task: 'look', hypothesis: 'H9' }]],
    ['an unknown stance', [{ task: 'look', stance: 'believe' }]],
    ['what no schema knows', [{ task: 'look', run: 'rm' }]],
  ])('B13: %s is an error result, and nothing is started', async (_name, given) => {
    const { call, started, ledger } = desk();
    await expect(call(given)).rejects.toThrow(/The input of delegate is not valid/);
    expect(started).toEqual([]);
    expect(ledger.reserve(4)).toBeDefined();
  });

  test.each([1, 4])('B13: %i tasks: ids by turn and place, numbers of their own, an allowance each', async (n) => {
    const { call, started } = desk();
    await call(tasks(n), 2);
    expect(started.map(({ id }) => id)).toEqual([1, 2, 3, 4].slice(0, n).map((place) => `ses_inc_a.2.${place}`));
    expect(started.map(({ firstEvidenceNumber }) => firstEvidenceNumber)).toEqual(
      [50_001, 60_001, 70_001, 80_001].slice(0, n),
    );
    for (const { allowance } of started) {
      expect(allowance.turns).toBe(8);
      expect(allowance.tokens).toBeLessThanOrEqual(ALLOWANCE.tokens / (n + 1));
      expect(allowance.timeMs).toBeLessThan(ALLOWANCE.timeMs);
    }
  });

  test('numbers lie above those of a brief with many thousands of findings', async () => {
    const brief = { ...caseBrief(), evidence: [...caseBrief().evidence, evidence('L27000')] };
    const { call, started } = desk(undefined, { brief });
    await call(tasks(2));
    expect(started.map(({ firstEvidenceNumber }) => firstEvidenceNumber)).toEqual([30_001, 40_001]);
  });

  test('B13 B15: results in the order of the tasks; a lost one is an error entry, and its siblings count', async () => {
    const { call } = desk((order, i) => (i === 1 ? lost('it gave no answer in time') : foundBy(order, `found ${i}`)));
    const { lines, notes } = await call(tasks(3));
    expect(lines).toMatchObject([
      { task: 1, session: 'ses_inc_a.1.1', conclusion: 'found 0' },
      { task: 2, session: 'ses_inc_a.1.2', error: 'it gave no answer in time' },
      { task: 3, session: 'ses_inc_a.1.3', conclusion: 'found 2' },
    ]);
    expect(notes).toEqual(['1 of 3 tasks failed; the others count.']);
  });

  test('B13: when all are lost the call has failed, with every reason', async () => {
    const { call } = desk((_, i) => lost(`reason ${i}`));
    await expect(call(tasks(2))).rejects.toThrow(/reason 0; .*reason 1/);
  });

  test('what sub-agents found is in the book under the same ids, and does not move the main agent’s numbers', async () => {
    const { call, book, started } = desk((order) => ({
      ...foundBy(order),
      finding: { ...foundBy(order).finding, evidence: ['L10001'] },
      evidence: [evidence('L10001')],
    }));
    const { lines } = await call(tasks(1));
    expect(JSON.stringify(lines[0]?.['evidence'])).toContain('payments says L10001');
    expect(book.get('L10001')).toMatchObject({ statement: 'payments says L10001', foundBy: 'ses_inc_a.1.1' });
    const draft = { kind: 'log', service: undefined, statement: 'own', atMs: undefined } as const;
    expect(Number(book.add('own', draft).slice(1))).toBeLessThan(10_000);
    await call(tasks(1), 2);
    expect(started[1]?.known.map(({ id }) => id)).toEqual(expect.arrayContaining(['L10001']));
  });

  test('an id of a sub-agent is never given out again, however much the main agent finds', async () => {
    const { call, book } = desk((order) => ({
      ...foundBy(order),
      evidence: [evidence('L10001'), evidence('L10002')],
    }));
    await call(tasks(1));
    const draft = { kind: 'log', service: undefined, statement: 'own', atMs: undefined } as const;
    const given = Array.from({ length: 10_001 }, (_, i) => book.add(`own ${i}`, draft));
    expect(new Set(given).size).toBe(given.length);
    expect(given.slice(-2)).toEqual(['L10003', 'L10004']);
    expect(book.get('L10001')).toMatchObject({ statement: 'payments says L10001', foundBy: 'ses_inc_a.1.1' });
  });

  test('what is used is booked, and the rest goes back', async () => {
    const { call, ledger } = desk((order) => ({
      ...foundBy(order),
      usage: { ...NO_USAGE, turns: 3, inputTokens: 1000, outputTokens: 200 },
      toolCalls: 2,
    }));
    await call(tasks(2));
    expect(ledger.subAgentUsage).toMatchObject({ turns: 6, inputTokens: 2000, outputTokens: 400 });
    expect(ledger.toolCallsLeft).toBe(ALLOWANCE.toolCalls - 4);
    expect(ledger.turns).toBe(0);
  });

  test('a second call in one turn, and one that the budget does not pay for, start nothing', async () => {
    const { call, started } = desk();
    await call(tasks(1), 3);
    await expect(call(tasks(1), 3)).rejects.toThrow(/Put all tasks in one call/);
    await call(tasks(1), 4);
    expect(started).toHaveLength(2);
    const poor = desk(undefined, { allowance: { ...ALLOWANCE, timeMs: 1000 } });
    await expect(poor.call(tasks(1))).rejects.toThrow(/what is left of the budget/);
    expect(poor.started).toEqual([]);
  });

  test('B15: the result is bounded, whatever the findings hold, and no task is cut away', async () => {
    const long = 'x'.repeat(1500);
    const { call } = desk((order) => {
      const ids = Array.from({ length: 20 }, (_, i) => `L${order.firstEvidenceNumber + i}`);
      const verdict = { hypothesis: 'H1', verdict: 'supports' as const, why: long.slice(0, 300), evidence: ids };
      return {
        ...foundBy(order),
        finding: {
          conclusion: long,
          evidence: ids,
          verdicts: Array.from({ length: 4 }, () => verdict),
          gaps: Array.from({ length: 5 }, () => long.slice(0, 300)),
        },
        evidence: ids.map((id) => ({ ...evidence(id), statement: long.slice(0, 800) })),
      };
    });
    const { text, lines } = await call(tasks(4));
    expect(text.length).toBeLessThanOrEqual(11_000);
    expect(lines.map(({ task }) => task)).toEqual([1, 2, 3, 4]);
  });
});
