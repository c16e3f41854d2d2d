import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { ModelError, type ModelRequest, type ModelResponse } from '../../src/agent/model.ts';
import { estimateRequest } from '../../src/agent/estimate-request.ts';
import { createAnthropicModel } from '../../src/llm/anthropic.ts';
import { checkAnthropic } from '../../src/llm/check.ts';
import { startMessagesApi, TEST_API_KEY, type MessagesApi } from '../support/messages-api/server.ts';
import { fails, says, type Reply, type Script } from '../support/messages-api/script.ts';

let api: MessagesApi | undefined;

afterEach(async () => {
  await api?.close();
  api = undefined;
});

const TOOL = { name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: {} } };

function request(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: ['You look.'],
    tools: [TOOL],
    messages: [{ role: 'user', text: 'Look.' }],
    toolChoice: 'auto',
    maxOutputTokens: 100,
    timeoutMs: 30_000,
    signal: new AbortController().signal,
    ...changes,
  };
}

function modelAt(baseUrl: string, changes: object = {}) {
  const fixed = { apiKey: TEST_API_KEY, modelId: 'claude-sonnet-5-5', idleTimeoutMs: 5000, retryDelayMs: 1 };
  return createAnthropicModel({ ...fixed, baseUrl, ...changes });
}

async function ask(script: Script, changes: object = {}, asked: Partial<ModelRequest> = {}): Promise<ModelResponse> {
  api = await startMessagesApi(script);
  return modelAt(api.baseUrl, changes).complete(request(asked));
}

async function failure(script: Script, changes: object = {}, asked: Partial<ModelRequest> = {}): Promise<ModelError> {
  const error: unknown = await ask(script, changes, asked).catch((thrown: unknown) => thrown);
  if (!(error instanceof ModelError)) throw new Error(`expected a ModelError, got ${String(error)}`);
  return error;
}

describe('the Anthropic adapter', () => {
  test('reads text and tool input that were cut at awkward places', async () => {
    const input = { text: 'naïve 漢字 "quoted" \\ \n 🙂', list: [1, { a: null }] };
    const response = await ask([
      {
        blocks: [
          { type: 'text', text: 'Müller → 漢字 🙂' },
          { type: 'tool_use', id: 'toolu_1', name: 'look', input },
        ],
      },
    ]);
    expect(response.blocks).toEqual([
      { kind: 'text', text: 'Müller → 漢字 🙂' },
      { kind: 'tool_use', id: 'toolu_1', name: 'look', input },
    ]);
    expect(response).toMatchObject({ stopReason: 'tool_use', model: 'claude-sonnet-5-5' });
  });

  test.each<[string, Reply]>([
    ['500', fails(500, 'api_error')],
    ['529', fails(529, 'overloaded_error')],
    ['429 with a retry-after that fits', fails(429, 'rate_limit_error', { 'retry-after-ms': '5' })],
    ['408', fails(408, 'timeout_error')],
    ['an HTML page of a proxy with 502', { status: 502, rawBody: '<html>Bad Gateway</html>' }],
    ['an HTML page with 200', { rawBody: '<html>Welcome</html>' }],
    ['an error event in the stream', { ...says('half'), errorEventAfterEvents: 3 }],
    ['a line that is no JSON', { ...says('half'), badLineAfterEvents: 3 }],
    ['a connection cut in the stream', { ...says('half'), cutAfterEvents: 3 }],
    ['a connection cut before the first event', { ...says('half'), cutAfterEvents: 0 }],
    ['a stream that ends early', { ...says('half'), endAfterEvents: 3 }],
    ['tool input that is no JSON', { blocks: [{ type: 'tool_use', name: 'look', rawInput: '{"a": nope nope' }] }],
    ['a stream that stalls', { ...says('half'), stallAfterEvents: 3 }],
    ['headers that do not come', { ...says('late'), delayBeforeHeadersMs: 60_000 }],
  ])('tries again after %s', async (_name, fault) => {
    // Long enough for a loaded machine to answer the second time; shorter only where it is waited for, in the two cases that say nothing.
    const isSilent = fault.stallAfterEvents !== undefined || fault.delayBeforeHeadersMs !== undefined;
    const response = await ask([fault, says('whole')], { idleTimeoutMs: isSilent ? 2000 : 30_000 });
    expect(response.blocks).toEqual([{ kind: 'text', text: 'whole' }]);
    expect(api?.refusals).toEqual([]);
    expect(api?.unusedReplies()).toBe(0);
  });

  test('each retry is told of, with what had failed; the last failure is no retry', async () => {
    const retries: string[] = [];
    const onRetry = ({ kind, message, waitMs }: { kind: string; message: string; waitMs: number }) =>
      retries.push(`${kind}: ${message}${waitMs > 0 ? '' : ' at once'}`);
    await failure(() => fails(529, 'overloaded_error'), { onRetry });
    expect(retries).toEqual(Array.from({ length: 3 }, () => 'overloaded: it was overloaded (529 overloaded_error)'));
  });

  test('estimates are calibrated by what the model counted in one attempt', async () => {
    const ratios: number[] = [];
    api = await startMessagesApi((_body, index) => (index === 0 ? fails(500, 'api_error') : says('ok')));
    const model = modelAt(api.baseUrl, { onTokenRatio: (ratio: number) => ratios.push(ratio) });
    for (let n = 0; n < 11; n++) await model.complete(request());
    const estimated = estimateRequest(request());
    expect(ratios).toEqual(Array.from({ length: 10 }, () => 1000 / estimated));
    expect(model.tokenFactor?.()).toBeCloseTo(4 / 1.25);
  });

  test('tells once how long an answer was waited for, and nothing of an attempt without one', async () => {
    const waits: number[] = [];
    api = await startMessagesApi((_body, index) => (index === 0 ? fails(500, 'api_error') : says('a longer answer')));
    await modelAt(api.baseUrl, { onFirstToken: (waitedMs: number) => waits.push(waitedMs) }).complete(request());
    expect(waits).toEqual([expect.any(Number)]);
    expect(waits[0]).toBeGreaterThan(0);
  });

  test('counts what failed attempts used', async () => {
    const usage = { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 5, cache_creation_input_tokens: 2 };
    const response = await ask([
      { ...says('half'), usage, cutAfterEvents: 4 },
      { ...says('whole'), usage },
    ]);
    expect(response.usage).toMatchObject({
      inputTokens: 20,
      outputTokens: 2,
      cacheReadTokens: 10,
      cacheWriteTokens: 4,
    });
    expect(response.usage.costUsd).toBeCloseTo((2 * (10 * 3 + 5 * 0.3 + 2 * 3.75 + 15)) / 1e6, 12);
  });

  test('the cost of a model without a known price is null, and missing usage is zero', async () => {
    const response = await ask([{ ...says('ok'), usage: { input_tokens: 0, output_tokens: 0 } }], {
      modelId: 'claude-experimental-1',
    });
    expect(response.usage).toMatchObject({ inputTokens: 0, outputTokens: 0, costUsd: null });
  });

  test.each<[string, Reply, Partial<ModelError>]>([
    [
      '401',
      fails(401, 'authentication_error'),
      { kind: 'auth', message: 'it refused the API key (401 authentication_error)' },
    ],
    ['402', fails(402, 'billing_error'), { kind: 'billing' }],
    ['403', fails(403, 'permission_error'), { kind: 'permission' }],
    ['404', fails(404, 'not_found_error'), { kind: 'unknown_model' }],
    ['400', fails(400, 'invalid_request_error'), { kind: 'invalid_request' }],
    ['413', fails(413, 'request_too_large'), { kind: 'overflow' }],
    [
      'a prompt that is too long',
      { ...fails(400, 'invalid_request_error'), message: 'prompt is too long: 9 > 8' },
      { kind: 'overflow' },
    ],
    [
      'a quota that is used up',
      fails(429, 'rate_limit_error', { 'x-should-retry': 'false' }),
      { kind: 'rate_limited' },
    ],
  ])('does not try again after %s', async (_name, reply, expected) => {
    const error = await failure([reply]);
    expect(error).toMatchObject(expected);
    expect(api?.requests).toHaveLength(1);
  });

  test('errors hold nothing of the body or the key', async () => {
    const error = await failure([
      { ...fails(400, 'invalid_request_error'), message: `echo of ${TEST_API_KEY} and of the prompt` },
    ]);
    expect(`${error.message} ${JSON.stringify(error)}`).not.toMatch(/echo|sk-ant/);
  });

  test('the time of the whole call is kept: a slow stream is cut at its end', async () => {
    const error = await failure([{ ...says('x'.repeat(400)), delayBetweenEventsMs: 50 }], {}, { timeoutMs: 200 });
    expect(error.kind).toBe('timeout');
    expect(error.message).toContain('no time was left to try again');
  });

  test('a caller that aborts is obeyed during the wait between attempts', async () => {
    const abort = new AbortController();
    const script: Script = () => {
      setTimeout(() => abort.abort(), 20);
      return fails(529, 'overloaded_error', { 'retry-after': '20' });
    };
    const error = await failure(script, {}, { signal: abort.signal });
    expect(error.kind).toBe('aborted');
    expect(api?.requests).toHaveLength(1);
  });

  test('an address that nobody listens on is a network error with its code', async () => {
    const error: unknown = await modelAt(await closedPort())
      .complete(request())
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      kind: 'network',
      message: 'it could not be reached (ECONNREFUSED), 4 times in a row',
    });
  });

  test('key and address come from the options, never from the environment', async () => {
    const before = { ...process.env };
    Object.assign(process.env, {
      ANTHROPIC_API_KEY: 'sk-env',
      ANTHROPIC_AUTH_TOKEN: 'env-token',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
    });
    try {
      await ask([says('ok')]);
    } finally {
      process.env = before;
    }
    expect(api?.requests[0]?.headers.authorization).toBe(`Bearer ${TEST_API_KEY}`);
    expect(JSON.stringify(api?.requests[0]?.headers)).not.toMatch(/sk-env|env-token|anthropic-beta/);
  });
});

describe('checkAnthropic, for doctor', () => {
  const check = (baseUrl: string, changes: object = {}) =>
    checkAnthropic(
      { apiKey: TEST_API_KEY, modelId: 'claude-sonnet-5-5', baseUrl, isCostCapped: false, ...changes },
      new AbortController().signal,
    );

  test('a good key and model are proved by a real call', async () => {
    api = await startMessagesApi([]);
    const host = new URL(api.baseUrl).host;
    expect(await check(api.baseUrl)).toEqual({
      name: 'model',
      status: 'ok',
      value: expect.stringMatching(`^claude-sonnet-5-5 at ${host} accepts the key; prices of 20\\d\\d-`),
    });
  });

  test('a wrong key fails, names ANTHROPIC_API_KEY and does not show the key', async () => {
    api = await startMessagesApi([]);
    const result = await check(api.baseUrl, { apiKey: 'sk-ant-wrong' });
    expect(result).toMatchObject({ status: 'fail', remedy: expect.stringContaining('ANTHROPIC_API_KEY') });
    expect(result.value).toContain('it refused the API key (401 authentication_error)');
    expect(JSON.stringify(result)).not.toContain('sk-ant-wrong');
  });

  test('a cost limit that cannot be kept fails; one that can does not', async () => {
    api = await startMessagesApi([]);
    const modelId = 'claude-experimental-1';
    expect(await check(api.baseUrl, { isCostCapped: true })).toMatchObject({ status: 'ok' });
    expect(await check(api.baseUrl, { modelId })).toMatchObject({ status: 'ok' });
    expect(await check(api.baseUrl, { modelId, isCostCapped: true })).toMatchObject({
      status: 'fail',
      value: expect.stringContaining('price not known'),
      remedy: expect.stringContaining('AGENT_MAX_COST_USD'),
    });
  });

  test('a wrong model names MODEL_ID', async () => {
    api = await startMessagesApi({ script: [], models: ['claude-haiku-5-5'] });
    expect(await check(api.baseUrl)).toMatchObject({ status: 'fail', remedy: expect.stringContaining('MODEL_ID') });
  });

  test('an address that is not reachable names ANTHROPIC_BASE_URL', async () => {
    expect(await check(await closedPort())).toMatchObject({
      status: 'fail',
      remedy: expect.stringContaining('ANTHROPIC_BASE_URL'),
    });
  });

  test('a web server that is not the API names ANTHROPIC_BASE_URL', async () => {
    const server = createServer((_request, response) => response.end('<html>hello</html>'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const result = await check(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      expect(result).toMatchObject({ status: 'fail', remedy: expect.stringContaining('ANTHROPIC_BASE_URL') });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

/** A loopback port that was free a moment ago. */
async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
