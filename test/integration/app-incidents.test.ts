import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { showIncidents } from '../../src/app/incidents-command.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { createIntake } from '../../src/intake/intake.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { createAdmissionStore } from '../../src/sessions/admission/admission-store.ts';
import { createIncidentStore } from '../../src/sessions/incident-store.ts';
import { parseNotification } from '../../src/sources/alertmanager/parse-notification.ts';
import { groupBody, numberedAlert, type BodyAlert } from '../support/alertmanager-bodies.ts';
import { describeIf } from '../support/describe-if.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';

const suite = await describeIf(REDIS);

suite('rootnote incidents', () => {
  let server: TestRedis;
  let redis: Redis;
  let openId = '';
  let overId = '';

  beforeAll(async () => {
    server = await startTestRedis();
    redis = openWorkerRedis(server.target, silentLogger());
    const intake = createIntake(
      createAdmissionStore(redis, 'rootnote'),
      { addAll: () => Promise.resolve() },
      (text) => text,
    );
    const receive = async (alert: BodyAlert, truncatedAlerts = 0) => {
      const { incidentId = '' } = await intake.receive(
        parseNotification(groupBody({ alerts: [alert], truncatedAlerts })),
      );
      return incidentId;
    };
    openId = await receive(numberedAlert(1), 7);
    await receive(numberedAlert(1), 7);
    overId = await receive(numberedAlert(2, { annotations: { summary: '\u001b[31mred\nline' } }));
    await receive(numberedAlert(2, { status: 'resolved' }));
    const fingerprint = parseNotification(groupBody({ alerts: [numberedAlert(1)] })).alerts[0]?.fingerprint ?? '';
    await intake.acknowledge({
      source: 'alertmanager',
      fingerprint,
      by: 'Ada\u001b[2J Example',
      atMs: 1_790_000_000_000,
    });
    await redis.hset(`rootnote:incident:${openId}`, 'placement', 'member inc_lead');
    await createIncidentStore(redis, 'rootnote').noteProgress(openId, 'joined', Date.now(), 'covered by inc_lead');
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  const show = (id?: string, json = false) =>
    showIncidents(
      parseConfig({ REDIS_URL: server.url }),
      { json, ...(id === undefined ? {} : { id }) },
      () => undefined,
    );

  test('the list says what is open and since when, open ones first', async () => {
    const [first = '', second = ''] = ((await show()) ?? '').split('\n');
    expect(first).toMatch(new RegExp(`^20.*  ${openId}  open for \\S+ \\S+, joined inc_lead, taken on by Ada.*CheckoutErrors$`));
    expect(second).toMatch(new RegExp(`${overId}  resolved, waiting  \\[critical\\] CheckoutErrors$`));
    const rows = JSON.parse((await show(undefined, true)) ?? '') as { id: string; state: string }[];
    expect(rows.map(({ id, state }) => [id, state])).toEqual([
      [openId, 'firing'],
      [overId, 'resolved'],
    ]);
  });

  test('one incident is told with every decision and its reason, and nothing that steers a terminal', async () => {
    const text = (await show(openId)) ?? '';
    expect(text).toMatch(/alerts +1, 7 more cut off; told again 1×/);
    expect(text).toMatch(
      / new +1 alerts[^\n]*\n[^\n]* acknowledged +taken on by Ada[^\n]*\n[^\n]* joined +covered by inc_lead\n$/,
    );
    expect(text).not.toContain('\u001b');
    expect(await show(`rep_${openId}`)).toBe(text);
  });

  test('in JSON it has the same', async () => {
    const view = JSON.parse((await show(openId, true)) ?? '') as Record<string, unknown>;
    expect(view).toMatchObject({
      stage: 'joined',
      coveredBy: 'inc_lead',
      truncatedAlerts: 7,
      repeats: 1,
      report: null,
      acknowledged: { at: new Date(1_790_000_000_000).toISOString() },
      decisions: [{ decision: 'new' }, { decision: 'acknowledged' }, { decision: 'joined' }],
    });
  });

  test('what is not there is undefined', async () => {
    expect(await show('inc_nowhere')).toBeUndefined();
  });
});
