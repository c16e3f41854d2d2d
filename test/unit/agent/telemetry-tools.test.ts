import { describe, expect, test } from '@jest/globals';
import type { ToolUse } from '../../../src/agent/model.ts';
import { Dispatch } from '../../../src/agent/tools/dispatch.ts';
import { createTools } from '../../../src/agent/tools/index.ts';
import { EvidenceBook } from '../../../src/domain/evidence.ts';
import { ProviderError, type TelemetryProvider } from '../../../src/domain/provider.ts';
import { NO_TELEMETRY } from '../../../src/domain/telemetry.ts';
import { createRecordingProvider } from '../../../src/providers/recording/index.ts';
import { caseBrief, caseRedact } from '../../support/agent-case.ts';

const TRIGGER_MS = Date.parse('2026-01-01T10:00:00Z');
const WINDOW = { fromMs: TRIGGER_MS - 3_600_000, toMs: TRIGGER_MS + 600_000 };
const recording = () => createRecordingProvider('test/fixtures/recordings/payments-pool');

/** Calls one tool of an agent with these providers. */
async function call(providers: readonly TelemetryProvider[], name: string, input: object) {
  const book = new EvidenceBook();
  const context = { triggerMs: TRIGGER_MS, window: WINDOW, brief: caseBrief(), book, now: () => TRIGGER_MS + 900_000 };
  const presentation = { triggerMs: TRIGGER_MS, book, redact: caseRedact, nonce: 'f00d' };
  const desk = new Dispatch({ tools: createTools({ providers }, 'alert'), context, presentation });
  const use: ToolUse = { kind: 'tool_use', id: 'u1', name, input };
  const limits = { turn: 1, callsLeft: 9, timeLeftMs: 60_000, signal: new AbortController().signal };
  const { answers, gaps } = await desk.answer([use], limits);
  return { text: answers[0]?.text ?? '', isError: answers[0]?.isError, evidence: book.all(), gaps };
}

/** A provider that answers nothing but what is given, and remembers what it was asked. */
function provider(name: string, part: Partial<TelemetryProvider>): TelemetryProvider {
  return {
    name,
    gather: () => Promise.resolve(NO_TELEMETRY),
    check: () => Promise.resolve({ name, status: 'ok', value: '1' }),
    ...part,
  };
}

describe('query_events', () => {
  test('C5: reaches what lies further from the alert than the brief looks', async () => {
    const { text, evidence } = await call([recording()], 'query_events', { service: 'payments' });
    expect(text).toContain(
      'Searched recording: events {"service":"payments"}, 2026-01-01T09:00:00Z to 2026-01-01T10:10:00Z',
    );
    expect(text).toContain(
      '[E1] Warning Unhealthy on Pod payments-6d5f8c7b9-x2x4z in shop, 60 s before the alert (09:59:00Z)',
    );
    expect(text).toContain(
      '[E2] Normal ScalingReplicaSet on Deployment payments in shop, 7 min before the alert (09:53:00Z)',
    );
    expect(evidence.map(({ kind }) => kind)).toEqual(['event', 'event', 'event']);
  });

  test('filters by object, reason, type and window', async () => {
    const filter = { object: 'pod/*', reason: 'unhealthy', type: 'Warning', from_minutes: -2, to_minutes: 0 };
    expect((await call([recording()], 'query_events', filter)).evidence).toHaveLength(1);
    const none = await call([recording()], 'query_events', { ...filter, from_minutes: -30, to_minutes: -20 });
    expect(none.text).toContain('none of the 3 recorded events matches');
    expect(none.text).toContain('No events found. That is no proof of health');
  });
});

describe('query_state', () => {
  test('shows objects with their state, by kind as people type it', async () => {
    const { text, evidence } = await call([recording()], 'query_state', { kind: 'deploy', service: 'payments' });
    expect(text).toContain('[O1] Deployment payments in shop (notable): 1 of 2 replicas ready');
    expect(evidence[0]).toMatchObject({
      kind: 'state',
      service: 'payments',
      query: 'kubectl -n shop describe deployment payments',
    });
  });

  test('never shows a Secret, whatever a provider returns, and says that it left one out', async () => {
    const secret = { kind: 'Secret', metadata: { name: 'db' }, data: { password: 'aHVudGVyMg==' } };
    const careless = provider('k8s', { queryObjects: () => Promise.resolve({ items: [secret] }) });
    const { text, evidence } = await call([careless], 'query_state', {});
    expect(text).toContain('Objects that hold secrets are never shown: 1 left out.');
    expect(text).not.toContain('aHVudGVyMg');
    expect(evidence).toEqual([]);
  });
});

describe('query_changes', () => {
  test('looks back a day, unless asked otherwise', async () => {
    const asked: unknown[] = [];
    const changes = provider('deploys', {
      queryChanges: (query) => {
        asked.push(query);
        return Promise.resolve({
          items: [{ timeMs: TRIGGER_MS - 60_000, service: 'cart', kind: 'deploy', summary: 'v2' }],
        });
      },
    });
    const { text } = await call([changes], 'query_changes', { service: 'cart' });
    expect(text).toContain('[C1] deploy of cart, 60 s before the alert (09:59:00Z): v2');
    await call([changes], 'query_changes', { from_minutes: -5, to_minutes: 0 });
    expect(asked).toEqual([
      { service: 'cart', fromMs: TRIGGER_MS - 86_400_000, toMs: WINDOW.toMs, limit: 500 },
      { fromMs: TRIGGER_MS - 300_000, toMs: TRIGGER_MS, limit: 500 },
    ]);
  });
});

describe('query_traces', () => {
  test('gives the calls by operation and the most telling traces with their trees', async () => {
    const { text, evidence } = await call([recording()], 'query_traces', { service: 'payments', min_duration_ms: 100 });
    expect(text).toMatch(/\[T1\] \S+ .*: \d+ calls/);
    expect(text).toMatch(/\[T\d+\] trace \w+: web POST \/checkout took/);
    expect(text).toMatch(/Trace \w+, its spans:\n {2}web POST \/checkout/);
    expect(new Set(evidence.map(({ kind }) => kind))).toEqual(new Set(['trace']));
  });

  test('one trace is looked for in the whole day', async () => {
    const asked: unknown[] = [];
    const tracing = provider('tempo', {
      querySpans: (query) => {
        asked.push(query);
        return Promise.resolve({ items: [], note: 'none' });
      },
    });
    await call([tracing], 'query_traces', { trace_id: 'abc' });
    expect(asked).toMatchObject([{ traceId: 'abc', fromMs: TRIGGER_MS - 86_400_000, toMs: WINDOW.toMs }]);
  });
});

describe('telemetry tools over several providers', () => {
  const events = (name: string) =>
    provider(name, { queryEvents: () => Promise.resolve({ items: [], note: `by ${name}` }) });

  test('a tool is there for what some provider answers; the first is asked unless another is named', async () => {
    const providers = [recording(), events('east'), events('west')];
    expect((await call(providers.slice(1), 'query_events', {})).text).toContain('by east');
    expect((await call(providers, 'query_events', { provider: 'west' })).text).toContain('by west');
    const wrong = await call(providers.slice(1), 'query_events', { provider: 'recording' });
    expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining('provider: ') });
    expect(createTools({ providers: [events('east')] }, 'alert').map(({ name }) => name)).toEqual([
      'query_events',
      'list_evidence',
      'get_evidence',
    ]);
  });

  test('B14: sub-agents have all of them', () => {
    expect(createTools({ providers: [recording()] }, 'sub').map(({ name }) => name)).toEqual([
      'query_metrics',
      'query_logs',
      'query_events',
      'query_state',
      'query_changes',
      'query_traces',
      'list_evidence',
      'get_evidence',
    ]);
  });

  test('a dead one is an answer that names the search, and a gap', async () => {
    const dead = provider('k8s', {
      queryObjects: () => Promise.reject(new ProviderError('k8s', 'connection refused')),
    });
    const { text, isError, gaps } = await call([dead], 'query_state', { kind: 'Pod' });
    expect({ text, isError }).toMatchObject({
      isError: true,
      text: expect.stringContaining('k8s: objects {"kind":"Pod"}'),
    });
    expect(gaps).toMatchObject([{ source: 'k8s' }]);
  });
});
