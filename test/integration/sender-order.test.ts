import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { createIncidentStore } from '../../src/sessions/incident-store.ts';
import { createAdmittingIntake } from '../support/admitting-intake.ts';
import { describeIf } from '../support/describe-if.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { allSources, fixture, signSns } from '../support/webhook-senders.ts';

const suite = await describeIf(REDIS);

suite('senders whose messages come late, twice or in another order', () => {
  let server: TestRedis;
  let redis: Redis;
  let prefix = '';
  beforeAll(async () => {
    server = await startTestRedis();
    redis = openWorkerRedis(server.target, silentLogger());
  });
  beforeEach(() => {
    prefix = randomUUID();
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  /** Reads the bodies as the source does and admits what they say, one after the other. */
  async function receive(source: string, bodies: readonly Buffer[], deliveries: readonly string[] = []): Promise<void> {
    const reader = allSources().find(({ name }) => name === source);
    const intake = createAdmittingIntake(redis, prefix);
    for (const [index, bytes] of bodies.entries()) {
      const reading = reader?.read({ headers: { 'x-webhook-id': deliveries[index] ?? randomUUID() }, bytes });
      if (reading?.kind === 'notification') await intake.receive(reading.notification);
      if (reading?.kind === 'acknowledged') await intake.acknowledge(reading.acknowledgement);
    }
    await intake.queued();
  }

  async function incidents() {
    const store = createIncidentStore(redis, prefix);
    const lives = await Promise.all((await store.listIds(10)).map((id) => store.getLife(id)));
    return lives.map((life) => ({
      state: life?.incident.state,
      by: life?.incident.acknowledged?.by,
      decisions: life?.decisions.map(({ decision }) => decision),
    }));
  }

  const page = (name: string) => fixture(`pagerduty/${name}.json`);
  const sns = (name: string) => signSns(JSON.parse(fixture(`cloudwatch-sns/${name}.json`).toString()) as object);

  test('PagerDuty: triggered that is sent again after resolved opens nothing', async () => {
    await receive('pagerduty', [page('triggered'), page('resolved'), page('triggered')], ['w-1', 'w-2', 'w-1']);
    expect(await incidents()).toMatchObject([{ state: 'resolved' }]);
    await receive('pagerduty', [page('triggered')], ['w-of-another-subscription']);
    expect(await incidents()).toMatchObject([{ state: 'resolved' }]);
  });

  test('PagerDuty: acknowledged that comes after resolved changes nothing', async () => {
    await receive('pagerduty', [page('triggered'), page('resolved'), page('acknowledged')]);
    expect(await incidents()).toMatchObject([{ state: 'resolved', by: undefined }]);
    const [{ decisions } = { decisions: [] }] = await incidents();
    expect(decisions).not.toContain('acknowledged');
  });

  test('PagerDuty: resolved that comes first ends the incident before it begins; reopened is an incident', async () => {
    await receive('pagerduty', [page('resolved'), page('triggered')]);
    expect((await incidents()).filter(({ state }) => state === 'firing')).toEqual([]);
    await receive('pagerduty', [page('reopened')]);
    expect((await incidents()).filter(({ state }) => state === 'firing')).toHaveLength(1);
  });

  test('SNS: an alarm that somebody replays after its end opens nothing: its MessageId is known', async () => {
    const alarm = sns('alarm');
    await receive('aws', [alarm, sns('ok'), alarm]);
    expect(await incidents()).toMatchObject([{ state: 'resolved' }]);
  });

  test('SNS: an OK that somebody replays ends no later alarm', async () => {
    const ok = sns('ok');
    const first = JSON.parse(fixture('cloudwatch-sns/alarm.json').toString()) as { Message: string };
    const inner = { ...(JSON.parse(first.Message) as object), StateChangeTime: '2026-11-03T09:30:00.000+0000' };
    const again = signSns({ ...first, MessageId: 'another', Message: JSON.stringify(inner) });
    await receive('aws', [sns('alarm'), ok, again, ok]);
    expect((await incidents()).filter(({ state }) => state === 'firing')).toHaveLength(1);
  });
});
