import { request } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { readSourcesFile } from '../../src/sources/generic/settings.ts';
import { createSources } from '../../src/sources/index.ts';
import { createAuthorize } from '../../src/platform/credentials.ts';
import { startHttpServer, type HttpServer } from '../../src/http/server.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { groupText, numberedAlert } from '../support/alertmanager-bodies.ts';
import { testMetrics } from '../support/http-server.ts';
import { fixture, PAGERDUTY_SECRETS, SENDERS } from '../support/webhook-senders.ts';

const TOKEN = 'token-of-alertmanager';
let server: HttpServer;
afterEach(() => server.close());

async function start(
  bearerTokens: readonly string[],
  sources = createSources({ ALERTMANAGER_BEARER_TOKENS: bearerTokens }),
): Promise<void> {
  server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    receives: true,
    intake: {
      receive: () => Promise.resolve('1-0'),
      acknowledge: () => Promise.resolve('1-0'),
    },
    sources,
    authorize: createAuthorize({ bearerTokens, basicAuth: undefined }),
    bodyLimitBytes: 10_000,
    metrics: testMetrics(),
    log: silentLogger(),
    readiness: [],
    reports: { getReport: () => Promise.resolve(undefined), listReports: () => Promise.resolve([]) },
    incidents: {
      getIncident: () => Promise.resolve(undefined),
      listIncidents: () => Promise.resolve({ incidents: [], undecided: null, next: null }),
    },
    refreshMetrics: () => Promise.resolve(),
  });
}

function statusOf(path: string, headers: Readonly<Record<string, string>>, body?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const options = {
      port: server.port,
      host: '127.0.0.1',
      path,
      method,
      headers: { ...headers, connection: 'close' },
    };
    const outgoing = request(options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    outgoing.on('error', reject).end(body);
  });
}

const ALERT = groupText({ alerts: [numberedAlert(1)] });
const post = (headers: Readonly<Record<string, string>>) => statusOf('/webhooks/alertmanager', headers, ALERT);

describe('without credentials, on loopback', () => {
  test('a page that is open in a browser cannot send alerts', async () => {
    await start([]);
    expect(await post({ origin: 'http://page.example', 'content-type': 'text/plain' })).toBe(403);
  });

  test.each(['page.example', 'page.example:8080', '127.0.0.1.page.example', 'localhost.page.example'])(
    'a page whose name resolves here cannot read reports: %s',
    async (host) => {
      await start([]);
      expect(await statusOf('/api/v1/reports', { host })).toBe(403);
      expect(await post({ host })).toBe(403);
    },
  );

  test.each(['localhost', 'LOCALHOST:1', '127.0.0.1:9', '[::1]:8080'])(
    'whoever calls it %s is served',
    async (host) => {
      await start([]);
      expect(await statusOf('/api/v1/reports', { host })).toBe(200);
      expect(await post({ host })).toBe(202);
    },
  );
});

test('with credentials these decide alone: a proxy may call the server by any name', async () => {
  await start([TOKEN]);
  const headers = { host: 'rootnote.example', authorization: `Bearer ${TOKEN}` };
  expect(await post(headers)).toBe(202);
  expect(await post({ host: 'rootnote.example' })).toBe(401);
});

test('each webhook is judged by what its own source asks for', async () => {
  const { senders } = readSourcesFile('sources: [{ name: shop, auth: open }]', 'sources.yaml', () => undefined);
  const page = { origin: 'http://page.example' };
  const byProxy = { host: 'rootnote.example.net' };
  const body = '{"title":"x"}';
  await start([TOKEN], createSources({ ALERTMANAGER_BEARER_TOKENS: [TOKEN] }, senders));
  expect(await statusOf('/webhooks/shop', page, body)).toBe(403);
  expect(await statusOf('/webhooks/shop?a=b', page, body)).toBe(403);
  expect(await statusOf('/webhooks/shop', {}, body)).toBe(202);
  await server.close();

  // Three 4xx to signed events, and PagerDuty ends the subscription.
  const sender = SENDERS.find(({ source }) => source === 'pagerduty');
  const event = fixture('pagerduty/triggered.json');
  const { headers } = sender?.sign(event) ?? { headers: {} };
  await start([], createSources({ PAGERDUTY_WEBHOOK_SECRETS: PAGERDUTY_SECRETS }));
  const signed = { ...(headers as Record<string, string>), ...byProxy };
  expect(await statusOf('/webhooks/pagerduty', signed, event.toString())).toBe(202);
  expect(await statusOf('/webhooks/pagerduty', byProxy, event.toString())).toBe(401);
  expect(await post(byProxy)).toBe(403);
});
