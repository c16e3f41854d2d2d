import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { silentLogger } from '../../src/platform/logger.ts';
import { parseNotification } from '../../src/sources/alertmanager/parse-notification.ts';
import type { InboundRequest, Source } from '../../src/sources/source.ts';
import { groupBody, numberedAlert } from '../support/alertmanager-bodies.ts';
import { describeIf } from '../support/describe-if.ts';
import { startReceiver, type Receiver } from '../support/http-server.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { allSources, fixture, SENDERS, serveSns, signSns } from '../support/webhook-senders.ts';

const describeRedis = await describeIf(REDIS);

/** The answer; of what was accepted what became of it. */
interface Answer {
  readonly status: number;
  readonly body: { readonly incidentId?: string | undefined; readonly decision?: string; readonly error?: string };
}

const senderOf = (name: string) => {
  const sender = SENDERS.find(({ source }) => source === name);
  if (!sender) throw new Error(`no sender ${name}`);
  return sender;
};
const pagerduty = senderOf('pagerduty');
const grafana = senderOf('grafana');

describeRedis('D1: senders beside Alertmanager, over HTTP and into Redis', () => {
  let server: TestRedis;
  let receiver: Receiver;
  let isAmazonAway = false;
  const visited: string[] = [];

  beforeAll(async () => {
    server = await startTestRedis();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    isAmazonAway = false;
    visited.length = 0;
    const fetchText = (url: string) => {
      visited.push(url);
      return isAmazonAway ? Promise.reject(new Error('no route')) : serveSns(url);
    };
    receiver = await start(allSources({ now: Date.now, fetchText }));
  });
  afterEach(() => receiver.stop());

  async function start(sources: readonly Source[]): Promise<Receiver> {
    const started = await startReceiver(server.target, `t-${randomUUID()}`, { sources });
    if (started.redis.status !== 'ready') await once(started.redis, 'ready');
    return started;
  }

  async function send(source: string, { headers, bytes }: InboundRequest, method = 'POST'): Promise<Answer> {
    const response = await fetch(`${receiver.url}/webhooks/${source}`, {
      method,
      headers: headers as Record<string, string>,
      body: bytes,
    });
    const body = (await response.json()) as { readonly id?: string; readonly error?: string };
    return { status: response.status, body: body.id ? await receiver.admitting.decide(body.id) : body };
  }

  /** A fixture of PagerDuty, signed; `delivery` is its webhook id. */
  const page = (name: string, delivery: string = randomUUID()) =>
    send('pagerduty', pagerduty.sign(fixture(`pagerduty/${name}.json`), { 'x-webhook-id': delivery }));

  test('a status that nobody has thought of is logged, once a minute', async () => {
    const warned: unknown[] = [];
    const log = Object.assign(silentLogger(), { warn: (facts: unknown, why: string) => warned.push({ facts, why }) });
    const notification = parseNotification(groupBody({ alerts: [numberedAlert(1)] }));
    const source: Source = {
      name: 'shop',
      auth: { kind: 'open', remedy: '' },
      read: () => ({ kind: 'notification', notification, unknownStatus: 'warped' }),
    };
    const own = await startReceiver(server.target, `t-${randomUUID()}`, { sources: [source], log });
    if (own.redis.status !== 'ready') await once(own.redis, 'ready');
    for (let n = 0; n < 3; n++) {
      const { status } = await fetch(`${own.url}/webhooks/shop`, { method: 'POST', body: '{}' });
      expect(status).toBe(202);
    }
    await own.stop();
    expect(warned).toEqual([
      { facts: { source: 'shop', times: 1, status: 'warped' }, why: expect.stringContaining('taken for firing') },
    ]);
  });

  test('a PagerDuty incident is one incident: triggered, sent again, acknowledged, resolved', async () => {
    const first = await page('triggered', 'w-1');
    expect(first).toMatchObject({ status: 202, body: { decision: 'new' } });
    const { incidentId } = first.body;
    expect(await page('triggered', 'w-1')).toMatchObject({ status: 202, body: { decision: 'repeat' } });
    expect(await page('acknowledged')).toMatchObject({ status: 202, body: { incidentId, decision: 'acknowledged' } });
    expect(await page('resolved', 'w-2')).toMatchObject({ status: 202, body: { incidentId, decision: 'resolved' } });
    expect((await page('resolved', 'w-2')).status).toBe(202);
    const again = await page('reopened', 'w-3');
    expect(again).toMatchObject({ status: 202, body: { decision: 'new' } });
    expect(again.body.incidentId).not.toBe(incidentId);
  });

  test('many copies of one delivery at the same moment open one incident', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => page('triggered', 'w-same')));
    expect(answers.every(({ status }) => status === 202)).toBe(true);
    expect(answers.filter(({ body }) => body.decision === 'new')).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body.incidentId)).size).toBe(1);
  });

  test('no correctly signed event of PagerDuty is answered with 4xx: three of those would switch the subscription off', async () => {
    for (const { name } of pagerduty.samples) expect((await page(name)).status).toBe(202);
    for (const data of [null, {}, { id: 7 }, 'text', { type: 'service', id: 'PSVC' }]) {
      for (const event_type of ['incident.triggered', 'incident.resolved', 'service.updated', 'unheard.of']) {
        const bytes = Buffer.from(JSON.stringify({ event: { id: 'e', event_type, data } }));
        expect((await send('pagerduty', pagerduty.sign(bytes))).status).toBe(202);
      }
    }
  });

  test('case 12: raw bytes are what is signed; a changed body and a missing signature are 401 and leave nothing', async () => {
    for (const name of ['triggered-unicode', 'triggered-escaped', 'triggered-pretty'])
      expect((await page(name)).status).toBe(202);
    const signed = pagerduty.sign(fixture('pagerduty/triggered.json'));
    const changed = Buffer.from(signed.bytes.toString().replace('latency', 'Latency'));
    expect((await send('pagerduty', { ...signed, bytes: changed })).status).toBe(401);
    expect((await send('pagerduty', { ...signed, headers: {} })).status).toBe(401);
    for (const header of ['', 'v1=', 'v1=zz', 'garbage', `v1=${'0'.repeat(63)}`])
      expect((await send('pagerduty', { ...signed, headers: { 'x-pagerduty-signature': header } })).status).toBe(401);
    expect((await page('triggered')).body.decision).toBe('repeat');
  });

  test('Grafana may post or put; another method is 405, an old signature 401', async () => {
    const bytes = fixture('grafana/firing.json');
    // The signature of the samples is of another day.
    expect((await send('grafana', grafana.sign(bytes))).status).toBe(401);
    await receiver.stop();
    receiver = await start(allSources());
    expect(await send('grafana', grafana.sign(bytes), 'PUT')).toMatchObject({ status: 202, body: { decision: 'new' } });
    expect(await send('grafana', grafana.sign(bytes))).toMatchObject({ status: 202, body: { decision: 'repeat' } });
    expect((await send('grafana', grafana.sign(bytes), 'PATCH')).status).toBe(405);
    expect((await send('grafana', grafana.sign(Buffer.from('{}')))).status).toBe(400);
  });

  test('CloudWatch: an alarm, the same message again, and OK', async () => {
    const message = (name: string) => JSON.parse(fixture(`cloudwatch-sns/${name}.json`).toString()) as object;
    const sns = (body: object) => send('aws', { headers: { 'content-type': 'text/plain' }, bytes: signSns(body) });
    const first = await sns(message('alarm'));
    expect(first).toMatchObject({ status: 202, body: { decision: 'new' } });
    expect(await sns(message('alarm'))).toMatchObject({ status: 202, body: { decision: 'repeat' } });
    const { incidentId } = first.body;
    expect(await sns(message('ok'))).toMatchObject({ status: 202, body: { incidentId, decision: 'resolved' } });
    const forged = { ...message('alarm'), Signature: 'AAAA' };
    const bytes = Buffer.from(JSON.stringify(forged));
    expect((await send('aws', { headers: {}, bytes })).status).toBe(401);
  });

  test('a subscription to a configured topic is confirmed after the answer; a certificate that cannot be had is 503', async () => {
    const subscription = JSON.parse(fixture('cloudwatch-sns/subscription.json').toString()) as { SubscribeURL: string };
    expect((await send('aws', { headers: {}, bytes: signSns(subscription) })).status).toBe(200);
    expect(visited).toContain(subscription.SubscribeURL);
    isAmazonAway = true;
    const elsewhere = { ...subscription, SigningCertURL: 'https://sns.us-east-1.amazonaws.com/other.pem' };
    expect(await send('aws', { headers: {}, bytes: signSns(elsewhere) })).toMatchObject({
      status: 503,
      body: { error: 'the certificate that SNS signs with could not be read; send it again' },
    });
  });

  test('a mapped sender: accepted, resolved by its key, 422 with the path, 401 without the token', async () => {
    const backup = senderOf('backup');
    const first = await send('backup', backup.sign(fixture('plain/firing.json')));
    expect(first).toMatchObject({ status: 202, body: { decision: 'new' } });
    const resolved = await send('backup', backup.sign(fixture('plain/resolved.json')));
    expect(resolved.body).toEqual({ incidentId: first.body.incidentId, decision: 'resolved' });
    const untitled = await send('backup', backup.sign(Buffer.from('{"titel":"x"}')));
    expect(untitled).toEqual({ status: 422, body: { error: 'title: nothing at title' } });
    expect((await send('backup', { headers: {}, bytes: fixture('plain/firing.json') })).status).toBe(401);
  });

  test('Datadog gives no start: triggered, triggered again and recovered are one incident, the next trigger is another', async () => {
    const datadog = senderOf('datadog');
    const sent = (name: string, over: object = {}) => {
      const body = { ...(JSON.parse(fixture(`datadog/${name}.json`).toString()) as object), ...over };
      return send('datadog', datadog.sign(Buffer.from(JSON.stringify(body))));
    };
    const first = await sent('triggered');
    expect(first.body.decision).toBe('new');
    const { incidentId } = first.body;
    const again = await sent('triggered', { transition: 'Re-Triggered', date: '1793690805000' });
    expect(again.body).toMatchObject({ incidentId, decision: 'repeat' });
    expect((await sent('recovered')).body).toEqual({ incidentId, decision: 'resolved' });
    const next = await sent('triggered', { date: '1793700000000' });
    expect(next.body.decision).toBe('new');
    expect(next.body.incidentId).not.toBe(incidentId);
  });
});
