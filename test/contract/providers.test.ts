import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { ProviderError, type QueryResult, type TelemetryProvider, type TimeWindow } from '../../src/domain/provider.ts';
import type { ClusterEvent, Telemetry } from '../../src/domain/telemetry.ts';
import { createJaegerProvider } from '../../src/providers/jaeger/index.ts';
import { createPrometheusProvider, loadQueryMap } from '../../src/providers/prometheus/index.ts';
import { createRecordingProvider } from '../../src/providers/recording/index.ts';
import { createTempoProvider } from '../../src/providers/tempo/index.ts';
import { createTopologyFileProvider } from '../../src/providers/topology-file.ts';
import { incidentOf } from '../support/incidents.ts';
import { startElasticsearchImitation } from '../support/log-servers/elasticsearch-imitation.ts';
import { SMALL } from '../support/log-servers/fixture.ts';
import type { HttpImitation } from '../support/http-imitation.ts';
import { startLokiImitation } from '../support/log-servers/loki-imitation.ts';
import { providers as logProviders } from '../support/log-servers/providers.ts';
import { startVictoriaLogsImitation } from '../support/log-servers/victorialogs-imitation.ts';
import type { WrittenLine } from '../support/log-servers/written-lines.ts';
import { startJaegerImitation } from '../support/trace-servers/jaeger-imitation.ts';
import { startTempoImitation } from '../support/trace-servers/tempo-imitation.ts';
import { requestAlong } from '../support/trace-servers/test-spans.ts';
import type { TraceImitation } from '../support/trace-servers/trace-test-server.ts';
import { startKubernetesImitation, type ImitationOptions } from '../support/kubernetes/api-server.ts';
import { eventOf, manyPods, objectOf, podOf, templateOf } from '../support/kubernetes/objects.ts';
import { kubernetesProvider } from '../support/kubernetes/provider.ts';
import type { AskedOfServer } from '../support/http-imitation.ts';
import { startPrometheusImitation, type PrometheusReply } from '../support/prometheus-api.ts';

const startsAtMs = Date.parse('2026-01-01T10:00:00Z');
const incident = incidentOf({ alertname: 'A', service: 'checkout' }, { startsAtMs });
const window = { fromMs: startsAtMs - 3_600_000, toMs: startsAtMs + 60_000 };

/** One provider of the family in the states that the rules are about. Each start registers what has to be stopped. */
interface Subject {
  readonly name: string;
  readonly working: (stop: Cleanups) => Promise<TelemetryProvider>;
  /** Nothing can be read from it. */
  readonly dead: (stop: Cleanups) => Promise<TelemetryProvider>;
  /** Answers so slowly that only the signal ends the wait; undefined where that cannot be. */
  readonly slow?: (stop: Cleanups) => Promise<TelemetryProvider>;
  /** Holds more than a cap lets through, and what the gap says. */
  readonly capped?: { readonly start: (stop: Cleanups) => Promise<TelemetryProvider>; readonly says: RegExp };
}
type Cleanups = (() => Promise<unknown>)[];

const queries = loadQueryMap(
  `groups:
  - name: all
    when: { metric: m }
    queries: [{ metric: m, service: [service], query: 'm{ {{scope}} }' }]
`,
  'test',
);

async function prometheusThat(
  reply: (request: AskedOfServer) => PrometheusReply | undefined,
  stop: Cleanups,
): Promise<TelemetryProvider> {
  const imitation = await startPrometheusImitation(reply);
  stop.push(() => imitation.stop());
  return createPrometheusProvider({
    url: imitation.url,
    timeoutMs: 20_000,
    maxSeries: 3,
    maxResponseBytes: 100_000,
    queries,
  });
}

const NAMES = { data: ['m'] };
function manySeries({ path }: AskedOfServer): PrometheusReply | undefined {
  if (path.startsWith('/api/v1/label/')) return NAMES;
  if (path !== '/api/v1/query_range') return undefined;
  const services = ['d', 'a', 'c', 'b', 'checkout'];
  const result = services.map((service) => ({ metric: { service }, values: [[startsAtMs / 1000, '1']] }));
  return { data: { resultType: 'matrix', result } };
}

async function kubernetesThat(
  options: ImitationOptions,
  stop: Cleanups,
  maxObjects = 1000,
): Promise<TelemetryProvider> {
  const imitation = await startKubernetesImitation(options);
  stop.push(() => imitation.stop());
  return kubernetesProvider(imitation, { maxObjects, logs: { which: 'all', mostPods: 5, mostLines: 100 } });
}

/** A deployment that was rolled out, its pod, two events and two lines. */
function smallCluster(): ImitationOptions {
  const owner = { kind: 'Deployment', name: 'checkout' };
  const set = (name: string, createdAt: string, image: string) =>
    objectOf(
      'apps/v1',
      'ReplicaSet',
      { name, namespace: 'shop', createdAt, owner },
      { spec: { replicas: 1, template: templateOf({ image }) } },
    );
  const event = (name: string, at: string) => eventOf({ name, reason: 'BackOff', object: 'Pod/checkout-c-1', at });
  return {
    objects: [
      podOf({ name: 'checkout-c-1', owner: { kind: 'ReplicaSet', name: 'checkout-c' } }),
      objectOf('apps/v1', 'Deployment', { name: 'checkout', namespace: 'shop' }),
      set('checkout-a', '2026-01-01T08:00:00Z', 'checkout:1'),
      set('checkout-b', '2026-01-01T09:30:00Z', 'checkout:2'),
      set('checkout-c', '2026-01-01T09:55:00Z', 'checkout:3'),
      event('one', '2026-01-01T09:56:00Z'),
      event('two', '2026-01-01T09:58:00Z'),
    ],
    logs: {
      'shop/checkout-c-1/app': {
        current: [
          { timeMs: startsAtMs - 120_000, text: 'starting' },
          { timeMs: startsAtMs - 60_000, text: 'error: no configuration' },
        ],
      },
    },
  };
}

async function folder(stop: Cleanups, files: Readonly<Record<string, string>>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'rn-contract-'));
  stop.push(() => rm(dir, { recursive: true }));
  await mkdir(join(dir, 'case'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, 'case', name), text);
  return join(dir, 'case');
}

type Create = (options: Parameters<typeof createJaegerProvider>[0]) => TelemetryProvider;

/** A provider of traces over an imitation that holds so many. */
function tracesSubject(name: string, start: () => Promise<TraceImitation>, create: Create): Subject {
  const startWith = async (stop: Cleanups, count: number) => {
    const server = await start();
    stop.push(() => server.stop());
    for (let i = 0; i < count; i += 1) await server.load(requestAlong({ startMs: startsAtMs - i * 1000 }));
    const options = { url: server.url, timeoutMs: 20_000, maxResponseBytes: 10_000_000, maxTraces: 20 };
    return { server, provider: create(options) };
  };
  return {
    name,
    working: async (stop) => (await startWith(stop, 3)).provider,
    dead: async (stop) => {
      const { provider } = await startWith(stop, 0);
      await stop.pop()?.();
      return provider;
    },
    slow: async (stop) => {
      const { server, provider } = await startWith(stop, 0);
      server.force(() => 'hang');
      return provider;
    },
    capped: {
      start: async (stop) => (await startWith(stop, 40)).provider,
      says: /a part of the traces of checkout was read: of each of \d+ stretches of time at most/,
    },
  };
}

const manyLines: readonly WrittenLine[] = Array.from({ length: 2000 }, (_, place) => ({
  timeNs: BigInt(window.fromMs + place * 1800) * 1_000_000n,
  service: 'checkout',
  message: `GET /items/${place}`,
}));

function logsSubject(
  name: keyof typeof logProviders,
  startWith: (lines: readonly WrittenLine[]) => Promise<HttpImitation>,
): Subject {
  const start = async (stop: Cleanups, lines: readonly WrittenLine[], maxLines = 1000) => {
    const server = await startWith(lines);
    stop.push(() => server.stop());
    return { server, provider: logProviders[name]({ url: server.url, maxLines }) };
  };
  return {
    name,
    working: async (stop) => (await start(stop, SMALL)).provider,
    dead: async (stop) => {
      const { provider } = await start(stop, SMALL);
      await stop.pop()?.();
      return provider;
    },
    slow: async (stop) => {
      const { server, provider } = await start(stop, SMALL);
      server.force(() => 'hang');
      return provider;
    },
    capped: {
      start: async (stop) => (await start(stop, manyLines, 200)).provider,
      says: /kept \d+.* lines, evenly spread over services and time.*LOGS_MAX_LINES/,
    },
  };
}

const subjects: readonly Subject[] = [
  logsSubject('loki', startLokiImitation),
  logsSubject('elasticsearch', startElasticsearchImitation),
  logsSubject('victorialogs', startVictoriaLogsImitation),
  tracesSubject('tempo', startTempoImitation, createTempoProvider),
  tracesSubject('jaeger', startJaegerImitation, createJaegerProvider),
  {
    name: 'recording',
    working: () => Promise.resolve(createRecordingProvider('test/fixtures/recordings/payments-pool')),
    dead: () => Promise.resolve(createRecordingProvider('test/fixtures/recordings/none')),
    capped: {
      start: async (stop) =>
        createRecordingProvider(await folder(stop, { 'changes.jsonl': '{"summary":"x"}\n'.repeat(20_001) })),
      says: /changes\.jsonl: read 20000 of 20001 lines/,
    },
  },
  {
    name: 'prometheus',
    working: (stop) => prometheusThat(manySeries, stop),
    dead: async (stop) => {
      const provider = await prometheusThat(() => undefined, stop);
      await stop.pop()?.();
      return provider;
    },
    slow: (stop) => prometheusThat(() => 'hang', stop),
    capped: {
      start: (stop) => prometheusThat(manySeries, stop),
      says: /kept 3 of 5 series; raise PROMETHEUS_MAX_SERIES/,
    },
  },
  {
    name: 'kubernetes',
    working: (stop) => kubernetesThat(smallCluster(), stop),
    dead: async (stop) => {
      const provider = await kubernetesThat({}, stop);
      await stop.pop()?.();
      return provider;
    },
    slow: (stop) => kubernetesThat({ reply: () => 'hang' }, stop),
    capped: {
      start: (stop) => kubernetesThat({ objects: manyPods(60) }, stop, 100),
      says: /kept 50 of 60 pods in all namespaces/,
    },
  },
  {
    name: 'topology',
    working: async (stop) => {
      const dir = await folder(stop, { 'topology.json': '{"edges": [{"from": "a", "to": "b"}]}' });
      return createTopologyFileProvider(join(dir, 'topology.json'));
    },
    // A file that cannot be read ends the program at its start; later it is in memory.
    dead: async (stop) => {
      const dir = await folder(stop, { 'topology.json': '{"edges": []}' });
      return createTopologyFileProvider(join(dir, 'topology.json'));
    },
  },
];

const cleanups: Cleanups = [];
afterEach(async () => {
  for (const stop of cleanups.splice(0).reverse()) await stop();
});
const unbounded = () => new AbortController().signal;

describe.each(subjects)('provider $name keeps the rules of all providers', (subject) => {
  test('carries its name', async () => {
    expect((await subject.working(cleanups)).name).toBe(subject.name);
  });

  test('gives the same data in the same order', async () => {
    const provider = await subject.working(cleanups);
    const [first, second] = [
      await provider.gather(incident, window, unbounded()),
      await provider.gather(incident, window, unbounded()),
    ];
    expect(second).toEqual(first);
    expectWellFormed(first);
  });

  test('the check of a working one shows what it saw', async () => {
    const result = await (await subject.working(cleanups)).check(unbounded());
    expect(result.status === 'ok' || result.remedy).toBeTruthy();
    expect(result).toMatchObject({ name: subject.name, value: expect.stringMatching(/\d/) });
  });

  test('a dead one gives gaps or a ProviderError, never another error', async () => {
    const provider = await subject.dead(cleanups);
    try {
      expectWellFormed(await provider.gather(incident, window, unbounded()));
    } catch (error) {
      expect(error).toBeInstanceOf(ProviderError);
      expect((error as ProviderError).provider).toBe(subject.name);
    }
  });

  test('the check of a dead one does not throw and says what to do', async () => {
    const result = await (await subject.dead(cleanups)).check(unbounded());
    expect(['warn', 'fail']).toContain(result.status);
    expect(result.remedy).toBeTruthy();
  });

  test('an aborted signal ends the gathering', async () => {
    const provider = await (subject.slow ?? subject.working)(cleanups);
    const controller = new AbortController();
    const gathering = provider.gather(incident, window, controller.signal);
    controller.abort();
    await gathering.catch((error: unknown) => expect(error).toBeInstanceOf(Error));
  });

  test('an aborted signal ends the check, without an error', async () => {
    const provider = await (subject.slow ?? subject.working)(cleanups);
    const controller = new AbortController();
    const checking = provider.check(controller.signal);
    controller.abort();
    await expect(checking).resolves.toMatchObject({ name: subject.name });
  });

  test('metric queries come with the help for writing them', async () => {
    const provider = await subject.working(cleanups);
    expect('queryMetrics' in provider).toBe(Boolean(provider.metricQueryHelp));
  });

  test('what a cap cut is stated', async () => {
    if (!subject.capped) return;
    const { gaps } = await (await subject.capped.start(cleanups)).gather(incident, window, unbounded());
    expect(gaps.map((gap) => gap.message)).toContainEqual(expect.stringMatching(subject.capped.says));
  });
});

/** One kind of query that a provider may offer, and when what it gives happened. Objects have no window. */
interface QueryKind {
  readonly method: 'queryLogs' | 'queryEvents' | 'queryObjects' | 'queryChanges' | 'querySpans';
  readonly ask: (provider: TelemetryProvider, window: TimeWindow, limit: number, signal: AbortSignal) => Asked;
  readonly spanOf?: (item: never) => TimeWindow;
}
type Asked = Promise<QueryResult<unknown>> | undefined;
const moment = ({ timeMs }: { readonly timeMs: number }): TimeWindow => ({ fromMs: timeMs, toMs: timeMs });

const queryKinds: readonly QueryKind[] = [
  { method: 'queryLogs', ask: (p, span, limit, signal) => p.queryLogs?.({ ...span, limit }, signal), spanOf: moment },
  {
    method: 'queryEvents',
    ask: (p, span, limit, signal) => p.queryEvents?.({ ...span, limit }, signal),
    spanOf: ({ timeMs, firstTimeMs }: ClusterEvent) => ({ fromMs: firstTimeMs ?? timeMs, toMs: timeMs }),
  },
  { method: 'queryObjects', ask: (p, _span, limit, signal) => p.queryObjects?.({ limit }, signal) },
  {
    method: 'queryChanges',
    ask: (p, span, limit, signal) => p.queryChanges?.({ ...span, limit }, signal),
    spanOf: moment,
  },
  { method: 'querySpans', ask: (p, span, limit, signal) => p.querySpans?.({ ...span, limit }, signal) },
];
const always = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

describe.each(subjects)('provider $name answers queries by the rules', (subject) => {
  test.each(queryKinds)(
    '$method: the same answer to the same question, and nothing for a time without anything',
    async ({ ask, spanOf }) => {
      const provider = await subject.working(cleanups);
      const all = await ask(provider, always, 10_000, unbounded());
      if (!all) return;
      expect(all.items.length).toBeGreaterThan(0);
      expect(await ask(provider, always, 10_000, unbounded())).toEqual(all);
      if (!spanOf) return;
      const none = await ask(provider, { fromMs: 1, toMs: 2 }, 10_000, unbounded());
      expect(none).toMatchObject({ items: [], note: expect.stringMatching(/\w/) });
    },
  );

  test.each(queryKinds)('$method: only what happened in the window', async ({ ask, spanOf }) => {
    const provider = await subject.working(cleanups);
    const all = await ask(provider, always, 10_000, unbounded());
    if (!all || !spanOf) return;
    const spans = (items: readonly unknown[]) => items.map((item) => spanOf(item as never));
    const [{ fromMs, toMs } = always] = spans(all.items);
    const some = await ask(provider, { fromMs, toMs }, 10_000, unbounded());
    expect(some?.items).toContainEqual(all.items[0]);
    for (const span of spans(some?.items ?? [])) {
      expect(span.fromMs).toBeLessThanOrEqual(toMs);
      expect(span.toMs).toBeGreaterThanOrEqual(fromMs);
    }
  });

  test.each(queryKinds)('$method: at most as many as the limit, and a note of what was cut', async ({ ask }) => {
    const provider = await subject.working(cleanups);
    const all = await ask(provider, always, 10_000, unbounded());
    if (!all) return;
    const one = await ask(provider, always, 1, unbounded());
    expect(one?.items).toHaveLength(1);
    if (all.items.length > 1) expect(one?.note).toMatch(/\d/);
  });

  test.each(queryKinds)('$method: an aborted signal ends it with an error', async ({ ask }) => {
    const provider = await subject.working(cleanups);
    const answer = ask(provider, always, 10_000, AbortSignal.abort(new Error('stop')));
    if (answer) await expect(answer).rejects.toThrow(/stop|cancelled/);
  });
});

function expectWellFormed({ series, gaps }: Telemetry): void {
  for (const { timesMs, values } of series) {
    expect(timesMs.length).toBe(values.length);
    expect([...values].every(Number.isFinite)).toBe(true);
    expect([...timesMs]).toEqual([...timesMs].sort((a, b) => a - b));
  }
  for (const gap of gaps) expect(gap.message.length).toBeGreaterThan(10);
}
