import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  createPrometheusProvider,
  loadQueryMap,
  type PrometheusOptions,
} from '../../src/providers/prometheus/index.ts';
import { incidentOf } from '../support/incidents.ts';
import type { AskedOfServer } from '../support/http-imitation.ts';
import { startPrometheusImitation, type PrometheusImitation, type PrometheusReply } from '../support/prometheus-api.ts';

const startsAtMs = Date.parse('2026-01-01T10:00:00Z');
const incident = incidentOf({ service: 'cart', namespace: 'shop' }, { startsAtMs });
const window = { fromMs: startsAtMs - 3_600_000, toMs: startsAtMs };
const signal = () => AbortSignal.timeout(30_000);
const queries = loadQueryMap(
  `groups:
  - name: one
    when: { metric: m }
    queries:
      - { metric: m, service: [service], query: 'm{ {{scope}} }' }
      - { metric: n, service: [service], query: 'n{ {{scope}} }' }
`,
  'test',
);

let imitation: PrometheusImitation | undefined;
afterEach(async () => {
  await imitation?.stop();
  imitation = undefined;
});

type Reply = (request: AskedOfServer) => PrometheusReply | undefined;
async function providerOn(reply: Reply, options: Partial<PrometheusOptions> = {}) {
  imitation = await startPrometheusImitation(reply);
  return createPrometheusProvider({
    url: imitation.url,
    timeoutMs: 10_000,
    maxSeries: 100,
    maxResponseBytes: 50_000,
    queries,
    ...options,
  });
}

const isNames = ({ path }: AskedOfServer) => path.startsWith('/api/v1/label/');
const isRange = ({ path }: AskedOfServer) => path === '/api/v1/query_range';
const html = { status: 200, body: '<!doctype html><title>Log in</title>' };

/** A metric `m` and `n` that there are, and a way to answer for their values. */
const withValues =
  (answer: Reply): Reply =>
  (request) =>
    isNames(request) ? { data: ['m'] } : isRange(request) ? answer(request) : undefined;
const matrix = (values: readonly unknown[]) => ({
  data: { resultType: 'matrix', result: [{ metric: { service: 'cart' }, values }] },
});

describe('a server that cannot be used at all', () => {
  test.each([
    [
      '401',
      { status: 401, body: 'Unauthorized' },
      /Access was refused \(HTTP 401\)\. Set PROMETHEUS_BEARER_TOKEN or PROMETHEUS_BASIC_AUTH/,
    ],
    ['403', { status: 403, body: 'no org id' }, /HTTP 403.*PROMETHEUS_HEADERS/],
    ['an HTML page', html, /not a Prometheus API \(HTTP 200 with an HTML page\)\. Check PROMETHEUS_URL/],
    ['404', { status: 404, body: '404 page not found' }, /not a Prometheus API \(HTTP 404.*Check PROMETHEUS_URL/],
    ['other JSON', { status: 200, body: '{"hello": 1}' }, /not a Prometheus API/],
    [
      'a redirect',
      { status: 302, body: '', headers: { location: 'https://login.example/' } },
      /redirects to https:\/\/login\.example\/\. Set PROMETHEUS_URL/,
    ],
  ])('%s: gathering throws, the check fails, both with what to do', async (_, reply, expected) => {
    const provider = await providerOn(() => reply);
    await expect(provider.gather(incident, window, signal())).rejects.toThrow(expected);
    const check = await provider.check(signal());
    expect(check.status).toBe('fail');
    expect(`${check.value} ${check.remedy}`).toMatch(expected);
  });

  test.each(['127.0.0.1', 'localhost'])('a closed port of %s, which is written as it was', async (host) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const provider = await providerOn(() => undefined, { url: `http://${host}:${port}` });
    const expected = new RegExp(`${host}:${port} cannot be reached: ECONNREFUSED\\. Check PROMETHEUS_URL`);
    await expect(provider.gather(incident, window, signal())).rejects.toThrow(expected);
  });

  test('a server that never answers ends at the deadline of one request', async () => {
    const provider = await providerOn(() => 'hang', { timeoutMs: 50 });
    await expect(provider.gather(incident, window, signal())).rejects.toThrow(
      /did not answer within 50 ms\. Raise PROMETHEUS_TIMEOUT_MS/,
    );
  });
});

describe('a query that fails', () => {
  const gapsFor = async (answer: Reply, options?: Partial<PrometheusOptions>) => {
    const provider = await providerOn(withValues(answer), options);
    const { gaps } = await provider.gather(incident, window, signal());
    return gaps.map((gap) => gap.message);
  };

  test('422: the gap holds the reason, the query and the window, once for all that failed alike', async () => {
    const body = JSON.stringify({
      status: 'error',
      errorType: 'execution',
      error: 'query processing would load too many samples',
    });
    expect(await gapsFor(() => ({ status: 422, body }))).toEqual(
      ['execution: query processing would load too many samples (HTTP 422). Correct the query.'].map((reason) =>
        expect.stringContaining(
          `2 queries failed in the same way. The first: ${reason} Asked: m{ namespace="shop" } from 2026-01-01T09:00:00.000Z to 2026-01-01T10:00:00.000Z.`,
        ),
      ),
    );
  });

  test('one of two: the other is read', async () => {
    const provider = await providerOn(
      withValues(({ params }) =>
        params.get('query')?.startsWith('n') ? { status: 503, body: 'busy' } : matrix([[1, '1']]),
      ),
    );
    const { series, gaps } = await provider.gather(incident, window, signal());
    expect(series.map((one) => one.metric)).toEqual(['m']);
    expect(gaps[0]?.message).toMatch(/^a query failed\. The server failed \(HTTP 503\)/);
  });

  test('an answer over the byte cap', async () => {
    const huge = matrix(Array.from({ length: 10_000 }, (_, i) => [i, '1']));
    expect(await gapsFor(() => huge)).toEqual([
      expect.stringMatching(/larger than 50000 bytes\. Raise PROMETHEUS_MAX_RESPONSE_BYTES/),
    ]);
  });

  test('an answer of another shape', async () => {
    expect(await gapsFor(() => ({ data: { resultType: 'scalar', result: [1, '2'] } }))).toEqual([
      expect.stringMatching(/unexpected shape/),
    ]);
  });

  test('a server that times out on everything is not asked for ever', async () => {
    const many = loadQueryMap(
      `groups: [{ name: g, when: { metric: m }, queries: [${'{ metric: m, service: [service], query: m },'.repeat(30)}] }]`,
      'test',
    );
    // The names of the metrics have to come within the same time.
    const gaps = await gapsFor(() => 'hang', { timeoutMs: 1500, queries: many });
    expect(gaps).toEqual([
      expect.stringMatching(/^\d queries failed in the same way\. .*did not answer within/),
      expect.stringMatching(/^2\d queries were not asked after 4 timeouts\.$/),
    ]);
  });
});

describe('more series than the cap', () => {
  const crowd = {
    data: {
      resultType: 'matrix',
      result: [...'hgfedcba'.split(''), 'cart'].map((service) => ({ metric: { service }, values: [[1, '1']] })),
    },
  };

  test("keeps the alerting service's and some of every query, and says so", async () => {
    const provider = await providerOn(
      withValues(() => crowd),
      { maxSeries: 6 },
    );
    const { series, gaps } = await provider.gather(incident, window, signal());
    expect(series.map((one) => `${one.service}/${one.metric}`)).toEqual([
      'a/m',
      'b/m',
      'cart/m',
      'a/n',
      'b/n',
      'cart/n',
    ]);
    expect(gaps.map((gap) => gap.message)).toEqual([expect.stringContaining('kept 6 of 18 series')]);
  });

  test('stops asking when far too many have come', async () => {
    const text = `groups: [{ name: g, when: { metric: m }, queries: [${'{ metric: m, service: [service], query: m },'.repeat(20)}] }]`;
    const provider = await providerOn(
      withValues(() => crowd),
      { maxSeries: 5, queries: loadQueryMap(text, 'test') },
    );
    const { gaps } = await provider.gather(incident, window, signal());
    expect(gaps[0]?.message).toMatch(/^1\d of 20 queries were not asked, since \d+ series had come already\.$/);
  });
});

describe('an answer that is not whole', () => {
  test('samples that are no numbers are dropped and counted', async () => {
    const provider = await providerOn(
      withValues(() => matrix([[1, 'NaN'], [2, '+Inf'], [3, '-Inf'], [4, '4'], 'x', [null, '1']])),
    );
    const { series, gaps } = await provider.gather(incident, window, signal());
    expect(series.map((one) => [...one.values])).toEqual([[4], [4]]);
    expect(gaps.map((gap) => gap.message)).toEqual(['10 samples were not finite numbers (NaN, Inf) and were dropped.']);
  });

  test("Thanos' warnings and VictoriaMetrics' partial flag are gaps, each once", async () => {
    const thanos = { ...matrix([[1, '1']]), warnings: ['No StoreAPIs matched for this query'] };
    const victoria = { ...matrix([[1, '1']]), isPartial: true };
    const provider = await providerOn(
      withValues(({ params }) => (params.get('query')?.startsWith('m') ? thanos : victoria)),
    );
    const { gaps } = await provider.gather(incident, window, signal());
    expect(gaps.map((gap) => gap.message)).toEqual([
      'No StoreAPIs matched for this query',
      'the answer is partial: some storage nodes did not answer',
    ]);
  });

  test('series that name no service are counted', async () => {
    const provider = await providerOn(
      withValues(() => ({ data: { resultType: 'matrix', result: [{ metric: {}, values: [[1, '1']] }] } })),
    );
    const { gaps } = await provider.gather(incident, window, signal());
    expect(gaps.map((gap) => gap.message)).toEqual(['2 series name no service and were left out.']);
  });

  test('a server that answers everything and has nothing for this alert says for what it was asked', async () => {
    const provider = await providerOn(withValues(() => ({ data: { resultType: 'matrix', result: [] } })));
    const { gaps } = await provider.gather(incident, window, signal());
    expect(gaps.map((gap) => gap.message)).toEqual([
      '2 queries for metrics were answered, none had data for service=cart, namespace=shop: compare its labels, or set QUERIES_FILE.',
    ]);
  });

  test('a server without any of the metrics says so and asks no values', async () => {
    const provider = await providerOn(() => undefined);
    const { gaps } = await provider.gather(incident, window, signal());
    expect(gaps.map((gap) => gap.message)).toEqual([
      expect.stringMatching(/none of the metrics in the query map exists/),
    ]);
    expect(imitation?.asked.filter(isRange)).toEqual([]);
  });
});

describe('how it asks', () => {
  test('with the credentials and headers given, and a path in the URL (Mimir)', async () => {
    const answer: Reply = ({ path }) =>
      path === '/prometheus/api/v1/query' ? { data: { resultType: 'vector', result: [] } } : { data: [] };
    await providerOn(answer);
    const url = `${imitation?.url}/prometheus`;
    const provider = createPrometheusProvider({
      url,
      bearerToken: 'secret',
      headers: { 'x-scope-orgid': 'tenant' },
      timeoutMs: 10_000,
      maxSeries: 10,
      maxResponseBytes: 10_000,
      queries,
    });
    await provider.gather(incident, window, signal());
    for (const { path, headers } of imitation?.asked ?? []) {
      expect(path).toMatch(/^\/prometheus\/api\/v1\//);
      expect(headers).toMatchObject({ authorization: 'Bearer secret', 'x-scope-orgid': 'tenant' });
    }
  });

  test('with POST, and with GET from the first refusal on', async () => {
    const provider = await providerOn((request) =>
      request.method === 'POST'
        ? { status: 405, body: 'Method Not Allowed' }
        : withValues(() => matrix([[1, '1']]))(request),
    );
    expect((await provider.gather(incident, window, signal())).series).toHaveLength(2);
    expect(imitation?.asked.map((request) => request.method).filter((method) => method === 'POST')).toHaveLength(1);
  });

  test('never for more points than its cap, whatever the window', async () => {
    const provider = await providerOn(() => undefined);
    const result = await provider.queryMetrics?.({ query: 'up', fromMs: 0, toMs: startsAtMs }, signal());
    expect(result).toEqual({
      items: [],
      note: 'the window was cut to its last 7 days; no series matches in this window',
    });
  });

  test('the check warns when there is nothing to see', async () => {
    const provider = await providerOn(() => undefined);
    expect(await provider.check(signal())).toMatchObject({ status: 'warn', value: 'Prometheus 2.42.0, 0 targets up' });
  });

  test('secrets of the URL are in no link', async () => {
    await providerOn(withValues(() => matrix([[1, '1']])));
    const url = (imitation?.url ?? '').replace('//', '//user:hunter2@');
    const limits = { timeoutMs: 10_000, maxSeries: 10, maxResponseBytes: 50_000 };
    const { series } = await createPrometheusProvider({ url, ...limits, queries }).gather(incident, window, signal());
    expect(JSON.stringify(series)).not.toContain('hunter2');
    expect(imitation?.asked[0]?.headers.authorization).toBe(`Basic ${Buffer.from('user:hunter2').toString('base64')}`);
  });
});

test('the server is told to give up when nobody waits any more', async () => {
  const provider = await providerOn(() => undefined, { timeoutMs: 2500 });
  await provider.queryMetrics?.({ query: '{__name__=~".+"}', ...window }, signal());
  expect(imitation?.asked.map(({ params }) => params.get('timeout'))).toEqual(['3s']);
});
