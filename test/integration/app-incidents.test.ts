import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { showIncidents } from '../../src/app/incidents-command.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { createIncidentStore } from '../../src/sessions/incident-store.ts';
import { parseNotification } from '../../src/sources/alertmanager/parse-notification.ts';
import { createAdmittingIntake } from '../support/admitting-intake.ts';
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
  let receive: (alert: BodyAlert, truncatedAlerts?: number) => Promise<string>;

  beforeAll(async () => {
    server = await startTestRedis();
    redis = openWorkerRedis(server.target, silentLogger());
    const intake = createAdmittingIntake(redis, 'rootnote', { queue: { addAll: () => Promise.resolve() } });
    receive = async (alert, truncatedAlerts = 0) => {
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
    expect(first).toMatch(
      new RegExp(`^20.*  ${openId}  open for \\S+ \\S+, joined inc_lead, taken on by Ada.*CheckoutErrors$`),
    );
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
      / new +1 alert that no open incident knows[^\n]*\n[^\n]* acknowledged +taken on by Ada[^\n]*\n[^\n]* joined +covered by inc_lead\n$/,
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

  test('where flapping begins it is said, with how often it came before; while it is quiet it does not fire', async () => {
    let id = '';
    for (const minute of [1, 2, 3]) {
      const startsAt = `2026-11-03T08:0${minute}:00Z`;
      id = await receive(numberedAlert(9, { startsAt }));
      await receive(numberedAlert(9, { startsAt, status: 'resolved' }));
    }
    const text = (await show(id)) ?? '';
    expect(text).toMatch(/\n {2}state {5}quiet for now, waiting, flapping 3×\n/);
    expect(text).toMatch(
      /\n {2}resolved {2}at \S+, if it stays quiet\n {2}history {3}flapping: fired 3 times in 2 min \(/,
    );
    expect(text).toMatch(/ new +1 alert that no open incident knows; fired before, in inc_\w+, it flaps: 3 times\n/);
    expect(await show()).toMatch(new RegExp(`${id}  quiet for now, waiting, flapping 3×`));
  });

  test('a reported incident says that nobody was told of it, or who was not; a muted one why', async () => {
    const store = createIncidentStore(redis, 'rootnote');
    const id = await receive(numberedAlert(20));
    await store.noteProgress(id, 'reported', Date.now(), 'told nobody (routes.yaml:9)');
    await redis.set(`rootnote:addressees:${id}`, '[]');
    expect(await show(id)).toMatch(/\n {2}state {5}firing, reported, told nobody \(routes\.yaml:9\)\n/);
    expect(await show()).toMatch(new RegExp(`${id}  open for \\S+ \\S+, reported, told nobody \\(routes`));
    expect(JSON.parse((await show(id, true)) ?? '')).toMatchObject({ untold: 'told nobody (routes.yaml:9)' });

    await redis.set(`rootnote:addressees:${id}`, '[{"destination":"teams","afterMs":600000}]');
    const chain = `rootnote:deliveries:${id}:teams`;
    await redis.hset(chain, { 'report|rank': 1, 'report|state': 'pending', '@dueMs': Date.UTC(2100, 0, 1) });
    expect(await show(id)).toContain('Told:\n  teams: report pending (0 attempts), due at 2100-01-01T00:00:00.000Z\n');
    expect(await show(id)).toContain('firing, reported\n');
    await redis.hset(chain, { 'report|state': 'gave-up', 'report|reason': 'HTTP 404' });
    expect(await show(id)).toContain('firing, reported, told nobody: teams gave up\n');

    await store.noteProgress(id, 'muted', Date.now(), 'planned work (until 2100-01-01T00:00:00.000Z, routes.yaml:12)');
    expect(await show()).toContain(', muted: planned work (until 2100-01-01T00:00:00.000Z, routes.yaml:12)');
  });

  test('the id that a webhook was answered with says what it is, and whether it still waits', async () => {
    const waiting = (await redis.xadd('rootnote:inbox', '*', 'source', 'alertmanager')) ?? '';
    await expect(show(waiting)).rejects.toThrow(/ is the id of a webhook, .* waits in the inbox: no worker/);
    await redis.xdel('rootnote:inbox', waiting);
    await redis.xadd('rootnote:inbox-aside', '*', 'arrival', waiting, 'reason', 'odd');
    await expect(show(waiting)).rejects.toThrow(/kept aside/);
    await redis.del('rootnote:inbox-aside');
    await expect(show('1796040322272-0')).rejects.toThrow(
      /at 2026-11-30T\S+Z, the worker's log has its decision and its incident: look for arrivalId 1796040322272-0 /,
    );
  });

  test('what is not there is undefined', async () => {
    expect(await show('inc_nowhere')).toBeUndefined();
  });
});
