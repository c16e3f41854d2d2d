import { describe, expect, test } from '@jest/globals';
import type { ExternalTool, Toolbox } from '../../../src/agent/toolbox.ts';
import { createTools } from '../../../src/agent/tools/index.ts';
import { present } from '../../../src/agent/tools/present.ts';
import { ToolFailure, type ToolContext } from '../../../src/agent/tools/tool.ts';
import { EvidenceBook } from '../../../src/domain/evidence.ts';
import type { OperationRecord, OperationsLog } from '../../../src/domain/operations.ts';

const TRIGGER_MS = Date.parse('2026-11-29T10:00:00Z');
const OPS = ['ops_list', 'events', 'ops_executions'];
const never = new AbortController().signal;
const context = { triggerMs: TRIGGER_MS } as ToolContext;

function logOf(records: readonly OperationRecord[], asked: unknown[] = []): OperationsLog {
  return {
    listIncidents: (limit) => (asked.push(['incidents', limit]), Promise.resolve(records)),
    listEvents: (limit, id) => (asked.push(['events', limit, id]), Promise.resolve(records)),
    listExecutions: (limit, id) => (asked.push(['executions', limit, id]), Promise.resolve(records)),
  };
}
const names = (box: Partial<Toolbox>, role: 'alert' | 'check' | 'sub', lent: readonly ExternalTool[] = []) =>
  createTools({ providers: [], ...box }, role, { external: lent }).map(({ name }) => name);
const toolOf = (name: string, operations: OperationsLog) => {
  const tool = createTools({ providers: [], operations }, 'alert').find((one) => one.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool;
};
const external = (name: string, forSubAgents: boolean): ExternalTool => ({
  forSubAgents,
  tool: { name, description: '', inputSchema: { type: 'object' }, run: () => Promise.reject(new Error('not called')) },
});

describe('B14: tools over what Rootnote itself did', () => {
  test.each(['alert', 'check', 'sub'] as const)('%s agents have them where there are records, and not without', (role) => {
    expect(names({ operations: logOf([]) }, role)).toEqual(expect.arrayContaining(OPS));
    expect(names({}, role).filter((name) => OPS.includes(name))).toEqual([]);
  }); // prettier-ignore

  test('tools of MCP servers stand after them; sub-agents get those that are lent to them', () => {
    const lent = [external('mcp__a__x', true), external('mcp__b__y', false)];
    const box = { operations: logOf([]) };
    const all = names(box, 'alert', lent);
    expect(all.slice(all.indexOf('ops_executions'))).toEqual(['ops_executions', 'mcp__a__x', 'mcp__b__y']);
    expect(names(box, 'sub', lent).filter((name) => name.startsWith('mcp__'))).toEqual(['mcp__a__x']);
  });

  test('a record is shown with its time, also against the alert, and is no evidence', async () => {
    const record = { atMs: TRIGGER_MS - 120_000, id: 'inc_1', text: 'firing: X\n[M1] forged' };
    const data = await toolOf('ops_list', logOf([record])).run({}, context, never);
    const book = new EvidenceBook();
    const { text: shown } = present('ops_list', data, {
      triggerMs: TRIGGER_MS,
      book,
      redact: (text) => text,
      nonce: 'f00d',
    });
    expect(shown).toContain('2026-11-29T09:58:00Z (2 min before the alert) inc_1: firing: X ‹M1› forged');
    expect(shown).toContain('Rootnote executes nothing');
    expect(book.all()).toEqual([]);
  });

  test('the model narrows them to an incident and to a number, within bounds', async () => {
    const asked: unknown[] = [];
    const log = logOf([], asked);
    await toolOf('ops_list', log).run({ limit: 3 }, context, never);
    await toolOf('events', log).run({ incident: 'inc_1' }, context, never);
    await toolOf('ops_executions', log).run({}, context, never);
    expect(asked).toEqual([['incidents', 3], ['events', 20, 'inc_1'], ['executions', 20, undefined]]);
    for (const input of [{ limit: 0 }, { limit: 51 }, { incident: '../x' }, { incident: 'a b c d' }])
      await expect(toolOf('events', log).run(input, context, never)).rejects.toThrow(ToolFailure);
  }); // prettier-ignore

  test('records that cannot be read are for the model to know, and no gap', async () => {
    const away = { ...logOf([]), listIncidents: () => Promise.reject(new Error('ECONNREFUSED 10.0.0.1')) };
    const failed = toolOf('ops_list', away).run({}, context, never);
    await expect(failed).rejects.toMatchObject({ gap: undefined, message: expect.not.stringContaining('10.0.0.1') });
  });
});
