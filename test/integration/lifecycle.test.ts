import { beforeEach, expect, test } from '@jest/globals';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Alert, Notification } from '../../src/domain/alert.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { createIncidentQueue } from '../../src/queue/incident-queue.ts';
import { sweepOutbox } from '../../src/queue/outbox-sweep.ts';
import { createOutbox, FLAPPING } from '../../src/sessions/admission/admission-store.ts';
import { createIncidentStore, type IncidentStore } from '../../src/sessions/incident-store.ts';
import { parseNotification } from '../../src/sources/alertmanager/parse-notification.ts';
import { createAdmittingIntake, type AdmittingIntake } from '../support/admitting-intake.ts';
import { groupBody, numberedAlert, type BodyAlert, type BodyGroup } from '../support/alertmanager-bodies.ts';
import { describeIf } from '../support/describe-if.ts';
import { REDIS } from '../support/programs.ts';
import { useRedis } from '../support/use-redis.ts';

const describeRedis = await describeIf(REDIS);
const MINUTE_MS = 60_000;
const STARTED_MS = Date.parse('2026-11-03T07:21:00Z');
const at = (minutes: number) => new Date(STARTED_MS + minutes * MINUTE_MS).toISOString();
const notify = (alerts: readonly BodyAlert[], group: Partial<BodyGroup> = {}) =>
  parseNotification(groupBody({ ...group, alerts }));
const firing = (n: number, minutes: number): BodyAlert => numberedAlert(n, { startsAt: at(minutes) });
const resolved = (n: number, minutes: number): BodyAlert => ({ ...firing(n, minutes), status: 'resolved' });

/** Of a sender that numbers its deliveries and does not say when an alert began. */
function delivered(deliveryId: string, alert: Partial<Alert>): Notification {
  const [full] = notify([numberedAlert(1)]).alerts;
  if (!full) throw new Error('a body without alerts');
  return {
    ...notify([]),
    source: 'pagerduty',
    deliveryId,
    alerts: [{ ...full, startsAtReceipt: true, startsAtMs: Date.now(), ...alert }],
  };
}

describeRedis('the life of an incident', () => {
  let redis: Redis;
  let prefix: string;
  let intake: AdmittingIntake;
  let incidents: IncidentStore;

  const used = useRedis();
  beforeEach(() => {
    ({ redis, prefix } = used);
    intake = newIntake();
    incidents = createIncidentStore(redis, prefix);
  });

  const newIntake = (rules = FLAPPING) => createAdmittingIntake(redis, prefix, { flapping: rules });
  const receive = (alerts: readonly BodyAlert[], group?: Partial<BodyGroup>) => intake.receive(notify(alerts, group));
  const jobs = async () => {
    await intake.queued();
    const queue = new Queue('incidents', { connection: redis, prefix });
    const all = await queue.getJobs();
    await queue.close();
    return all.map((job) => job.id ?? '').toSorted();
  };
  const life = async (id: string | undefined) => {
    const found = await incidents.getLife(id ?? '');
    if (!found) throw new Error(`no incident ${id}`);
    return found;
  };
  const decisions = async (id: string | undefined) => (await life(id)).decisions.map(({ decision }) => decision);
  const work = (id: string | undefined, stage: 'investigating' | 'reported') =>
    incidents.noteProgress(id ?? '', stage, Date.now());

  test('firing, investigating, reported, resolved: each step is kept with its time and reason', async () => {
    const { incidentId } = await receive([firing(1, 0)]);
    expect(await life(incidentId)).toMatchObject({ stage: 'waiting', incident: { state: 'firing' } });
    await work(incidentId, 'investigating');
    await incidents.noteProgress(incidentId ?? '', 'reported', Date.now(), 'checkout: memory_exhaustion');
    await receive([firing(1, 0)]);
    await receive([resolved(1, 0)]);
    const { decisions: told, ...rest } = await life(incidentId);
    expect(rest).toMatchObject({ stage: 'reported', repeats: 1, incident: { state: 'resolved' } });
    expect(told.map(({ decision }) => decision)).toEqual(['new', 'investigating', 'reported', 'resolved']);
    expect(told[2]?.reason).toBe('checkout: memory_exhaustion');
    for (const { atMs } of told) expect(Math.abs(atMs - Date.now())).toBeLessThan(60_000);
  });

  test('the record of decisions keeps the latest 50', async () => {
    const { incidentId = '' } = await receive([firing(1, 0)]);
    for (let n = 1; n <= 70; n++) await incidents.noteProgress(incidentId, 'reported', n, `look ${n}`);
    const { decisions: kept } = await life(incidentId);
    expect(kept).toHaveLength(50);
    expect([kept[0]?.reason, kept[49]?.reason]).toEqual(['look 21', 'look 70']);
  });

  test('progress of an incident that is forgotten leaves nothing behind', async () => {
    await incidents.noteProgress('inc_forgotten', 'reported', Date.now());
    expect(await redis.keys(`${prefix}:incident:*`)).toEqual([]);
  });

  test('case 10: a re-fire after the resolve is an incident of its own that knows which one it follows', async () => {
    const first = await receive([firing(1, 0)]);
    await receive([resolved(1, 0)]);
    const second = await receive([firing(1, 90)]);
    expect(second.decision).toBe('new');
    expect(second.incidentId).not.toBe(first.incidentId);
    expect((await life(second.incidentId)).incident).toMatchObject({
      follows: first.incidentId,
      recurs: { times: 2, sinceMs: STARTED_MS },
    });
    expect((await jobs()).filter((id) => id.startsWith('investigate'))).toHaveLength(2);
    expect((await life(first.incidentId)).incident.state).toBe('resolved');
  });

  test('a re-fire whose resolve never came ends the occurrence before it', async () => {
    const first = await receive([firing(1, 0)]);
    const second = await receive([firing(1, 90)]);
    expect(second.decision).toBe('new');
    expect((await life(first.incidentId)).incident.state).toBe('resolved');
    expect((await decisions(first.incidentId)).at(-1)).toBe('resolved');
    expect((await life(second.incidentId)).incident.state).toBe('firing');
  });

  test('late copies of an earlier occurrence change nothing', async () => {
    await receive([firing(1, 0)]);
    await receive([resolved(1, 0)]);
    const { incidentId } = await receive([firing(1, 90)]);
    expect((await receive([firing(1, 0)])).decision).toBe('repeat');
    expect((await receive([resolved(1, 0)])).decision).toBe('repeat');
    expect((await life(incidentId)).incident.state).toBe('firing');
  });

  test('a start that lies years ahead does not keep later occurrences out', async () => {
    const ahead = numberedAlert(1, { startsAt: '2099-01-01T00:00:00Z' });
    const first = await receive([ahead]);
    await receive([{ ...ahead, status: 'resolved' }]);
    const second = await receive([firing(1, 5)]);
    expect([first.decision, second.decision]).toEqual(['new', 'new']);
    expect((await receive([firing(1, 5)])).decision).toBe('repeat');
    expect(await receive([resolved(1, 5)])).toEqual({ decision: 'resolved', incidentId: second.incidentId });
  });

  test.each(['0000-01-01T00:00:00Z', '0002-01-01T00:00:00Z', '9999-12-31T23:59:59Z'])(
    'an alert that claims to have begun in %s is an incident like any other',
    async (startsAt) => {
      const alert = numberedAlert(1, { startsAt });
      const { decision, incidentId } = await receive([alert]);
      expect([decision, (await receive([alert])).decision]).toEqual(['new', 'repeat']);
      expect(await receive([{ ...alert, status: 'resolved' }])).toEqual({ decision: 'resolved', incidentId });
      expect((await incidents.getIncident(incidentId ?? ''))?.startsAtMs).toBe(Date.parse(startsAt));
    },
  );

  test('a sender that learns of an earlier start while the alert fires does not open a second incident', async () => {
    const first = await receive([firing(1, 5)]);
    expect(await receive([firing(1, 4)])).toEqual({ decision: 'repeat', incidentId: first.incidentId });
    expect((await receive([resolved(1, 4)])).decision).toBe('resolved');
  });

  test('the third occurrence in an hour flaps: later ones join it, and nothing is told of the pauses', async () => {
    for (const minutes of [0, 5]) {
      await receive([firing(1, minutes)]);
      await receive([resolved(1, minutes)]);
    }
    const third = await receive([firing(1, 10)]);
    expect(third.decision).toBe('new');
    expect((await life(third.incidentId)).incident.flapping).toEqual({ times: 3, sinceMs: STARTED_MS });
    const before = await jobs();
    for (const minutes of [15, 20, 25]) {
      expect((await receive([resolved(1, minutes - 5)])).decision).toBe('joined');
      expect(await receive([firing(1, minutes)])).toEqual({ decision: 'joined', incidentId: third.incidentId });
    }
    expect(await jobs()).toEqual(before);
    expect((await life(third.incidentId)).incident).toMatchObject({
      state: 'firing',
      alertCount: 1,
      flapping: { times: 6, sinceMs: STARTED_MS },
    });
    expect(await redis.keys(`${prefix}:incident:*`)).toHaveLength(3);
  });

  test('a flapping incident is resolved when it was quiet for a while, once, and then a re-fire is a new one', async () => {
    const quietMs = 60 * MINUTE_MS;
    intake = newIntake({ times: 2, windowMs: 60 * MINUTE_MS, quietMs });
    await receive([firing(1, 0)]);
    await receive([resolved(1, 0)]);
    const { incidentId } = await receive([firing(1, 5)]);
    await receive([resolved(1, 5)]);
    expect(await life(incidentId)).toMatchObject({ incident: { state: 'firing' }, resolvedAtMs: undefined });
    expect(await incidents.getResolvedAtMs(incidentId ?? '')).toBeUndefined();
    const outbox = createOutbox(redis, prefix);
    const queue = createIncidentQueue(redis, prefix, silentLogger());
    const sweptJobs = async () => {
      await sweepOutbox(outbox, queue, 0);
      return jobs();
    };
    expect(await sweptJobs()).not.toContain(`resolved_${incidentId}`);
    // As if all of it had passed. Both are there already: what was missing would be below zero.
    expect(await redis.hincrby(`${prefix}:incident:${incidentId}`, 'heldUntilMs', -quietMs)).toBeGreaterThan(0);
    const due = await redis.zincrby(`${prefix}:outbox`, -quietMs, `resolved ${incidentId} - 0`);
    expect(Number(due)).toBeGreaterThan(0);
    expect(await sweptJobs()).toContain(`resolved_${incidentId}`);
    expect(await life(incidentId)).toMatchObject({
      incident: { state: 'resolved' },
      resolvedAtMs: expect.any(Number) as unknown,
    });
    const next = await receive([firing(1, 10)]);
    expect(next.decision).toBe('new');
    expect((await life(next.incidentId)).incident).toMatchObject({ follows: incidentId, flapping: { times: 3 } });
  });

  test('one alert of a group that flaps does not make the others wait, nor end what still fires', async () => {
    const { incidentId } = await receive([firing(1, 0), firing(2, 0)]);
    for (const minutes of [5, 10, 15]) {
      await receive([firing(1, 0), resolved(2, minutes - 5)]);
      expect(await receive([firing(1, 0), firing(2, minutes)])).toEqual({ decision: 'joined', incidentId });
    }
    const { incident } = await life(incidentId);
    expect(incident).toMatchObject({ state: 'firing', alertCount: 2, flapping: { times: 4 } });
    expect(await receive([firing(1, 0), firing(3, 16)])).toEqual({ decision: 'joined', incidentId });
  });

  test('an alert without a start is the occurrence that is open, however often it is told', async () => {
    const first = await intake.receive(delivered('d1', { startsAtMs: STARTED_MS }));
    expect(first.decision).toBe('new');
    const again = await intake.receive(delivered('d2', { startsAtMs: STARTED_MS + MINUTE_MS }));
    expect(again).toEqual({ decision: 'repeat', incidentId: first.incidentId });
    const over = await intake.receive(delivered('d3', { status: 'resolved', startsAtMs: STARTED_MS + 2 * MINUTE_MS }));
    expect(over).toEqual({ decision: 'resolved', incidentId: first.incidentId });
    const late = await intake.receive(delivered('d4', { status: 'resolved', startsAtMs: STARTED_MS + 3 * MINUTE_MS }));
    expect(late.decision).toBe('repeat');
    const next = await intake.receive(delivered('d5', { startsAtMs: STARTED_MS + 4 * MINUTE_MS }));
    expect(next.decision).toBe('new');
    expect((await life(next.incidentId)).incident.follows).toBe(first.incidentId);
  });

  test('a resolved alert without a start opens nothing', async () => {
    expect(await intake.receive(delivered('d1', { status: 'resolved' }))).toMatchObject({ decision: 'ignored' });
    expect(await intake.receive(delivered('d1', { status: 'resolved' }))).toMatchObject({ decision: 'ignored' });
  });

  test('a numbered delivery is decided once: its retries answer with the same incident', async () => {
    const first = await intake.receive(delivered('d1', {}));
    await intake.receive(delivered('d2', { status: 'resolved' }));
    // A retry of the first one that comes after all: it must not open what is over.
    const retry = await intake.receive(delivered('d1', { startsAtMs: Date.now() + 1 }));
    expect(retry).toEqual({ decision: 'repeat', incidentId: first.incidentId });
    expect((await jobs()).filter((id) => id.startsWith('investigate'))).toHaveLength(1);
    const [key] = await redis.keys(`${prefix}:taken:*`);
    expect(await redis.ttl(key ?? '')).toBeGreaterThan(48 * 3600);
  });

  test('a numbered delivery whose job was not queued is queued by its retry', async () => {
    const dying = createAdmittingIntake(redis, prefix, {
      queue: { addAll: () => Promise.reject(new Error('killed here')) },
    });
    await dying.receive(delivered('d1', {}));
    await dying.queued();
    const { incidentId } = await intake.receive(delivered('d1', {}));
    expect(await jobs()).toEqual([`investigate_${incidentId}`]);
  });

  test('whoever takes an alert on is noted once, and the posts are to say so', async () => {
    const { incidentId } = await intake.receive(delivered('d1', {}));
    const [alert] = delivered('d1', {}).alerts;
    const taken = {
      source: 'pagerduty',
      fingerprint: alert?.fingerprint ?? '',
      by: 'Ada Example',
      atMs: STARTED_MS + MINUTE_MS,
    };
    expect(await intake.acknowledge(taken)).toBe(incidentId);
    expect(await intake.acknowledge(taken)).toBe(incidentId);
    expect((await life(incidentId)).incident.acknowledged).toEqual({ by: 'Ada Example', atMs: taken.atMs });
    expect(await jobs()).toEqual([`acknowledged_${incidentId}_1`, `investigate_${incidentId}`]);
    await intake.acknowledge({ ...taken, by: undefined, atMs: taken.atMs + 1 });
    expect((await jobs())[1]).toBe(`acknowledged_${incidentId}_2`);
    await intake.receive(delivered('d2', { status: 'resolved' }));
    expect(await intake.acknowledge({ ...taken, atMs: taken.atMs + 2 })).toBeUndefined();
    expect(await intake.acknowledge({ ...taken, source: 'grafana' })).toBeUndefined();
  });

  test('a group that grows before anybody looked needs no second look', async () => {
    const { incidentId } = await receive([firing(1, 0)]);
    await receive([1, 2, 3, 4, 5, 6].map((n) => firing(n, 0)));
    expect(await jobs()).toEqual([`investigate_${incidentId}`]);
  });

  test.each([
    [
      'another service is a reason to look again',
      [numberedAlert(2, { labels: { alertname: 'A', service: 'cart', severity: 'warning' } })],
      true,
    ],
    [
      'a graver severity is a reason to look again',
      [numberedAlert(2, { labels: { alertname: 'A', service: 'checkout', severity: 'critical' } })],
      true,
    ],
    ['twice as many alerts and three more are a reason to look again', [11, 12, 13].map((n) => firing(n, 0)), true],
    ['two more of the same are none', [11, 12].map((n) => firing(n, 0)), false],
  ])('after the first look, %s', async (_what, more, isMaterial) => {
    const first = numberedAlert(1, { labels: { alertname: 'A', service: 'checkout', severity: 'warning' } });
    const { incidentId } = await receive([first]);
    await work(incidentId, 'investigating');
    const same = more.map((alert) =>
      alert.labels?.['alertname'] === 'CheckoutErrors'
        ? { ...alert, labels: { ...alert.labels, severity: 'warning' } }
        : alert,
    );
    await receive([first, ...same]);
    const isGrown = (await jobs()).includes(`grown_${incidentId}_1`);
    expect(isGrown).toBe(isMaterial);
    expect((await decisions(incidentId)).includes('grown')).toBe(isMaterial);
  });

  test('a worker that was overtaken and comes late with its beginning does not take back the end; the next round begins', async () => {
    const { incidentId = '' } = await receive([firing(1, 0)]);
    const stageAfter = async (stage: 'investigating' | 'reported', round?: number) => {
      await incidents.noteProgress(incidentId, stage, Date.now(), '', round);
      return (await life(incidentId)).stage;
    };
    expect(await stageAfter('investigating')).toBe('investigating');
    expect(await stageAfter('reported')).toBe('reported');
    expect(await stageAfter('investigating')).toBe('reported');
    expect((await decisions(incidentId)).filter((decision) => decision === 'investigating')).toHaveLength(1);
    expect(await stageAfter('investigating', 2)).toBe('investigating');
    expect(await stageAfter('reported', 2)).toBe('reported');
    expect(await stageAfter('investigating', 2)).toBe('reported');
  });

  test('growth is measured from the last look, and each time is a job of its own', async () => {
    const { incidentId } = await receive([firing(1, 0)]);
    await work(incidentId, 'reported');
    const group = (size: number) => Array.from({ length: size }, (_, n) => firing(n + 1, 0));
    for (const size of [4, 6, 8]) {
      await receive(group(size));
      await intake.queued();
    }
    expect((await jobs()).filter((id) => id.startsWith('grown'))).toEqual([
      `grown_${incidentId}_1`,
      `grown_${incidentId}_2`,
    ]);
  });

  test('what a sender cuts off is carried along, and follows its later notifications', async () => {
    const cutOff = async (id: string | undefined) => (await life(id)).incident.truncatedAlerts;
    const { incidentId } = await receive([firing(1, 0)], { truncatedAlerts: 4 });
    expect(await cutOff(incidentId)).toBe(4);
    await receive([firing(1, 0)], { truncatedAlerts: 9 });
    expect(await cutOff(incidentId)).toBe(9);
    await receive([firing(1, 0), firing(2, 0)], { truncatedAlerts: 0 });
    expect(await cutOff(incidentId)).toBe(0);
  });

  test('the graver an incident, the earlier it is investigated', async () => {
    const severities = ['info', 'warning', 'critical', 'bananas', 'error'];
    for (const [n, severity] of severities.entries())
      await receive([numberedAlert(n, { labels: { alertname: severity, service: `s${n}`, severity } })]);
    await intake.queued();
    const queue = new Queue('incidents', { connection: redis, prefix });
    const waiting = [...(await queue.getJobs(['waiting'])), ...(await queue.getJobs(['prioritized'], 0, -1, true))];
    const titles = [];
    for (const { data } of waiting)
      titles.push((await incidents.getIncident((data as { incidentId: string }).incidentId))?.title);
    expect(titles).toEqual(['critical', 'error', 'warning', 'bananas', 'info']);
    expect(await createIncidentQueue(redis, prefix, silentLogger()).status()).toMatchObject({ depth: { waiting: 5 } });
    await queue.close();
  });
});
