import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { submitChecks } from '../../src/app/start-schedule.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { createIncidentQueue, type IncidentQueue } from '../../src/queue/incident-queue.ts';
import { createIncidentStore } from '../../src/sessions/incident-store.ts';
import { makeIncident } from '../support/delivery-content.ts';
import { describeIf } from '../support/describe-if.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';

const suite = await describeIf(REDIS);
const TICK = Date.parse('2026-11-29T10:00:00Z');
const MINUTE_MS = 60_000;
const check = (minutes: number) =>
  makeIncident({ id: `check_shop_${minutes}`, kind: 'check', startsAtMs: TICK + minutes * MINUTE_MS });

suite('D5: ticks while Redis is away', () => {
  let server: TestRedis;
  let redis: Redis;
  let queue: IncidentQueue;

  beforeEach(async () => {
    server = await startTestRedis();
    redis = openWorkerRedis(server.target, silentLogger());
    queue = createIncidentQueue(redis, 'rootnote', silentLogger());
  });
  afterEach(async () => {
    await queue.close();
    redis.disconnect();
    await server.stop();
  });

  test('those of the last minutes run when it is back; those of hours ago do not come as a crowd', async () => {
    await server.kill();
    const submit = submitChecks(createIncidentStore(redis, 'rootnote'), queue, () => TICK + 125 * MINUTE_MS);
    const submitted = Promise.allSettled([0, 60, 120].map((minutes) => submit(check(minutes))));
    await server.restart();
    expect((await submitted).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect((await queue.status()).depth.waiting).toBe(1);
    expect(await redis.exists('rootnote:incidents:investigate_check_shop_120')).toBe(1);
  });
});
