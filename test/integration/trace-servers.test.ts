import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Telemetry } from '../../src/domain/telemetry.ts';
import type { TelemetryProvider } from '../../src/domain/provider.ts';
import { createJaegerProvider } from '../../src/providers/jaeger/index.ts';
import { createTempoProvider } from '../../src/providers/tempo/index.ts';
import { createAuthority, whereCertificates } from '../support/certificates.ts';
import { text, type AskedOfServer, type PlainReply } from '../support/http-imitation.ts';
import { incidentOf } from '../support/incidents.ts';
import { startJaegerImitation } from '../support/trace-servers/jaeger-imitation.ts';
import { startTempoImitation, type TempoImitationOptions } from '../support/trace-servers/tempo-imitation.ts';
import { requestAlong } from '../support/trace-servers/test-spans.ts';
import type { TraceImitation } from '../support/trace-servers/trace-test-server.ts';

const startsAtMs = Date.parse('2026-03-02T10:00:00Z');
const MINUTE = 60_000;
const incident = incidentOf({ alertname: 'A', service: 'checkout' }, { startsAtMs });
const reference = { fromMs: startsAtMs - 60 * MINUTE, toMs: startsAtMs - 10 * MINUTE };
const window = { fromMs: reference.fromMs, toMs: startsAtMs + 5 * MINUTE, reference };
const around = { fromMs: window.fromMs, toMs: window.toMs, limit: 20_000 };
const unbounded = () => new AbortController().signal;

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Options = Parameters<typeof createTempoProvider>[0];
const OPTIONS = { timeoutMs: 5000, maxResponseBytes: 10_000_000, maxTraces: 120 };

interface Running {
  readonly server: TraceImitation;
  readonly provider: TelemetryProvider;
}

/** Calm traffic every minute of the hour, and as much after it. */
async function fill(server: TraceImitation): Promise<void> {
  for (let i = -55; i <= 4; i += 1)
    await server.load(requestAlong({ startMs: startsAtMs + i * MINUTE, durationMs: 40 }));
}

async function tempo(more: Partial<Options> = {}, imitation: TempoImitationOptions = {}): Promise<Running> {
  const server = await startTempoImitation(imitation);
  stops.push(() => server.stop());
  await fill(server);
  return { server, provider: createTempoProvider({ ...OPTIONS, url: server.url, ...more }) };
}

async function jaeger(more: Partial<Options> = {}): Promise<Running> {
  const server = await startJaegerImitation();
  stops.push(() => server.stop());
  await fill(server);
  return { server, provider: createJaegerProvider({ ...OPTIONS, url: server.url, ...more }) };
}

const products = [
  { name: 'tempo', start: tempo, prefix: 'TEMPO' },
  { name: 'jaeger', start: jaeger, prefix: 'JAEGER' },
] as const;

const html: PlainReply = {
  status: 502,
  body: '<html><h1>Bad gateway</h1></html>',
  headers: { 'content-type': 'text/html' },
};
const page: PlainReply = { status: 200, body: '<!doctype html><title>Some page</title>' };

describe.each(products)('$name that does not answer as it should', ({ start, prefix }) => {
  test.each([
    [
      '401',
      text('no org id', 401),
      new RegExp(`Access was refused \\(HTTP 401\\)\\. Set ${prefix}_BEARER_TOKEN .*tenant in ${prefix}_HEADERS`),
    ],
    ['403', text('forbidden', 403), /Access was refused \(HTTP 403\)/],
    ['429 with its reason', text('job queue full', 429), /HTTP 429/],
    ['500', text('storage is gone', 500), /HTTP 500/],
    ['HTML of a proxy', html, /The server failed \(HTTP 502\)/],
    [
      'a page of another product',
      page,
      new RegExp(`This is not the HTTP API of .* an HTML page\\)\\. Check ${prefix}_URL`),
    ],
    ['JSON of another product', { status: 200, body: '{"status":"success"}' }, /This is not the HTTP API of/],
    ['an address that is wrong', text('404 page not found\n', 404), /This is not the HTTP API of .*HTTP 404/],
    [
      'a redirect',
      { status: 302, body: '', headers: { location: 'https://login.example.com/?next=x' } },
      /redirects to https:\/\/login\.example\.com/,
    ],
  ] satisfies readonly (readonly [string, PlainReply, RegExp])[])(
    '%s: the error says what to do, and what was asked',
    async (_, reply, message) => {
      const { server, provider } = await start();
      server.force(() => reply);
      const query = { ...around, service: 'checkout' };
      await expect(provider.querySpans?.(query, unbounded())).rejects.toThrow(message);
      await expect(provider.querySpans?.(query, unbounded())).rejects.toThrow(/Asked: the services with traces/);
      await expect(provider.gather(incident, window, unbounded())).rejects.toThrow(message);
      expect(await provider.check(unbounded())).toMatchObject({ status: 'fail', remedy: expect.stringMatching(/\w/) });
    },
  );

  test('silence ends at the deadline of one request', async () => {
    const { server, provider } = await start({ timeoutMs: 150 });
    server.force(() => 'hang');
    const gathering = provider.gather(incident, window, unbounded());
    await expect(gathering).rejects.toThrow(new RegExp(`did not answer within 150 ms.* Raise ${prefix}_TIMEOUT_MS`));
  });

  test('an answer beyond the cap is refused', async () => {
    const { provider } = await start({ maxResponseBytes: 10_000 });
    const { gaps } = await provider.gather(incident, window, unbounded());
    const asked = await provider.querySpans?.({ ...around, service: 'checkout' }, unbounded()).catch(String);
    expect(JSON.stringify([gaps, asked])).toMatch(
      new RegExp(`Raise ${prefix}_MAX_RESPONSE_BYTES or ask for fewer traces`),
    );
  });

  test('the time runs out in the middle: what came by then, and a gap', async () => {
    const { server, provider } = await start();
    const controller = new AbortController();
    let searches = 0;
    server.force(({ path }) => {
      if (!/search$|traces$/.test(path)) return undefined;
      searches += 1;
      if (searches < 34) return undefined;
      controller.abort();
      return 'hang';
    });
    const gathered = await provider.gather(incident, window, controller.signal);
    expect(gathered.spans.length + gathered.reference.spans.length).toBeGreaterThan(0);
    expect(messages(gathered)).toMatch(/The time for the investigation ran out/);
  });

  test('credentials go into headers and into no message', async () => {
    const token = 'tok-8f2a1c';
    const { server, provider } = await start({ bearerToken: token, headers: { 'x-scope-orgid': 'team-a' } });
    await provider.check(unbounded());
    expect(server.asked.length).toBeGreaterThan(0);
    for (const { headers } of server.asked)
      expect(headers).toMatchObject({ authorization: `Bearer ${token}`, 'x-scope-orgid': 'team-a' });
    server.force(() => text('no', 500));
    const refusal = await provider.gather(incident, window, unbounded()).catch(String);
    expect(refusal).toContain('HTTP 500');
    expect(refusal).not.toContain(token);
  });

  test('every request is a GET', async () => {
    const { server, provider } = await start();
    await provider.gather(incident, window, unbounded());
    await provider.querySpans?.({ ...around, service: 'checkout', errorsOnly: true }, unbounded());
    expect(new Set(server.asked.map(({ method }) => method))).toEqual(new Set(['GET']));
  });
});

/** A server with a certificate of an authority that nobody knows, in front of another one. */
async function behindTls(target: string): Promise<{ readonly url: string; readonly ca: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'rn-tls-'));
  stops.push(() => rm(folder, { recursive: true }));
  const authority = await createAuthority(folder);
  const signed = await authority.sign('server');
  const read = (file: string) => readFile(file, 'utf8');
  const [key, cert, ca] = [await read(signed.key), await read(signed.cert), await read(authority.cert)];
  const server = createServer({ key, cert }, (request, response) => {
    void fetch(`${target}${request.url}`)
      .then(async (answer) => response.writeHead(answer.status).end(await answer.text()))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, ca };
}

(await whereCertificates(describe))('by TLS', () => {
  test.each(products)('$name is read with its authority and not without', async ({ start, prefix }) => {
    const { server } = await start();
    const { url, ca } = await behindTls(server.url);
    const create = prefix === 'TEMPO' ? createTempoProvider : createJaegerProvider;
    const gathered = await create({ ...OPTIONS, url, ca }).gather(incident, window, unbounded());
    expect(gathered.spans.length).toBeGreaterThan(0);
    const distrusting = create({ ...OPTIONS, url }).gather(incident, window, unbounded());
    await expect(distrusting).rejects.toThrow(new RegExp(`UNABLE_TO_VERIFY.* \\(and ${prefix}_CA_FILE for TLS\\)`));
  });
});

const messages = ({ gaps }: Telemetry) => gaps.map(({ message }) => message).join('\n');
const isSearch = ({ path }: AskedOfServer) => path === '/api/search' || path === '/api/traces';

describe.each(products)('$name gathers so that both sides can be compared', ({ start }) => {
  test('a chronic failure is as frequent in the fault-free time', async () => {
    const { server, provider } = await start();
    for (let i = -330; i < 30; i += 1) {
      await server.load(requestAlong({ startMs: startsAtMs + i * 10_000, failed: i % 5 === 0 }));
    }
    const gathered = await provider.gather(incident, window, unbounded());
    const shareOf = (spans: Telemetry['spans']) => {
      const roots = spans.filter(({ parentId }) => parentId === '');
      return roots.filter(({ error }) => error).length / roots.length;
    };
    const [now, usual] = [shareOf(gathered.spans), shareOf(gathered.reference.spans)];
    expect(usual).toBeGreaterThan(0.1);
    expect(now / usual).toBeGreaterThan(0.6);
    expect(now / usual).toBeLessThan(1.6);
    expect(messages(gathered)).toMatch(/chosen in the same way of the fault-free time; failures among them are more/);
  });

  test('a stretch that could not be read is left out with all its kinds', async () => {
    const { server, provider } = await start();
    let searches = 0;
    server.force((asked) => (isSearch(asked) && (searches += 1) === 5 ? text('try again', 503) : undefined));
    const gathered = await provider.gather(incident, window, unbounded());
    expect(messages(gathered)).toMatch(/1 of \d+ stretches of time could not be read and are not compared/);
    expect(gathered.reference.spans.length).toBeGreaterThan(50);
  });

  test('slow traces are looked for beyond the even part', async () => {
    const { server, provider } = await start();
    const slow = requestAlong({ startMs: startsAtMs + MINUTE, durationMs: 9000 });
    await server.load(slow);
    for (let i = 1; i <= 40; i += 1) await server.load(requestAlong({ startMs: startsAtMs + MINUTE + i }));
    const gathered = await provider.gather(incident, window, unbounded());
    expect(gathered.spans.map(({ spanId }) => spanId)).toContain(slow[0]?.spanId);
  });

  test('an alert that names a pod means its service', async () => {
    const { provider } = await start();
    const ofPod = incidentOf({ alertname: 'A', pod: 'checkout-7c9d8b6f54-x2x9z' }, { startsAtMs });
    const gathered = await provider.gather({ ...ofPod, service: 'checkout-7c9d8b6f54-x2x9z' }, window, unbounded());
    expect(gathered.spans.some(({ service }) => service === 'checkout')).toBe(true);
    expect(messages(gathered)).not.toMatch(/has no traces/);
  });

  test('an alert whose service has no traces is told so, and what is read instead', async () => {
    const { provider } = await start();
    const gathered = await provider.gather(
      incidentOf({ alertname: 'A', service: 'billing' }, { startsAtMs }),
      window,
      unbounded(),
    );
    expect(messages(gathered)).toMatch(
      /billing has no traces, so those of (all services|web) were read; services with traces: checkout, payments, web/,
    );
    expect(gathered.spans.length).toBeGreaterThan(0);
  });

  test('without a fault-free part all of the window is the incident', async () => {
    const { provider } = await start();
    const { reference: _, ...whole } = window;
    const gathered = await provider.gather(incident, whole, unbounded());
    expect(gathered.reference.spans).toEqual([]);
    expect(gathered.spans.length).toBeGreaterThan(100);
  });
});

describe('tempo with limits', () => {
  test('a search that is too long is asked for in parts, once the server has said how long it may be', async () => {
    const { server, provider } = await tempo({ maxTraces: 200 }, { maxSearchSeconds: 605 });
    const answer = await provider.querySpans?.({ ...around, service: 'checkout' }, unbounded());
    expect(new Set(answer?.items.map(({ traceId }) => traceId)).size).toBe(60);
    const searches = server.asked.filter(isSearch);
    const lengths = searches.map(({ params }) => Number(params.get('end')) - Number(params.get('start')));
    expect(lengths.filter((seconds) => seconds > 605)).toHaveLength(1);
  });

  test('names are asked for without a window that is too long', async () => {
    const { server, provider } = await tempo();
    const refusal = text('range specified by start and end exceeds 1h0m0s. received start=1 end=2', 400);
    server.force(({ path, params }) => (path.endsWith('/values') && params.has('start') ? refusal : undefined));
    const answer = await provider.querySpans?.({ ...around, service: 'checkout' }, unbounded());
    expect(answer?.items.length).toBeGreaterThan(0);
  });

  test('a limit of results is kept from the first refusal on', async () => {
    const { server, provider } = await tempo({}, { maxLimit: 10 });
    const answer = await provider.querySpans?.({ ...around, service: 'checkout' }, unbounded());
    expect(answer?.items.length).toBeGreaterThan(30);
    expect(answer?.note).toMatch(/at most 10 of each sixth of the window/);
    expect(server.asked.filter((asked) => Number(asked.params.get('limit')) > 10)).toHaveLength(1);
  });

  test('a trace that the server cut is said to be partial', async () => {
    const { provider } = await tempo({}, { maxSpansOfTrace: 2 });
    const answer = await provider.querySpans?.({ ...around, service: 'checkout' }, unbounded());
    expect(answer?.note).toMatch(/is partial: Trace exceeds maximum size of 5000000 bytes/);
  });

  test('a trace that is too large for the server costs no other', async () => {
    const { server, provider } = await tempo({ maxTraces: 200 });
    let first: string | undefined;
    server.force(({ path }) => {
      if (!path.startsWith('/api/v2/traces/')) return undefined;
      first ??= path;
      return path === first ? text('trace exceeds max size (max bytes: 5000000)', 422) : undefined;
    });
    const answer = await provider.querySpans?.({ ...around, service: 'checkout' }, unbounded());
    expect(new Set(answer?.items.map(({ traceId }) => traceId)).size).toBe(59);
    expect(answer?.note).toMatch(/a trace could not be read\. Tempo: trace exceeds max size/);
  });

  test('an answer from a part of the blocks is said to be partial', async () => {
    const { server, provider } = await tempo();
    server.force(({ path }) =>
      path === '/api/search' ? { status: 206, body: '{"traces":[],"metrics":{}}' } : undefined,
    );
    const answer = await provider.querySpans?.({ ...around, service: 'checkout' }, unbounded());
    expect(answer?.note).toMatch(/the answer is partial: some blocks could not be read/);
  });

  test('data of another tenant is not there', async () => {
    const { server } = await tempo({}, { tenant: 'team-a' });
    const ask = (headers: Readonly<Record<string, string>>) =>
      createTempoProvider({ ...OPTIONS, url: server.url, headers });
    await expect(ask({}).gather(incident, window, unbounded())).rejects.toThrow(/HTTP 401.*tenant in TEMPO_HEADERS/);
    expect((await ask({ 'x-scope-orgid': 'team-b' }).gather(incident, window, unbounded())).spans).toEqual([]);
    expect(
      (await ask({ 'x-scope-orgid': 'team-a' }).gather(incident, window, unbounded())).spans.length,
    ).toBeGreaterThan(0);
  });

  test('requests, failures and durations of all services come where TraceQL metrics are on', async () => {
    const { server, provider } = await tempo({}, { hasMetrics: true });
    for (let i = 0; i < 60; i += 1)
      await server.load(requestAlong({ startMs: startsAtMs + i * 1000, failed: true, durationMs: 900 }));
    const { series } = await provider.gather(incident, window, unbounded());
    const of = (metric: string) => series.find((one) => one.service === 'payments' && one.metric === metric);
    expect(new Set(series.map(({ service }) => service))).toEqual(new Set(['web', 'checkout', 'payments']));
    expect(Math.max(...(of('span_errors_per_second')?.values ?? []))).toBeCloseTo(1);
    expect(Math.min(...(of('span_errors_per_second')?.values ?? [1]))).toBe(0);
    expect(Math.max(...(of('span_duration_p95_seconds')?.values ?? []))).toBeCloseTo(0.896);
    expect(of('span_requests_per_second')).toMatchObject({ unit: '1/s', query: expect.stringMatching(/rate\(\) by/) });
  });

  test.each([{}, { isOld: true }])('they are nothing to be told where they are not: %j', async (options) => {
    const { provider } = await tempo({ maxTraces: 2000 }, options);
    expect(await provider.gather(incident, window, unbounded())).toMatchObject({ series: [], gaps: [] });
  });

  test('the check names version, services and a trace that it has read', async () => {
    const { provider } = await tempo();
    expect(await provider.check(unbounded())).toMatchObject({
      status: 'ok',
      value: expect.stringMatching(
        /^Tempo v2\.9\.0, 3 services with traces, read trace [0-9a-f]{32} of checkout with 5 spans$/,
      ),
    });
  });
});

describe('jaeger', () => {
  test('the check reads a trace of the last days', async () => {
    const { server, provider } = await jaeger();
    expect(await provider.check(unbounded())).toMatchObject({
      status: 'warn',
      remedy: expect.stringMatching(/gives no trace/),
    });
    await server.load(requestAlong({ startMs: Date.now() - MINUTE }));
    expect(await provider.check(unbounded())).toMatchObject({
      status: 'ok',
      value: expect.stringMatching(/3 services with traces, read trace/),
    });
  });

  test('an answer to the agent names the page of a trace, without credentials', async () => {
    const { server } = await jaeger();
    const provider = createJaegerProvider({ ...OPTIONS, url: server.url.replace('//', '//me:secret@') });
    const answer = await provider.querySpans?.({ ...around, service: 'checkout', limit: 5 }, unbounded());
    expect(answer?.note).toContain(`a trace's page: ${server.url}/trace/<trace id>`);
    expect(answer?.note).not.toContain('secret');
  });

  test('a storage that does not know the tag of errors is looked through', async () => {
    const { server, provider } = await jaeger();
    const failed = requestAlong({ startMs: startsAtMs, failed: true });
    await server.load(failed);
    const none: PlainReply = { status: 200, body: '{"data":[],"errors":null}' };
    server.force(({ params }) => (params.get('tags') === null ? undefined : none));
    const answer = await provider.querySpans?.({ ...around, service: 'checkout', errorsOnly: true }, unbounded());
    expect(new Set(answer?.items.map(({ spanId }) => spanId))).toEqual(new Set(failed.map(({ spanId }) => spanId)));
  });

  test('errors beside the data and warnings of traces are told', async () => {
    const { server, provider } = await jaeger();
    const trace = {
      spans: [
        { traceID: 'a1', spanID: 'b1', operationName: 'x', startTime: startsAtMs * 1000, duration: 5, processID: 'p1' },
      ],
      processes: { p1: { serviceName: 'checkout' } },
      warnings: ['clock skew'],
    };
    const body = JSON.stringify({
      data: [trace, { spans: [{ traceID: 'a2' }] }],
      errors: [{ code: 500, msg: 'one shard failed' }],
    });
    server.force(({ path }) => (path === '/api/traces' ? { status: 200, body } : undefined));
    const answer = await provider.querySpans?.({ ...around, service: 'checkout' }, unbounded());
    expect(answer?.items).toHaveLength(1);
    expect(answer?.note).toMatch(
      /one shard failed; 1 spans without usable id, time or service were left out; Jaeger warns about 1 traces, of the first: clock skew/,
    );
  });
});
