import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { investigateOnce } from '../../src/app/investigate-once.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { startMessagesApi, TEST_API_KEY, type MessagesApi } from '../support/messages-api/server.ts';
import { calls, says, textOf, type ReceivedBody } from '../support/messages-api/script.ts';

let api: MessagesApi;
let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'rootnote-tokens-'));
  api = await startMessagesApi({ script: threeTurns, countsTokens: true });
});

afterEach(async () => {
  await api.close();
  await rm(home, { recursive: true });
});

/** Two questions at once, one more, then a report on the first piece of evidence. */
function threeTurns(body: ReceivedBody, index: number) {
  if (index === 0) return calls(['query_metrics', { query: 'payments' }], ['query_logs', { service: 'payments' }]);
  if (index === 1) return calls(['query_logs', { service: 'checkout', contains: 'error' }]);
  const id = /\[([A-Z]\d+)\]/.exec(textOf(body))?.[1] ?? 'M1';
  return says(
    JSON.stringify({
      status: 'inconclusive',
      summary: 'It is not clear yet.',
      root_cause_service: null,
      root_cause_type: 'unknown',
      confidence: 0.3,
      confidence_reasons: [],
      evidence: [id],
      causal_chain: [],
      alternatives: [],
      action_plan: [],
    }),
  );
}

test('the demo incident in three turns: four fifths of what is sent from the second on is read from the cache', async () => {
  const config = parseConfig({ ANTHROPIC_API_KEY: TEST_API_KEY, ANTHROPIC_BASE_URL: api.baseUrl, STATE_DIR: home });
  const { report } = await investigateOnce(config, {
    recording: 'demo/recording',
    offline: false,
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });
  expect(api.refusals).toEqual([]);
  expect(report.usage).toMatchObject({ turns: 3, termination_reason: 'done' });
  const later = api.counts.slice(1);
  const read = later.reduce((sum, count) => sum + count.cache_read_input_tokens, 0);
  const written = later.reduce((sum, count) => sum + count.cache_creation_input_tokens, 0);
  expect(later.map(({ input_tokens }) => input_tokens)).toEqual([0, 0]);
  expect(report.usage.cache_read_tokens).toBe(read);
  expect(read / (read + written)).toBeGreaterThan(0.8);
});
