import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Queue } from 'bullmq';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { assertSafeToListen as assertSafe } from '../../src/http/authorize.ts';
import type { Credentials } from '../../src/platform/credentials.ts';
import type { HttpDeps } from '../../src/http/app.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { createSources, type SourceSettings } from '../../src/sources/index.ts';
import { gate } from '../support/gate.ts';
import { groupText, numberedAlert } from '../support/alertmanager-bodies.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { startReceiver, type Receiver } from '../support/http-server.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';

const describeRedis = await describeIf(REDIS);
const PATH = '/webhooks/alertmanager';

describeRedis('D1: webhook receiver', () => {
  let server: TestRedis;
  let prefix = '';
  const running: Receiver[] = [];

  beforeAll(async () => {
    server = await startTestRedis();
  });
  afterEach(async () => {
    for (const receiver of running.splice(0)) await receiver.stop();
    // A test that failed half-way may have left it frozen or dead.
    server.resume();
  });
  afterAll(() => server.stop());

  const start = async (overrides?: Partial<HttpDeps>, credentials?: Credentials) => {
    prefix = `t${randomUUID()}`;
    const receiver = await startReceiver(server.target, prefix, overrides, credentials);
    running.push(receiver);
    if (receiver.redis.status !== 'ready') await once(receiver.redis, 'ready');
    return receiver;
  };
  const post = async (receiver: Receiver, body: string | Uint8Array<ArrayBuffer>, headers = {}, path = PATH) => {
    const response = await fetch(receiver.url + path, { method: 'POST', body, headers });
    const text = await response.text();
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(text.length).toBeLessThan(1000);
    return { status: response.status, headers: response.headers, json: JSON.parse(text) as Record<string, unknown> };
  };
  const investigations = async (receiver: Receiver) => {
    await receiver.admitting.admitAll();
    const redis = openWorkerRedis(server.target, silentLogger());
    const queue = new Queue('incidents', { connection: redis, prefix });
    const jobs = await queue.getJobs();
    await queue.close();
    redis.disconnect();
    return jobs.filter((job) => job.name === 'investigate').length;
  };

  test('D2: answers 202 when it is stored, with the id under which the log tells what became of it', async () => {
    const receiver = await start();
    const first = await post(receiver, groupText({ alerts: [numberedAlert(1)] }));
    expect(first).toMatchObject({ status: 202, json: { status: 'accepted', id: expect.stringMatching(/^\d+-\d+$/) } });
    const { incidentId, decision } = await receiver.admitting.decide(String(first.json['id']));
    expect([incidentId, decision]).toEqual([expect.stringMatching(/^inc_/), 'new']);
    expect(await investigations(receiver)).toBe(1);
    const repeat = await post(receiver, groupText({ alerts: [numberedAlert(1)] }), {}, `${PATH}?token=abc%20d`);
    expect(await receiver.admitting.decide(String(repeat.json['id']))).toEqual({ incidentId, decision: 'repeat' });
    const { body } = await fetchText(`${receiver.url}/metrics`);
    expect(body).toContain('rootnote_webhook_requests_total{source="alertmanager",code="202"} 2');
    expect(body).toContain('rootnote_webhook_queue_errors_total{source="alertmanager"} 0');
  });

  test('a group without alerts is nothing to store, and is told so', async () => {
    const receiver = await start();
    expect((await post(receiver, groupText({ alerts: [] }))).json).toEqual({ status: 'ignored' });
    expect(await receiver.redis.exists(`${prefix}:inbox`)).toBe(0);
  });

  test('two receivers, peers’ copies at the same moment: one investigation', async () => {
    const first = await start();
    const second = await startReceiver(server.target, prefix);
    running.push(second);
    if (second.redis.status !== 'ready') await once(second.redis, 'ready');
    const answers = await Promise.all(
      [first, second].map((receiver, peer) =>
        post(receiver, groupText({ alerts: [numberedAlert(1)], externalURL: `http://peer-${peer}.example.net` })),
      ),
    );
    const decided = await Promise.all(answers.map(({ json }) => first.admitting.decide(String(json['id']))));
    expect(decided.map(({ decision }) => decision).toSorted()).toEqual(['new', 'repeat']);
    expect(await investigations(first)).toBe(1);
  });

  test('case 06: a storm of 50 copies, ten at a time: all accepted, one investigation', async () => {
    const receiver = await start();
    const body = groupText({ alerts: [numberedAlert(1)] });
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => post(receiver, body)));
      expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 10 }, () => 202));
    }
    expect(await investigations(receiver)).toBe(1);
  });

  test('case 01: groups far over 100 KB are accepted', async () => {
    const receiver = await start();
    const many = groupText({ alerts: Array.from({ length: 300 }, (_, n) => numberedAlert(n)) });
    const long = groupText({ alerts: [numberedAlert(1, { annotations: { description: 'x'.repeat(2_500_000) } })] });
    expect(many.length).toBeGreaterThan(102_400);
    expect(long.length).toBeGreaterThan(5_000_000);
    expect((await post(receiver, many)).status).toBe(202);
    expect((await post(receiver, long)).status).toBe(202);
  });

  test('case 01: above the limit the answer is 413 and the server lives, with and without a stated length', async () => {
    const receiver = await start({ bodyLimitBytes: 50_000 });
    const body = groupText({ alerts: [numberedAlert(1, { annotations: { text: 'x'.repeat(100_000) } })] });
    expect(await post(receiver, body)).toMatchObject({
      status: 413,
      json: { error: expect.stringContaining('50000') },
    });
    const chunked = await fetch(receiver.url + PATH, {
      method: 'POST',
      body: new Blob([body]).stream(),
      duplex: 'half',
    });
    expect(chunked.status).toBe(413);
    expect((await post(receiver, groupText({ alerts: [numberedAlert(1)] }))).status).toBe(202);
  });

  test.each([
    ['truncated JSON', '{"version":"4","alerts":[{"status":', /not valid JSON/],
    ['nothing', '', /empty/],
    ['a list', '[]', /the body/],
    ['no alerts', '{"version":"3"}', /version "3".*alerts/],
    ['deep nesting', '['.repeat(200_000), /not valid JSON/],
    ['HTML', '<html>', /not valid JSON/],
  ])('%s is refused with what is wrong, as JSON', async (_, body, message) => {
    const receiver = await start();
    expect(await post(receiver, body)).toMatchObject({
      status: 400,
      json: { error: expect.stringMatching(message) },
    });
  });

  test('bytes that are no UTF-8 cost a character, not an alert', async () => {
    const receiver = await start();
    const bytes = Buffer.from(groupText({ alerts: [numberedAlert(1, { annotations: { text: 'caf#' } })] }));
    bytes[bytes.indexOf('#')] = 0xe9;
    expect((await post(receiver, new Uint8Array(bytes))).status).toBe(202);
  });

  test('unknown paths, wrong methods and encodings are told so as JSON', async () => {
    const receiver = await start();
    expect((await post(receiver, '{}', {}, '/webhooks/nobody')).status).toBe(404);
    expect((await post(receiver, '{}', {}, '/nothing')).status).toBe(404);
    expect((await post(receiver, '{}', {}, '/%E0%A4%A')).status).toBe(404);
    expect((await post(receiver, '{}', {}, '/healthz')).status).toBe(405);
    expect((await post(receiver, '{}', { 'content-encoding': 'gzip' })).status).toBe(415);
    const get = await fetch(receiver.url + PATH);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('credentials: either of two bearer tokens or basic, else 401', async () => {
    const receiver = await start({}, { bearerTokens: ['old-token', 'new-token'], basicAuth: 'amélie:pä:ss' });
    const body = groupText({ alerts: [numberedAlert(1)] });
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    const status = async (authorization?: string) =>
      (await post(receiver, body, authorization === undefined ? {} : { authorization })).status;
    for (const good of ['Bearer old-token', 'bearer new-token', basic('amélie:pä:ss')]) {
      expect(await status(good)).toBe(202);
    }
    for (const bad of ['Bearer wrong', 'Bearer ', 'old-token', basic('amélie:'), 'Token old-token', undefined]) {
      expect(await status(bad)).toBe(401);
    }
    expect((await fetchText(`${receiver.url}/api/v1/reports`)).status).toBe(401);
    expect((await fetchText(`${receiver.url}/healthz`)).status).toBe(200);
  });

  test('case 11: Redis down: 503 with Retry-After, not ready but alive; back again without a restart', async () => {
    const receiver = await start();
    await server.kill();
    const body = groupText({ alerts: [numberedAlert(1)] });
    const refused = await post(receiver, body);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await fetchText(`${receiver.url}/readyz`)).status).toBe(503);
    expect((await fetchText(`${receiver.url}/healthz`)).status).toBe(200);
    await server.restart();
    await expect(untilTaken(() => post(receiver, body))).resolves.toBe(202);
    expect((await fetchText(`${receiver.url}/readyz`)).status).toBe(200);
    expect(await investigations(receiver)).toBe(1);
  });

  test('case 11: Redis frozen: 503 by the receiver’s own deadline; after the thaw and resends, one investigation', async () => {
    const receiver = await start();
    server.pause();
    const body = groupText({ alerts: [numberedAlert(1)] });
    // All at once: after some seconds of silence the connection is left, and what is wrong then is another thing.
    const asked = fetchText(`${receiver.url}/readyz`);
    const answers = await Promise.all([post(receiver, body), post(receiver, body), post(receiver, body)]);
    expect(answers.map((answer) => answer.status)).toEqual([503, 503, 503]);
    expect(await asked).toEqual({ status: 503, body: expect.stringContaining('no answer') });
    server.resume();
    await expect(untilTaken(() => post(receiver, body))).resolves.toBe(202);
    expect(await investigations(receiver)).toBe(1);
  });

  test('a sender that hangs up half-way leaves the server as it was', async () => {
    const receiver = await start();
    const socket = connect(receiver.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: 5000\r\n\r\n{"alerts":`);
    socket.destroy();
    await once(socket, 'close');
    expect((await post(receiver, groupText({ alerts: [numberedAlert(1)] }))).status).toBe(202);
  });

  test('beyond capacity the answer is an immediate 503 with Retry-After; what was let in is answered, and then there is room again', async () => {
    const open = gate<undefined>();
    const receiver = await start({
      intake: {
        receive: () => open.opened.then(() => '1-0'),
        acknowledge: () => Promise.resolve('1-0'),
      },
    });
    const body = groupText({ alerts: [numberedAlert(1)] });
    const all = Array.from({ length: 560 }, () => post(receiver, body));
    const refused: number[] = [];
    const note = async (answer: (typeof all)[number]) => {
      const { status, headers } = await answer;
      if (status === 503 && headers.get('retry-after') === '5') refused.push(status);
    };
    for (const answer of all) void note(answer);
    await eventually(
      'those beyond 500 are refused while the others wait',
      () => Promise.resolve(refused.length),
      (count) => count === 60,
    );
    open.open(undefined);
    const answers = await Promise.all(all);
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(500);
    expect((await post(receiver, body)).status).toBe(202);
  });

  test('a bug answers 500 as small JSON without its message', async () => {
    const receiver = await start({
      intake: {
        receive: () => Promise.reject(new Error('secret detail')),
        acknowledge: () => Promise.resolve('1-0'),
      },
    });
    const answer = await post(receiver, groupText({ alerts: [numberedAlert(1)] }));
    expect([answer.status, answer.json]).toEqual([500, { error: 'internal error' }]);
  });

  test('reports can be listed and read; what is not there is 404', async () => {
    const receiver = await start({
      reports: {
        listReports: (limit, kind) => Promise.resolve([{ id: 'rep_1', limit, kind }]),
        getReport: (id) => Promise.resolve(id === 'rep_1' ? { id } : undefined),
      },
    });
    const get = async (path: string) => fetchText(`${receiver.url}/api/v1/reports${path}`);
    const listed = async (query: string) => JSON.parse((await get(query)).body);
    expect(await listed('?limit=5')).toEqual({ reports: [{ id: 'rep_1', limit: 5, kind: 'incident' }] });
    expect(await listed('?kind=check')).toEqual({ reports: [{ id: 'rep_1', limit: 20, kind: 'check' }] });
    for (const wrong of ['?limit=0', '?kind=storm']) expect((await get(wrong)).status).toBe(400);
    expect((await get('?limit[]=x')).status).toBe(200);
    expect(await get('/rep_1')).toEqual({ status: 200, body: '{"id":"rep_1"}' });
    expect((await get('/rep_2')).status).toBe(404);
  });
});

async function fetchText(url: string) {
  const response = await fetch(url);
  return { status: response.status, body: await response.text() };
}

async function untilTaken(send: () => Promise<{ readonly status: number }>): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const { status } = await send();
    if (status !== 503) return status;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('never taken');
}

describe('listening', () => {
  const assertSafeToListen = (given: Parameters<typeof assertSafe>[0] & SourceSettings) =>
    assertSafe(given, createSources(given), []);
  const settings = { HOST: '0.0.0.0', ALLOW_UNAUTHENTICATED: false };

  test('without credentials only on loopback, unless told so', () => {
    for (const HOST of ['0.0.0.0', '::', '192.168.1.5', 'rootnote.example.net', '']) {
      expect(() => assertSafeToListen({ ...settings, HOST })).toThrow(
        /ALERTMANAGER_BEARER_TOKENS.*ALLOW_UNAUTHENTICATED/,
      );
    }
    for (const HOST of ['127.0.0.1', '127.8.8.8', '::1', 'localhost', '::ffff:127.0.0.1']) {
      expect(() => assertSafeToListen({ ...settings, HOST })).not.toThrow();
    }
    expect(() => assertSafeToListen({ ...settings, ALLOW_UNAUTHENTICATED: true })).not.toThrow();
    expect(() => assertSafeToListen({ ...settings, ALERTMANAGER_BEARER_TOKENS: ['t'] })).not.toThrow();
    expect(() => assertSafeToListen({ ...settings, ALERTMANAGER_BASIC_AUTH: 'a:b' })).not.toThrow();
    expect(() => assertSafeToListen({ ...settings, ALERTMANAGER_BEARER_TOKENS: [] })).toThrow();
  });
});
