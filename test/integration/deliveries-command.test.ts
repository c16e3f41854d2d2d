import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { useDeliveries, type DeliveriesRequest } from '../../src/app/deliveries-command.ts';
import { readBack } from '../../src/app/read-back.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { NO_USAGE } from '../../src/domain/session.ts';
import { reportId, sessionId } from '../../src/investigate/write-report.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { createDeliveries, type Deliveries } from '../../src/queue/deliveries/deliveries.ts';
import { createReportStore } from '../../src/sessions/report-store.ts';
import { makeIncident, makeReport } from '../support/delivery-content.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { scriptedDestination } from '../support/scripted-destination.ts';

const suite = await describeIf(REDIS);

suite('rootnote reports show, and rootnote deliveries', () => {
  let server: TestRedis;
  let deliveries: Deliveries;
  let isMended = false;
  const chat = scriptedDestination('chat');
  const incident = makeIncident({ id: 'inc_told' });
  const config = () => parseConfig({ REDIS_URL: server.url });
  const show = async (json: boolean) =>
    (await readBack(config(), { what: 'reports', id: 'inc_told', json, colour: false }, () => undefined)).text;

  const ask = (request: DeliveriesRequest) => useDeliveries(config(), request, () => undefined);
  const list = async (json: boolean) => (await ask({ verb: 'list', json })).text;

  beforeAll(async () => {
    server = await startTestRedis();
    const redis = openWorkerRedis(server.target, silentLogger());
    const report = makeReport({ id: reportId(incident.id), incident: { ...makeReport().incident, id: incident.id } });
    const session = {
      id: sessionId(incident.id),
      incidentId: incident.id,
      startedAtMs: 0,
      finishedAtMs: 1,
      terminationReason: 'done',
      usage: NO_USAGE,
      entries: [],
      brief: '',
    };
    await createReportStore(redis, 'rootnote').saveFirst(report, session, incident);
    redis.disconnect();
    const jira = scriptedDestination('jira', () =>
      isMended
        ? { outcome: 'ok', handle: { key: 'OPS-1', url: 'https://jira.example.com/browse/OPS-1' } }
        : { outcome: 'give-up', reason: 'HTTP 401' },
    );
    deliveries = await createDeliveries({
      redisTarget: server.target,
      prefix: 'rootnote',
      destinations: [jira.destination, chat.destination],
      loadContent: () => Promise.resolve({ kind: 'report', incident, report }),
      redact: (text) => text,
      log: silentLogger(),
    });
    deliveries.startWorker();
    await deliveries.schedule(incident, 'report');
  });
  afterAll(async () => {
    await deliveries.close(1000);
    await server.stop();
  });

  test('every delivery is shown with its state, reason and link, and is sent again on demand', async () => {
    // The notice is told while its cause is noted: either may be there first.
    const told = await eventually(
      'jira is given up, chat has the notice',
      () => show(false),
      (text) => /jira: report gave-up/.test(text) && /notice-1 delivered/.test(text),
    );
    expect(told).toMatch(/\njira: report gave-up \(1 attempt, HTTP 401\)\nchat: report delivered \(1 attempt\)\n/);
    expect(await list(false)).toMatch(
      /^\S+Z {2}jira {2}report of inc_told, after 1 attempt: HTTP 401\n {4}rootnote deliveries retry inc_told jira\n$/,
    );
    expect(JSON.parse(await list(true))).toMatchObject({
      gaveUp: [{ id: 'inc_told', destination: 'jira', content: 'report', attempts: 1, reason: 'HTTP 401' }],
      waiting: [],
    });
    isMended = true;
    expect(await ask({ verb: 'retry', id: 'rep_inc_told', destination: 'chat' })).toEqual({
      text: 'nothing of inc_told was given up (chat: notice-1 delivered); see rootnote deliveries list',
      isRefused: true,
    });
    expect((await ask({ verb: 'retry', id: 'rep_inc_told', destination: 'slack' })).text).toMatch(
      /^nothing of inc_told was to be told at slack; there are: jira, chat;/,
    );
    expect((await ask({ verb: 'retry', id: 'foo' })).text).toMatch(/^nothing was to be told of foo: no incident/);
    const said = await ask({ verb: 'retry', id: 'rep_inc_t' });
    expect(said).toEqual({ text: 'jira: report is sent again\n', isRefused: false });
    const link = 'jira: report delivered (2 attempts) https://jira.example.com/browse/OPS-1';
    await eventually(
      'jira has it',
      () => show(false),
      (text) => text.includes(link),
    );
    await eventually(
      'chat hears of it',
      () => show(false),
      (text) => text.includes('chat: notice-2 delivered'),
    );
    expect(await list(false)).toBe('Nothing is given up.\n');
    const { deliveries: listed } = JSON.parse(await show(true)) as { deliveries: readonly object[] };
    expect(listed).toMatchObject([
      { destination: 'jira', content: 'report', state: 'delivered', attempts: 2 },
      { destination: 'chat', content: 'report', state: 'delivered', attempts: 1 },
      { destination: 'chat', content: 'notice-1', state: 'delivered', attempts: 1 },
      { destination: 'chat', content: 'notice-2', state: 'delivered', attempts: 1 },
    ]);
    expect(chat.told.at(-1)?.news).toBe('By now it is delivered to jira, too.');
  });

  test('what waits is listed with its incident, the last error and when it is tried', async () => {
    const redis = openWorkerRedis(server.target, silentLogger());
    await redis.sadd('rootnote:delivery-destinations', 'webhook');
    await redis.zadd('rootnote:undelivered:webhook', Date.now(), 'inc_w|report');
    const chain = { 'report|rank': 1, 'report|state': 'pending', 'report|attempts': 3, 'report|reason': 'HTTP 503' };
    await redis.hset('rootnote:deliveries:inc_w:webhook', { ...chain, '@notBeforeMs': Date.UTC(2100, 0, 1) });
    redis.disconnect();
    expect(await list(false)).toMatch(
      /\nwaiting {2}webhook {2}1, the oldest for [^\n]*\n {4}report of inc_w, after 3 attempts: HTTP 503; not before 2100-01-01T00:00:00\.000Z\n$/,
    );
    const oldest = [{ id: 'inc_w', content: 'report', attempts: 3, reason: 'HTTP 503' }];
    expect(JSON.parse(await list(true))).toMatchObject({ waiting: [{ destination: 'webhook', oldest }] });
  });
});
