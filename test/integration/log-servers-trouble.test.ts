import { afterEach, describe, expect, test } from '@jest/globals';
import { parseConfig } from '../../src/config/load-config.ts';
import type { TelemetryProvider } from '../../src/domain/provider.ts';
import { createProviders } from '../../src/providers/index.ts';
import { incidentOf } from '../support/incidents.ts';
import { startElasticsearchImitation } from '../support/log-servers/elasticsearch-imitation.ts';
import { LARGE, LARGE_MS, SMALL, SMALL_MS } from '../support/log-servers/fixture.ts';
import { json, text, type AskedOfServer, type HttpImitation } from '../support/http-imitation.ts';
import { startLokiImitation } from '../support/log-servers/loki-imitation.ts';
import { providers, type ProviderOptions } from '../support/log-servers/providers.ts';
import { startVictoriaLogsImitation } from '../support/log-servers/victorialogs-imitation.ts';

/** What servers of logs do in trouble, and what is made of it: nothing of it can be asked of a real one. */

const incident = incidentOf({ service: 'checkout', namespace: 'shop' }, { startsAtMs: SMALL_MS + 20_000 });
const window = { fromMs: SMALL_MS - 60_000, toMs: SMALL_MS + 60_000 };
const signal = () => AbortSignal.timeout(30_000);
const html = { status: 200, body: '<!doctype html><title>Log in</title>' };

const running: HttpImitation[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});
async function run(starting: Promise<HttpImitation>): Promise<HttpImitation> {
  const server = await starting;
  running.push(server);
  return server;
}

const products = [
  {
    name: 'loki',
    prefix: 'LOKI',
    start: () => startLokiImitation(SMALL),
    large: () => startLokiImitation(LARGE),
    isLines: ({ path }: AskedOfServer) => path.endsWith('/query_range'),
    nothing: json({ status: 'success', data: { resultType: 'streams', result: [] } }),
    refusal: text('parse error at line 1, col 3: syntax error', 400),
    says: /parse error at line 1.*HTTP 400.*Asked: \{.*from 2026-01-01T/,
  },
  {
    name: 'victorialogs',
    prefix: 'VICTORIALOGS',
    start: () => startVictoriaLogsImitation(SMALL),
    large: () => startVictoriaLogsImitation(LARGE),
    isLines: ({ path }: AskedOfServer) => path.endsWith('/query'),
    nothing: text('', 200),
    refusal: text('cannot parse `query` arg', 400),
    says: /cannot parse.*HTTP 400.*Asked: _time:\[2026-01-01T/,
  },
  {
    name: 'elasticsearch',
    prefix: 'ELASTICSEARCH',
    start: () => startElasticsearchImitation(SMALL),
    large: () => startElasticsearchImitation(LARGE),
    isLines: ({ body }: AskedOfServer) => body.includes('"sort"'),
    nothing: json({ timed_out: false, _shards: { total: 1, failed: 0 }, hits: { hits: [] } }),
    refusal: json({ error: { reason: 'all shards failed', root_cause: [{ reason: 'No mapping found' }] } }, 400),
    says: /No mapping found.*HTTP 400.*Asked: the last \d+ lines kubernetes\.namespace = shop/,
  },
] as const;

describe.each(products)('$name in trouble', ({ name, prefix, start, large, isLines, nothing, refusal, says }) => {
  const providerOn = ({ url }: HttpImitation, options: Omit<ProviderOptions, 'url'> = {}): TelemetryProvider =>
    providers[name]({ url, ...options });
  const gather = (provider: TelemetryProvider, until = signal()) => provider.gather(incident, window, until);

  test.each([
    ['401', text('Unauthorized', 401), /Access was refused \(HTTP 401\)\. Set [A-Z]+_(API_KEY|BEARER_TOKEN) or/],
    ['403', text('forbidden', 403), /Access was refused \(HTTP 403\).*_HEADERS/],
    ['a page of a login', html, /This is not .*\(HTTP 200 with an HTML page\)\. Check [A-Z]+_URL/],
    ['a page of a gateway', { status: 502, body: '<html>Bad Gateway</html>' }, /The server failed \(HTTP 502\)/],
    ['another product', json({ hello: 1 }), /This is not/],
    [
      'a redirect',
      { status: 302, body: '', headers: { location: 'https://login.example/' } },
      /redirects to https:\/\/login\.example\/\. Set [A-Z]+_URL to the final address if that is .*; else/,
    ],
  ])('%s: gathering throws and the check fails, both with what to do', async (_, reply, expected) => {
    const server = await run(start());
    server.force(() => reply);
    const provider = providerOn(server);
    await expect(gather(provider)).rejects.toThrow(expected);
    const check = await provider.check(signal());
    expect(check).toMatchObject({ name, status: 'fail' });
    expect(`${check.value} ${check.remedy}`).toMatch(expected);
    expect(check.remedy).toMatch(/_URL|_TOKEN|log/);
  });

  test('an unreachable server: the same', async () => {
    const server = await start();
    await server.stop();
    await expect(gather(providerOn(server))).rejects.toThrow(
      new RegExp(`cannot be reached.*Check ${prefix}_URL.*Asked: `),
    );
  });

  test('a port without TLS is not asked for an authority', async () => {
    const server = await run(start());
    const provider = providers[name]({ url: server.url.replace('http:', 'https:') });
    await expect(gather(provider)).rejects.toThrow(/EPROTO.*begin with http:\/\//);
  });

  test('busy for a moment: it is asked again, and nothing is missing', async () => {
    const server = await run(start());
    let refused = 0;
    server.force((request) => {
      if (!isLines(request) || refused >= 3) return undefined;
      refused += 1;
      return { ...text('too many outstanding requests', 429), headers: { 'retry-after': '0' } };
    });
    const { logs, gaps } = await gather(providerOn(server));
    expect(refused).toBe(3);
    expect(logs).toHaveLength(SMALL.length);
    expect(gaps).toEqual([]);
  });

  test('a question that is refused becomes one gap, with the question and the window', async () => {
    const server = await run(start());
    server.force((request) => (isLines(request) ? refusal : undefined));
    const { logs, gaps } = await gather(providerOn(server));
    expect(logs).toEqual([]);
    expect(gaps[0]?.message).toMatch(says);
    expect(gaps.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/parts of the window not read to their end/),
    );
  });

  test('part of an answer beats none: what came before the end of the time is returned', async () => {
    const server = await run(start());
    const controller = new AbortController();
    let answered = 0;
    server.force((request) => {
      if (!isLines(request) || (answered += 1) <= 14) return undefined;
      setTimeout(() => controller.abort(), 20);
      return 'hang';
    });
    const gathering = gather(providerOn(server), controller.signal);
    const { logs, gaps } = await gathering;
    expect(logs.length).toBeGreaterThan(0);
    expect(logs.length).toBeLessThan(SMALL.length);
    expect(gaps[0]?.message).toMatch(/time for the investigation ran out/);
  });

  test('a server that never answers is given up at its own deadline', async () => {
    const server = await run(start());
    server.force((request) => (isLines(request) ? 'hang' : undefined));
    // What it is asked before the lines has to be answered within the same time.
    const { gaps } = await gather(providerOn(server, { timeoutMs: 1500 }));
    expect(gaps[0]?.message).toMatch(new RegExp(`did not answer within 1500 ms.*${prefix}_TIMEOUT_MS`));
  });

  test('an answer that is too large is asked for in smaller parts, and nothing is missing', async () => {
    const server = await run(large());
    const inLarge = { fromMs: LARGE_MS, toMs: LARGE_MS + 600_000 };
    const all = LARGE.filter(({ timeNs }) => Number(timeNs / 1_000_000n) <= inLarge.toMs);
    const provider = providerOn(server, { maxResponseBytes: 60_000 });
    const { logs, gaps } = await provider.gather(incidentOf({}, { startsAtMs: LARGE_MS }), inLarge, signal());
    expect(gaps).toEqual([]);
    expect(logs.map(({ message }) => message).sort()).toEqual(all.map(({ message }) => message).sort());
  });

  test('services without lines are no proof of silence', async () => {
    const server = await run(start());
    server.force((request) => (isLines(request) ? nothing : undefined));
    const { gaps } = await gather(providerOn(server));
    expect(gaps.map(({ message }) => message)).toEqual([expect.stringMatching(/names 3 services .* but gave no line/)]);
  });

  test('no lines at all: a gap that says where to look', async () => {
    const server = await run(start());
    const empty = { fromMs: 1000, toMs: 2000 };
    const { gaps, logs } = await providerOn(server).gather(incident, empty, signal());
    expect(logs).toEqual([]);
    expect(gaps.map(({ message }) => message)).toEqual([
      expect.stringMatching(/no lines in this window: check .*[A-Z]+_/),
    ]);
  });

  test('the check warns of a server without lines of today, and says where to look', async () => {
    const server = await run(start());
    expect(await providerOn(server).check(signal())).toMatchObject({
      status: 'warn',
      value: expect.stringMatching(/, 0 fields in the last 24 h/),
      remedy: expect.stringMatching(/It answers but has no lines: check .*[A-Z]+_/),
    });
  });
});

describe('tenants', () => {
  test('Loki: without the header access is refused, with it the lines come', async () => {
    const server = await run(startLokiImitation(SMALL, { tenant: 'team-a' }));
    await expect(providers.loki({ url: server.url }).gather(incident, window, signal())).rejects.toThrow(
      /HTTP 401.*the tenant in LOKI_HEADERS/,
    );
    const headers = { 'x-scope-orgid': 'team-a' };
    const { logs } = await providers.loki({ url: server.url, headers }).gather(incident, window, signal());
    expect(logs).toHaveLength(SMALL.length);
  });

  test('VictoriaLogs: another tenant has no lines, and the gap names the headers', async () => {
    const server = await run(startVictoriaLogsImitation(SMALL, { tenant: '12:7' }));
    const without = await providers.victorialogs({ url: server.url }).gather(incident, window, signal());
    expect(without.gaps[0]?.message).toMatch(/AccountID, ProjectID in VICTORIALOGS_HEADERS/);
    const headers = { accountid: '12', projectid: '7' };
    const { logs } = await providers.victorialogs({ url: server.url, headers }).gather(incident, window, signal());
    expect(logs).toHaveLength(SMALL.length);
  });
});

describe('Loki', () => {
  test('a window longer than the server allows is read at its end, and that is said', async () => {
    const server = await run(startLokiImitation(SMALL, { maxHours: 721 }));
    const year = { fromMs: SMALL_MS - 365 * 86_400_000, toMs: SMALL_MS + 60_000 };
    const answer = await providers.loki({ url: server.url }).queryLogs?.({ ...year, limit: 100 }, signal());
    expect(answer?.items).toHaveLength(SMALL.length);
    expect(answer?.note).toMatch(/no longer window than 30\.0 days/);
  });

  test('volumes that are switched off are done without', async () => {
    const server = await run(startLokiImitation(SMALL, { hasVolume: false }));
    const { logs, gaps } = await providers.loki({ url: server.url }).gather(incident, window, signal());
    expect(logs).toHaveLength(SMALL.length);
    expect(gaps).toEqual([]);
  });
});

describe('Elasticsearch', () => {
  test('shards that failed and a search that was stopped are told', async () => {
    const server = await run(startElasticsearchImitation(SMALL));
    const failures = [{ reason: { type: 'x', reason: 'node left' } }];
    server.force(({ body }) =>
      body.includes('"sort"')
        ? json({ timed_out: true, _shards: { total: 5, failed: 2, failures }, hits: { hits: [] } })
        : undefined,
    );
    const { gaps } = await providers.elasticsearch({ url: server.url }).gather(incident, window, signal());
    const told = gaps.map(({ message }) => message);
    expect(told).toContainEqual('2 of 5 shards failed (node left): the answer is partial');
    expect(told).toContainEqual('the search was stopped at its time limit: the answer is partial');
  });

  test('what is asked: no scroll, no query language, no frozen data, the indices of the settings', async () => {
    const server = await run(startElasticsearchImitation(SMALL));
    const provider = providers.elasticsearch({ url: server.url, index: 'logs-*,app logs' });
    await provider.queryLogs?.({ ...window, contains: 'level:error OR *', limit: 10 }, signal());
    const paths = new Set(server.asked.map(({ path }) => path));
    expect([...paths]).toEqual(['/logs-*,app%20logs/_field_caps', '/logs-*,app%20logs/_search']);
    for (const { body } of server.asked) expect(body).not.toMatch(/query_string|scroll/);
    expect(server.asked.at(-1)?.body).toContain('{"term":{"_tier":"data_frozen"}}');
  });
});

test('settings switch on the providers, with key, headers and names', async () => {
  const server = await run(startElasticsearchImitation(SMALL, { authorization: 'ApiKey a2V5' }));
  const loki = await run(startLokiImitation(SMALL, { tenant: 'team-a' }));
  const config = parseConfig({
    ELASTICSEARCH_URL: server.url,
    ELASTICSEARCH_API_KEY: 'a2V5',
    LOKI_URL: loki.url,
    LOKI_HEADERS: 'X-Scope-OrgID=team-a',
    LOKI_SERVICE_FIELDS: 'service',
    VICTORIALOGS_URL: 'http://127.0.0.1:9',
  });
  const made = createProviders(config);
  expect(made.map(({ name }) => name)).toEqual(['loki', 'elasticsearch', 'victorialogs']);
  for (const provider of made.slice(0, 2))
    expect((await provider.gather(incident, window, signal())).logs).toHaveLength(SMALL.length);
});
