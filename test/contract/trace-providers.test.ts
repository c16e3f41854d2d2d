import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { SpanQuery, TelemetryProvider } from '../../src/domain/provider.ts';
import { createJaegerProvider } from '../../src/providers/jaeger/index.ts';
import { createTempoProvider } from '../../src/providers/tempo/index.ts';
import { incidentOf } from '../support/incidents.ts';
import { startJaegerImitation } from '../support/trace-servers/jaeger-imitation.ts';
import { describeIfJaeger, startJaeger } from '../support/trace-servers/real-jaeger.ts';
import { startTempoImitation } from '../support/trace-servers/tempo-imitation.ts';
import { newId, requestAlong, type TestSpan } from '../support/trace-servers/test-spans.ts';
import type { TraceTestServer } from '../support/trace-servers/trace-test-server.ts';

/** A provider of traces with the server it asks. */
interface Subject {
  readonly name: string;
  readonly suite: (name: string, body: () => void) => void;
  readonly start: () => Promise<TraceTestServer>;
  readonly create: (url: string) => TelemetryProvider;
}

const access = { timeoutMs: 20_000, maxResponseBytes: 33_554_432, maxTraces: 120 };
const jaeger = (url: string) => createJaegerProvider({ ...access, url });
const tempo = (url: string) => createTempoProvider({ ...access, url });
const suiteOfJaeger = await describeIfJaeger();
const subjects: readonly Subject[] = [
  { name: 'an imitation of Jaeger', suite: describe, start: startJaegerImitation, create: jaeger },
  ...(['memory', 'badger'] as const).map((storage) => ({
    name: `Jaeger itself, stored in ${storage}`,
    suite: suiteOfJaeger,
    start: () => startJaeger(storage),
    create: jaeger,
  })),
  { name: 'an imitation of Tempo', suite: describe, start: startTempoImitation, create: tempo },
  {
    name: 'an imitation of an old Tempo',
    suite: describe,
    start: () => startTempoImitation({ isOld: true }),
    create: tempo,
  },
];

const startsAtMs = Date.parse('2026-03-02T10:00:00Z');
const MINUTE = 60_000;
const at = (minutes: number) => startsAtMs + minutes * MINUTE;
const NAME_WITH_ALL = 'POST /"quote" \\ back`tick` {id} ü 漢 😀 %2F &a=b';
const SMUGGLER = 'shop" } || { name != "';

/** What each server holds: a quarter of an hour of calm traffic, then failures and slow calls; and what is awkward. */
function fixture() {
  const calm = Array.from({ length: 30 }, (_, i) =>
    requestAlong({ startMs: at(-40) + i * MINUTE, durationMs: 40 + i }),
  );
  const failing = Array.from({ length: 6 }, (_, i) =>
    requestAlong({ startMs: at(-3) + i * 20_000, durationMs: 60, failed: true }),
  );
  const slow = requestAlong({ startMs: at(1), durationMs: 5000 });
  const awkward = requestAlong({ startMs: at(2), operation: NAME_WITH_ALL });
  const smuggler = requestAlong({ startMs: at(2.5), path: [SMUGGLER] });
  const shop = requestAlong({ startMs: at(2.6), path: ['shop'] });
  const long = manyChildren(1500);
  const deep = requestAlong({
    startMs: at(4),
    durationMs: 5000,
    path: Array.from({ length: 300 }, (_, i) => `layer-${i % 3}`),
  });
  const early = hangsInto();
  const oldId = requestAlong({ startMs: at(5), path: ['legacy'] }).map((span) => ({
    ...span,
    traceId: `${'0'.repeat(18)}c0ffee12345678`,
  }));
  return { calm, failing, slow, awkward, smuggler, shop, long, deep, early, oldId };
}

function manyChildren(count: number): readonly TestSpan[] {
  const [root] = requestAlong({ startMs: at(3), durationMs: 20_000, path: ['batch'] });
  if (!root) throw new Error('no root');
  const children = Array.from({ length: count }, (_, i) => ({
    ...root,
    spanId: newId(8),
    parentId: root.spanId,
    name: `item ${i % 7}`,
    startUs: root.startUs + i * 1000,
    durationUs: 900,
  }));
  return [root, ...children];
}

/** A trace that begins 30 s before minute 6 and whose callee begins after it. */
function hangsInto(): readonly TestSpan[] {
  const [front, client, back] = requestAlong({ startMs: at(6) - 30_000, durationMs: 60_000, path: ['front', 'back'] });
  if (!front || !client || !back) throw new Error('too short');
  return [front, client, { ...back, startUs: at(6) * 1000 + 5_000_000, durationUs: 10_000_000 }];
}

for (const subject of subjects) {
  subject.suite(`the same traces are told by ${subject.name}`, () => {
    const traces = fixture();
    let server: TraceTestServer;
    let provider: TelemetryProvider;
    beforeAll(async () => {
      server = await subject.start();
      provider = subject.create(server.url);
      const { calm, failing, ...others } = traces;
      for (const trace of [...calm, ...failing, ...Object.values(others)]) await server.load(trace);
    });
    afterAll(() => server.stop());

    const ask = async (query: Partial<SpanQuery>, signal = new AbortController().signal) => {
      const window = { fromMs: at(-60), toMs: at(60), limit: 20_000 };
      const answer = await provider.querySpans?.({ ...window, ...query }, signal);
      if (!answer) throw new Error('it answers no queries');
      return answer;
    };
    const idsOf = async (query: Partial<SpanQuery>) => new Set((await ask(query)).items.map(({ spanId }) => spanId));
    const idsIn = (...some: readonly (readonly TestSpan[])[]) => new Set(some.flat().map(({ spanId }) => spanId));

    test('a span comes back as it was sent', async () => {
      const [root] = traces.slow;
      const { items } = await ask({ service: 'web', fromMs: at(0.9), toMs: at(1.1) });
      expect(items[0]).toEqual({
        timeUs: root?.startUs,
        traceId: root?.traceId,
        spanId: root?.spanId,
        parentId: '',
        service: 'web',
        operation: 'POST /pay',
        durationUs: 5_000_000,
      });
      expect(items[1]?.parentId).toBe(root?.spanId);
    });

    test('traces come whole, with the services that were not asked for', async () => {
      expect(await idsOf({ service: 'payments', fromMs: at(0.9), toMs: at(1.1) })).toEqual(idsIn(traces.slow));
    });

    test('only failed ones', async () => {
      const { items } = await ask({ service: 'checkout', errorsOnly: true });
      expect(new Set(items.map(({ spanId }) => spanId))).toEqual(idsIn(...traces.failing));
      expect(items.every(({ error }) => error)).toBe(true);
    });

    test('only those that took so long, to the microsecond', async () => {
      expect(await idsOf({ service: 'web', minDurationMs: 5000 })).toEqual(idsIn(traces.slow));
      expect(await idsOf({ service: 'web', minDurationMs: 5000.001 })).toEqual(new Set());
    });

    test('an operation with quotes, backslashes and letters of all kinds', async () => {
      expect(await idsOf({ service: 'web', operation: NAME_WITH_ALL })).toEqual(idsIn(traces.awkward));
      expect(await idsOf({ service: 'web', operation: 'post /"quote"*😀*' })).toEqual(idsIn(traces.awkward));
    });

    test('names that would end their quotes reach nothing but what is called so', async () => {
      expect(await idsOf({ service: SMUGGLER })).toEqual(idsIn(traces.smuggler));
      expect(await idsOf({ service: 'shop' })).toEqual(idsIn(traces.shop));
      const nothing = await ask({ service: 'web" || true || "' });
      expect(nothing).toMatchObject({
        items: [],
        note: expect.stringMatching(/no service with traces is called web" .*checkout/),
      });
      expect((await ask({ service: 'web', operation: '" || name != "' })).items).toEqual([]);
    });

    test('the edges of a window belong to it', async () => {
      const [root] = traces.slow;
      const startMs = (root?.startUs ?? 0) / 1000;
      expect(await idsOf({ service: 'web', fromMs: startMs, toMs: startMs })).toEqual(idsIn(traces.slow));
      expect(await idsOf({ service: 'web', fromMs: startMs - 500, toMs: startMs - 1 })).toEqual(new Set());
      expect(await idsOf({ service: 'web', fromMs: startMs + 5001, toMs: startMs + 5500 })).toEqual(new Set());
    });

    test('a trace that begins before the window comes whole', async () => {
      expect(await idsOf({ service: 'back', fromMs: at(6), toMs: at(7) })).toEqual(idsIn(traces.early));
      expect(await idsOf({ service: 'front', fromMs: at(6), toMs: at(7) })).toEqual(idsIn(traces.early));
    });

    test('a long trace and a deep chain come whole', async () => {
      expect(await idsOf({ service: 'batch' })).toEqual(idsIn(traces.long));
      expect(await idsOf({ service: 'layer-0' })).toEqual(idsIn(traces.deep));
    });

    test('of a trace that is longer than the limit comes its beginning, and that is said', async () => {
      const answer = await ask({ service: 'batch', limit: 10 });
      expect(answer.items.map(({ spanId }) => spanId)).toEqual(traces.long.slice(0, 10).map(({ spanId }) => spanId));
      expect(answer.note).toMatch(/the first 10 spans of the trace/);
    });

    test('one trace by its id, however the id is written', async () => {
      const id = traces.awkward[0]?.traceId ?? '';
      expect(await idsOf({ traceId: id.toUpperCase() })).toEqual(idsIn(traces.awkward));
      for (const written of ['c0ffee12345678', '00c0ffee12345678', `${'0'.repeat(18)}c0ffee12345678`])
        expect(await idsOf({ traceId: written })).toEqual(idsIn(traces.oldId));
      expect(await ask({ traceId: 'ffff' })).toMatchObject({ items: [], note: expect.stringMatching(/has no trace/) });
      expect(await ask({ traceId: '../services' })).toMatchObject({
        items: [],
        note: expect.stringMatching(/hexadecimal/),
      });
    });

    test('services by wildcard and in any case', async () => {
      expect(await idsOf({ service: 'BATC*' })).toEqual(idsIn(traces.long));
    });

    test('without a service all of them are asked', async () => {
      const some = await idsOf({ fromMs: at(2.4), toMs: at(2.9) });
      expect(some).toEqual(idsIn(traces.smuggler, traces.shop));
    });

    test('gathers the failures, a fault-free stretch and who calls whom', async () => {
      const incident = incidentOf({ alertname: 'ErrorRate', service: 'checkout' }, { startsAtMs });
      const reference = { fromMs: at(-45), toMs: at(-10) };
      const window = { fromMs: at(-45), toMs: at(5), reference };
      const gathered = await provider.gather(incident, window, new AbortController().signal);
      const failed = gathered.spans.filter(({ error }) => error);
      expect(new Set(failed.map(({ spanId }) => spanId))).toEqual(idsIn(...traces.failing));
      expect(gathered.reference.spans.length).toBeGreaterThan(50);
      expect(gathered.reference.spans.every(({ timeUs }) => timeUs < reference.toMs * 1000)).toBe(true);
      expect(gathered.spans.every(({ timeUs }) => timeUs >= reference.toMs * 1000)).toBe(true);
      expect(gathered.topology.edges).toEqual(
        expect.arrayContaining([
          { from: 'checkout', to: 'payments' },
          { from: 'web', to: 'checkout' },
        ]),
      );
      expect(gathered.rawCharacters).toBeGreaterThan(1000);
    });

    test('the same question has the same answer', async () => {
      expect(await ask({ service: 'checkout' })).toEqual(await ask({ service: 'checkout' }));
    });
  });
}
