import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { noTracing } from '../../src/domain/tracing.ts';
import { createAnthropicModel } from '../../src/llm/anthropic.ts';
import { startTracing } from '../../src/platform/otlp-tracing.ts';
import type { Tracing, TracingOptions } from '../../src/platform/tracing.ts';
import { freePort } from '../support/free-port.ts';
import { says } from '../support/messages-api/script.ts';
import { startMessagesApi, TEST_API_KEY } from '../support/messages-api/server.ts';
import { spanTree, startOtlpReceiver, type OtlpReceiver } from '../support/otlp-receiver.ts';

const GRACE_MS = 10_000;
const SECRET = 'hunter2hunter2';

let receiver: OtlpReceiver;
let tracing: Tracing | undefined;

beforeEach(async () => {
  receiver = await startOtlpReceiver();
});
afterEach(async () => {
  await tracing?.stop(GRACE_MS);
  tracing = undefined;
  await receiver.stop();
});

function start(changes: Partial<TracingOptions> = {}): Tracing {
  tracing = startTracing({
    url: receiver.url,
    headers: { authorization: 'Bearer for-the-collector' },
    serviceName: 'rootnote-test',
    version: '1.2.3',
    sampler: 'always_on',
    ratio: 1,
    redact: (text) => text.replaceAll(SECRET, '[REDACTED]'),
    onLost: () => undefined,
    ...changes,
  });
  return tracing;
}

/** The attributes of the span with this name. */
const spanOf = (name: string) => {
  const found = receiver.spans.find((span) => span.name === name);
  if (!found) throw new Error(`no span ${name} among ${receiver.spans.map((span) => span.name).join(', ')}`);
  return found;
};

/** An investigation as the rooms open its spans. */
function investigateTraced({ trace }: Tracing): Promise<void> {
  const facts = { incident: 'inc_1', session: 'ses_1', kind: 'incident', source: 'alertmanager' };
  return trace('investigation', facts, async (describe) => {
    const main = { agent: 'main', session: 'ses_1', conversation: 'ses_1', model: 'claude-sonnet-5-5' };
    await trace('agent', main, async () => {
      await trace('turn', { turn: 1, model: 'claude-sonnet-5-5' }, async () => undefined);
      const calls = ['query_logs', 'query_metrics'].map((tool) =>
        trace('tool', { tool, turn: 1, input: `password=${SECRET}` }, async (tell) => tell({ outcome: 'ok' })),
      );
      await Promise.all(calls);
    });
    describe({ status: 'determined', mode: 'agent' });
  });
}

describe('spans of an investigation', () => {
  test('nest as the work does, parallel tools included, and carry the names of the conventions', async () => {
    await investigateTraced(start());
    await tracing?.stop(GRACE_MS);
    expect(spanTree(receiver.spans)).toEqual([
      'invoke_workflow',
      '  invoke_agent main',
      '    turn',
      '    execute_tool query_logs',
      '    execute_tool query_metrics',
    ]);
    expect(spanOf('invoke_workflow').attributes).toEqual({
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.workflow.name': 'investigation',
      'gen_ai.conversation.id': 'ses_1',
      'rootnote.incident.id': 'inc_1',
      'rootnote.incident.kind': 'incident',
      'rootnote.incident.source': 'alertmanager',
      'rootnote.report.status': 'determined',
      'rootnote.report.mode': 'agent',
    });
    expect(spanOf('execute_tool query_logs').attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.name': 'query_logs',
      'rootnote.turn': 1,
      'rootnote.tool.outcome': 'ok',
    });
    expect(receiver.resources[0]).toMatchObject({ 'service.name': 'rootnote-test', 'service.version': '1.2.3' });
    expect(receiver.headers[0]).toMatchObject({
      authorization: 'Bearer for-the-collector',
      'content-type': 'application/json',
    });
  });

  test('hold no content: what is no known fact is left out, what is told is redacted and cut', async () => {
    const { trace } = start();
    await investigateTraced(tracing ?? start());
    await trace('tool', { tool: `x ${SECRET} ${'y'.repeat(500)}` }, async () => undefined);
    await tracing?.stop(GRACE_MS);
    expect(receiver.spans).toHaveLength(6);
    expect(receiver.text()).not.toContain(SECRET);
    expect(receiver.text()).not.toContain('password');
    expect(receiver.text()).not.toContain('y'.repeat(201));
  });

  test('of failed work name the kind of the error and not its message; the error goes on', async () => {
    const { trace } = start();
    const failing = trace('tool', { tool: 'read' }, () => Promise.reject(new TypeError(`no file ${SECRET}`)));
    await expect(failing).rejects.toThrow(SECRET);
    await tracing?.stop(GRACE_MS);
    expect(spanOf('execute_tool read')).toMatchObject({
      attributes: { 'error.type': 'TypeError' },
      status: { code: 2 },
    });
    expect(receiver.text()).not.toContain('no file');
  });
});

describe('a trace across processes', () => {
  test('a sub-agent belongs to the trace of its parent; what waited in a queue begins one of its own and links back', async () => {
    const { trace, currentTraceparent } = start();
    expect(currentTraceparent()).toBeUndefined();
    let handed = '';
    await trace('agent', { agent: 'main' }, async () => {
      handed = currentTraceparent() ?? '';
    });
    expect(handed).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    await trace('agent', { agent: 'sub' }, async () => undefined, { traceparent: handed, as: 'parent' });
    await trace('delivery', { destination: 'slack' }, async () => undefined, { traceparent: handed, as: 'link' });
    await tracing?.stop(GRACE_MS);
    const main = spanOf('invoke_agent main');
    expect(spanOf('invoke_agent sub')).toMatchObject({ traceId: main.traceId, parentSpanId: main.spanId, links: [] });
    const delivery = spanOf('deliver slack');
    expect(delivery.traceId).not.toBe(main.traceId);
    expect(delivery.links).toMatchObject([{ traceId: main.traceId, spanId: main.spanId }]);
  });

  test.each(['', 'nonsense', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`])('%j is no origin', async (traceparent) => {
    const { trace } = start();
    await trace('turn', { turn: 1 }, async () => undefined, { traceparent, as: 'parent' });
    await tracing?.stop(GRACE_MS);
    expect(spanOf('turn').parentSpanId ?? '').toBe('');
  });

  test('a trace that was not sampled where it began is not sampled here', async () => {
    const { trace } = start();
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`;
    await trace('agent', { agent: 'sub' }, async () => undefined, { traceparent, as: 'parent' });
    await tracing?.stop(GRACE_MS);
    expect(receiver.spans).toEqual([]);
  });
});

test('the span of a model call is its SDK’s, below the turn, without content; the API learns of no trace', async () => {
  const api = await startMessagesApi([says('the answer of the model')]);
  try {
    // Whatever is a secret in a base URL must not leave with its span.
    const { trace } = start({ redact: (text) => text.replace(/:\d+\//, ':[PORT]/') });
    const model = createAnthropicModel({
      apiKey: TEST_API_KEY,
      baseUrl: api.baseUrl,
      modelId: 'claude-sonnet-5-5',
      idleTimeoutMs: 5000,
    });
    await trace('turn', { turn: 1 }, () =>
      model.complete({
        system: ['You are asked.'],
        tools: [],
        messages: [{ role: 'user', text: 'the question' }],
        toolChoice: 'none',
        maxOutputTokens: 100,
        timeoutMs: 30_000,
        signal: new AbortController().signal,
      }),
    );
    await tracing?.stop(GRACE_MS);
    expect(spanTree(receiver.spans)).toEqual(['turn', '  anthropic.messages.create']);
    expect(spanOf('anthropic.messages.create')).toMatchObject({
      kind: 3,
      attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'claude-sonnet-5-5' },
    });
    expect(receiver.text()).not.toMatch(/the question|the answer of the model|You are asked|sk-ant-test-key/);
    expect(receiver.text()).toContain('[PORT]/v1/messages');
    expect(api.requests[0]?.headers).not.toHaveProperty('traceparent');
  } finally {
    await api.close();
  }
});

describe('a collector that is not there', () => {
  test.each(['away', 'refusing'])('%s: work goes on, the loss is told, and the stop settles', async (how) => {
    let lost = 0;
    const refusing = how === 'refusing' ? await startOtlpReceiver(400) : undefined;
    const url = refusing?.url ?? `http://127.0.0.1:${await freePort()}/v1/traces`;
    const { trace } = start({ url, onLost: () => (lost += 1) });
    expect(await trace('turn', { turn: 1 }, () => Promise.resolve('done'))).toBe('done');
    await tracing?.stop(GRACE_MS);
    await refusing?.stop();
    expect(lost).toBe(1);
  });
});

test('without tracing work runs as it is', async () => {
  expect(await noTracing('turn', {}, async (describe) => (describe({ turn: 1 }), 'done'))).toBe('done');
});
