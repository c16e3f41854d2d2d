import { request } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createSources } from '../../src/sources/index.ts';
import { createAuthorize } from '../../src/platform/credentials.ts';
import { startHttpServer, type HttpServer } from '../../src/http/server.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { groupText, numberedAlert } from '../support/alertmanager-bodies.ts';
import { testMetrics } from '../support/http-server.ts';

const TOKEN = 'token-of-alertmanager';
let server: HttpServer;
afterEach(() => server.close());

async function start(bearerTokens: readonly string[]): Promise<void> {
  server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    receives: true,
    intake: {
      receive: () => Promise.resolve({ decision: 'new', incidentId: 'inc_1' }),
      acknowledge: () => Promise.resolve(undefined),
    },
    sources: createSources({ ALERTMANAGER_BEARER_TOKENS: bearerTokens }),
    authorize: createAuthorize({ bearerTokens, basicAuth: undefined }),
    bodyLimitBytes: 10_000,
    metrics: testMetrics(),
    log: silentLogger(),
    readiness: [],
    reports: { getReport: () => Promise.resolve(undefined), listReports: () => Promise.resolve([]) },
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
