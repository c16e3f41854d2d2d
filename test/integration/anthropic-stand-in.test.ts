import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startMessagesApi, TEST_API_KEY, type MessagesApi } from '../support/messages-api/server.ts';
import { says } from '../support/messages-api/script.ts';

let api: MessagesApi;

beforeAll(async () => {
  api = await startMessagesApi(() => says('ok'));
});
afterAll(() => api.close());

const HEADERS = {
  authorization: `Bearer ${TEST_API_KEY}`,
  'anthropic-version': '2026-10-21',
  'content-type': 'application/json',
};
const tools = [{ name: 'look', input_schema: { type: 'object' } }];
const use = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'look', input: {} }] };
const result = { type: 'tool_result', tool_use_id: 't1', content: 'seen' };
const hello = { role: 'user', content: 'hello' };
const good = { model: 'claude-sonnet-5-5', max_tokens: 10, messages: [hello] };
const cached = { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } };

async function post(body: unknown, headers: Readonly<Record<string, string>> = HEADERS, path = '/v1/messages') {
  const response = await fetch(`${api.baseUrl}${path}`, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as { error?: { type: string; message: string } } };
}

describe('the Messages API stand-in', () => {
  test('accepts a plain request, with either form of the key', async () => {
    expect((await post(good)).status).toBe(200);
    expect((await post(good, { 'x-api-key': TEST_API_KEY, 'anthropic-version': '2023-06-01' })).status).toBe(200);
    expect((await post(good, HEADERS, '/v1/messages/count_tokens')).body).toEqual({ input_tokens: expect.any(Number) });
  });

  test('accepts a transcript with answered tool calls', async () => {
    const messages = [hello, use, { role: 'user', content: [result, { type: 'text', text: 'go on' }] }];
    expect((await post({ ...good, tools, messages })).status).toBe(200);
  });

  test.each<[string, object | string]>([
    ['no JSON', '{"model":'],
    ['no max_tokens', { model: 'claude-sonnet-5-5', messages: [hello] }],
    ['no messages', { ...good, messages: [] }],
    ['a first message that is not the user’s', { ...good, messages: [use, hello] }],
    ['a prefilled answer', { ...good, messages: [hello, { role: 'assistant', content: 'I' }] }],
    ['a blank text block', { ...good, messages: [{ role: 'user', content: [{ type: 'text', text: ' ' }] }] }],
    ['an empty message', { ...good, messages: [{ role: 'user', content: [] }] }],
    ['a tool use without its result', { ...good, tools, messages: [hello, use, hello] }],
    ['a result without its tool use', { ...good, tools, messages: [{ role: 'user', content: [result] }] }],
    [
      'two results for one tool use',
      { ...good, tools, messages: [hello, use, { role: 'user', content: [result, result] }] },
    ],
    [
      'text before the result',
      { ...good, tools, messages: [hello, use, { role: 'user', content: [{ type: 'text', text: 'a' }, result] }] },
    ],
    [
      'tools removed from a transcript that uses them',
      { ...good, messages: [hello, use, { role: 'user', content: [result] }] },
    ],
    ['a tool choice that does not exist', { ...good, tools, tool_choice: { type: 'tool', name: 'run' } }],
    ['a tool choice without tools', { ...good, tool_choice: { type: 'none' } }],
    ['two tools of one name', { ...good, tools: [...tools, ...tools] }],
    [
      'five cache breakpoints',
      { ...good, cache_control: { type: 'ephemeral' }, system: [cached, cached, cached, cached] },
    ],
    [
      'a thinking budget above max_tokens',
      { ...good, max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 2000 } },
    ],
    [
      'a thinking block it never sent',
      {
        ...good,
        messages: [hello, { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: 'y' }] }, hello],
      },
    ],
    ['a lone surrogate', { ...good, messages: [{ role: 'user', content: 'a\ud800' }] }],
    ['a field it does not know', { ...good, temperature: 0 }],
    [
      'bounds in an output schema',
      {
        ...good,
        output_config: {
          format: {
            type: 'json_schema',
            schema: { type: 'object', additionalProperties: false, properties: { a: { type: 'number', minimum: 0 } } },
          },
        },
      },
    ],
    [
      'an open object in an output schema',
      { ...good, output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
    ],
  ])('refuses %s with 400', async (_name, body) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { error: { type: 'invalid_request_error' } } });
  });

  test('refuses a wrong key, a missing version, a beta, an unknown model and an unknown path', async () => {
    expect((await post(good, { ...HEADERS, authorization: 'Bearer no' })).body.error?.type).toBe(
      'authentication_error',
    );
    expect((await post(good, { authorization: HEADERS.authorization })).status).toBe(400);
    expect((await post(good, { ...HEADERS, 'anthropic-beta': 'x' })).status).toBe(400);
    expect((await post({ ...good, model: 'gpt' })).body.error?.type).toBe('not_found_error');
    expect((await post(good, HEADERS, '/v2/messages')).status).toBe(404);
  });
});
