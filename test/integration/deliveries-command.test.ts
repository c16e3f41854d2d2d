import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { retryDeliveries } from '../../src/app/deliveries-command.ts';
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

suite('rootnote reports show, and rootnote deliveries retry', () => {
  let server: TestRedis;
  let deliveries: Deliveries;
  let isMended = false;
  const incident = makeIncident({ id: 'inc_told' });
  const config = () => parseConfig({ REDIS_URL: server.url });
  const show = async (json: boolean) =>
    (await readBack(config(), { what: 'reports', id: 'inc_told', json, colour: false }, () => undefined)) ?? '';

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
      destinations: [jira.destination, scriptedDestination('chat').destination],
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
    await eventually(
      'jira is given up, chat has the notice',
      () => show(false),
      (text) => /notice-1 delivered/.test(text),
    );
    expect(await show(false)).toMatch(
      /\njira: report gave-up \(1 attempt, HTTP 401\)\nchat: report delivered \(1 attempt\)\n/,
    );
    isMended = true;
    expect(
      await retryDeliveries(config(), { id: 'rep_inc_told', destination: 'chat' }, () => undefined),
    ).toBeUndefined();
    const said = await retryDeliveries(config(), { id: 'rep_inc_told' }, () => undefined);
    expect(said).toBe('jira: report is sent again\n');
    const link = 'jira: report delivered (2 attempts) https://jira.example.com/browse/OPS-1';
    await eventually(
      'jira has it',
      () => show(false),
      (text) => text.includes(link),
    );
    const { deliveries: listed } = JSON.parse(await show(true)) as { deliveries: readonly object[] };
    expect(listed).toMatchObject([
      { destination: 'jira', content: 'report', state: 'delivered', attempts: 2 },
      { destination: 'chat', content: 'report', state: 'delivered', attempts: 1 },
      { destination: 'chat', content: 'notice-1', state: 'delivered', attempts: 1 },
    ]);
  });
});
