import { expect, test } from '@jest/globals';
import { measureToolCalls } from '../../../src/app/measure-investigation.ts';
import { NO_USAGE, type Session, type ToolCall } from '../../../src/domain/session.ts';
import { testMetrics } from '../../support/http-server.ts';

test('tool calls are counted by how they ended, and what they read against what was shown of it', async () => {
  const call = (changes: Partial<ToolCall>, text = '') => ({
    role: 'tool' as const,
    text,
    tool: { name: 'query_metrics', input: {}, isError: false, ...changes },
    atMs: 0,
  });
  const session: Session = {
    id: 'ses_inc_a',
    incidentId: 'inc_a',
    startedAtMs: 0,
    finishedAtMs: 0,
    brief: '',
    entries: [
      { role: 'user', text: 'look', atMs: 0 },
      call({}),
      call({ isError: true }),
      call({ isError: true, ended: 'timeout' }),
      call({ isError: true, ended: 'denied' }),
      call({ ended: 'truncated', raw: { kind: 'logs', bytes: 90_000 } }, 'vier Zeilen für dich'),
    ],
    usage: NO_USAGE,
    terminationReason: 'done',
  };
  const metrics = testMetrics();
  measureToolCalls(session, metrics);
  const { body } = await metrics.text();
  for (const outcome of ['ok', 'error', 'timeout', 'denied', 'truncated'])
    expect(body).toContain(`rootnote_tool_calls_total{tool="query_metrics",outcome="${outcome}"} 1`);
  expect(body).toContain('rootnote_evidence_bytes_in_total{kind="logs"} 90000');
  expect(body).toContain('rootnote_evidence_bytes_out_total{kind="logs"} 21');
});
