import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { investigateOnce } from '../../src/app/investigate-once.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { startMessagesApi, TEST_API_KEY, type MessagesApi } from '../support/messages-api/server.ts';
import { calls, says, textOf, type ReceivedBody, type Script } from '../support/messages-api/script.ts';

let api: MessagesApi;
let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'rootnote-tokens-'));
});

afterEach(async () => {
  await api.close();
  await rm(home, { recursive: true });
});

const REPORT = says(
  JSON.stringify({
    status: 'inconclusive',
    summary: 'It is not clear yet.',
    root_cause_service: null,
    root_cause_type: 'unknown',
    confidence: 0.3,
    confidence_reasons: [],
    evidence: ['C1'],
    causal_chain: [],
    alternatives: [],
    action_plan: [],
  }),
);

/** Two questions at once, one more, then a report. */
function threeTurns(_body: ReceivedBody, index: number) {
  if (index === 0) return calls(['query_metrics', { query: 'payments' }], ['query_logs', { service: 'payments' }]);
  if (index === 1) return calls(['query_logs', { service: 'checkout', contains: 'error' }]);
  return REPORT;
}

/** Four sub-agents that use all their turns up, and a main agent that goes on after them: the most that is meant to happen. */
function everyTurn(body: ReceivedBody) {
  const turn = body.messages.filter(({ role }) => role === 'assistant').length;
  const isSubAgent = textOf(body).includes('Your task');
  const isFinal = body.tool_choice?.type === 'none';
  const service = ['payments', 'storefront', 'checkout', 'catalogue'][turn % 4];
  const question = calls(['query_metrics', { query: `${service}/*` }], ['query_logs', { service, to_minutes: turn }]);
  if (isSubAgent) return isFinal ? FINDING : question;
  if (turn === 1)
    return calls(['delegate', { tasks: [1, 2, 3, 4].map((part) => ({ task: `Look at part ${part}.` })) }]);
  return isFinal || turn > 5 ? REPORT : question;
}

const FINDING = says(JSON.stringify({ conclusion: 'Nothing new.', evidence: ['C1'], verdicts: [], gaps: [] }));

/** With default settings. */
async function investigateDemo(script: Script) {
  api = await startMessagesApi({ script, countsTokens: true });
  const config = parseConfig({ ANTHROPIC_API_KEY: TEST_API_KEY, ANTHROPIC_BASE_URL: api.baseUrl, STATE_DIR: home });
  return investigateOnce(config, {
    recording: 'demo/recording',
    offline: false,
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });
}

test('the demo incident in three turns: four fifths of what is sent from the second on is read from the cache', async () => {
  const { report } = await investigateDemo(threeTurns);
  expect(api.refusals).toEqual([]);
  expect(report.usage).toMatchObject({ turns: 3, termination_reason: 'done' });
  const later = api.counts.slice(1);
  const read = later.reduce((sum, count) => sum + count.cache_read_input_tokens, 0);
  const written = later.reduce((sum, count) => sum + count.cache_creation_input_tokens, 0);
  expect(later.map(({ input_tokens }) => input_tokens)).toEqual([0, 0]);
  expect(report.usage.cache_read_tokens).toBe(read);
  expect(read / (read + written)).toBeGreaterThan(0.8);
});

test('the default limits in tokens and money are no obstacle to four sub-agents that use all their turns', async () => {
  const { report, subSessions } = await investigateDemo(everyTurn);
  expect(api.refusals).toEqual([]);
  expect(subSessions.map(({ terminationReason }) => terminationReason)).toEqual(['turns', 'turns', 'turns', 'turns']);
  expect(report.usage).toMatchObject({ sub_agents: 4, turns: 7, termination_reason: 'done' });
});
