import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Decided } from '../../src/intake/admission.ts';
import { createIntake, IntakeUnavailable } from '../../src/intake/intake.ts';
import { NOTHING_REDACTED } from '../../src/intake/trim.ts';
import { MAX_CLAIMS } from '../../src/intake/trim.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openReceiverRedis, openWorkerRedis } from '../../src/platform/redis.ts';
import { createIncidentQueue } from '../../src/queue/incident-queue.ts';
import { sweepOutbox } from '../../src/queue/outbox-sweep.ts';
import { createAdmissionStore, createOutbox, JOIN_WINDOW_MS } from '../../src/sessions/admission/admission-store.ts';
import { createInbox, readInbox } from '../../src/sessions/admission/inbox.ts';
import { createIncidentStore } from '../../src/sessions/incident-store.ts';
import { parseNotification } from '../../src/sources/alertmanager/parse-notification.ts';
import { createAdmittingIntake, type AdmittingIntake } from '../support/admitting-intake.ts';
import { groupBody, numberedAlert, type BodyAlert, type BodyGroup } from '../support/alertmanager-bodies.ts';
import { describeIf } from '../support/describe-if.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { useRedis } from '../support/use-redis.ts';

const describeRedis = await describeIf(REDIS);
const notify = (alerts: readonly BodyAlert[], group: Partial<BodyGroup> = {}) =>
  parseNotification(groupBody({ ...group, alerts }));
const resolved = (n: number): BodyAlert => numberedAlert(n, { status: 'resolved' });
const REFIRED = '2026-11-03T09:00:00Z';

describeRedis('D2: admission', () => {
  let server: TestRedis;
  let redis: Redis;
  let prefix: string;
  let intake: AdmittingIntake;

  const used = useRedis();
  beforeEach(() => {
    ({ server, redis, prefix } = used);
    intake = newIntake();
  });
  afterEach(() => intake.queued());

  const newIntake = (connection = redis) => createAdmittingIntake(connection, prefix);
  const jobs = async () => {
    await intake.queued();
    const queue = new Queue('incidents', { connection: redis, prefix });
    const all = await queue.getJobs();
    await queue.close();
    return all.map((job) => ({ id: job.id ?? '', name: job.name, data: job.data as unknown }));
  };
  const investigations = async () => (await jobs()).filter((job) => job.name === 'investigate').length;
  const decide = async (alerts: readonly BodyAlert[], group?: Partial<BodyGroup>) =>
    (await intake.receive(notify(alerts, group))).decision;
  const incident = async (id: string | undefined) => createIncidentStore(redis, prefix).getIncident(id ?? '');

  test('case 05: a peer’s copy, a retry and a repeat are one incident and one job', async () => {
    const first = await intake.receive(notify([numberedAlert(1)]));
    expect(first).toEqual({ decision: 'new', incidentId: expect.stringMatching(/^inc_[0-9a-f]{24}$/) });
    const copy = await intake.receive(notify([numberedAlert(1)], { externalURL: 'http://peer-b.example.net' }));
    expect(copy).toEqual({ decision: 'repeat', incidentId: first.incidentId });
    expect(await investigations()).toBe(1);
  });

  test('a second receiver of the same alert joins: one incident, one investigation', async () => {
    await decide([numberedAlert(1)], { receiver: 'a' });
    expect(await decide([numberedAlert(1)], { receiver: 'b' })).toBe('repeat');
    expect(await investigations()).toBe(1);
  });

  test('case 05: copies that arrive at the same instant at several receivers are one incident', async () => {
    const connections = Array.from({ length: 4 }, () => openWorkerRedis(server.target, silentLogger()));
    const receivers = connections.map((connection) => newIntake(connection));
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all(
        receivers.map((receiver, peer) =>
          receiver.receive(notify([numberedAlert(round)], { externalURL: `http://peer-${peer}.example.net` })),
        ),
      );
      expect(answers.map((answer) => answer.decision).toSorted()).toEqual(['new', 'repeat', 'repeat', 'repeat']);
      expect(new Set(answers.map((answer) => answer.incidentId)).size).toBe(1);
    }
    await Promise.all(receivers.map((receiver) => receiver.queued()));
    expect(await investigations()).toBe(20);
    for (const connection of connections) connection.disconnect();
  });

  test('a grown group joins its incident and shows in it', async () => {
    const { incidentId } = await intake.receive(notify([numberedAlert(1)]));
    expect(await intake.receive(notify([numberedAlert(1), numberedAlert(2)]))).toEqual({
      decision: 'joined',
      incidentId,
    });
    expect(await incident(incidentId)).toMatchObject({ alertCount: 2, title: 'CheckoutErrors (2 alerts)' });
    expect(await investigations()).toBe(1);
  });

  test('case 03: a mixed group is taken apart alert by alert; the incident ends with its last alert', async () => {
    const { incidentId } = await intake.receive(notify([1, 2, 3].map((n) => numberedAlert(n))));
    expect(await decide([resolved(1), numberedAlert(2), numberedAlert(3)])).toBe('joined');
    const halfway = await incident(incidentId);
    expect(halfway?.state).toBe('firing');
    expect(halfway?.alerts.filter((alert) => alert.status === 'resolved')).toHaveLength(1);
    expect(await intake.receive(notify([resolved(2), resolved(3)]))).toEqual({ decision: 'resolved', incidentId });
    expect(await incident(incidentId)).toMatchObject({ state: 'resolved', alertCount: 3 });
    expect((await jobs()).map((job) => job.name).toSorted()).toEqual(['investigate', 'resolved']);
  });

  test('a resolve that is delivered twice is told once', async () => {
    await decide([numberedAlert(1)]);
    expect(await decide([resolved(1)])).toBe('resolved');
    expect(await decide([resolved(1)])).toBe('repeat');
    expect((await jobs()).filter((job) => job.name === 'resolved')).toHaveLength(1);
  });

  test('a late copy of the firing message does not open a resolved incident again', async () => {
    const { incidentId } = await intake.receive(notify([numberedAlert(1)]));
    await decide([resolved(1)]);
    expect(await decide([numberedAlert(1)])).toBe('repeat');
    expect((await incident(incidentId))?.state).toBe('resolved');
  });

  test('an alert that fires again has a new start and opens a new incident', async () => {
    const first = await intake.receive(notify([numberedAlert(1)]));
    await decide([resolved(1)]);
    const second = await intake.receive(notify([numberedAlert(1, { startsAt: REFIRED })]));
    expect(second.decision).toBe('new');
    expect(second.incidentId).not.toBe(first.incidentId);
    expect(await incident(second.incidentId)).toMatchObject({ startsAtMs: Date.parse(REFIRED) });
    expect(await investigations()).toBe(2);
  });

  test('resolved alerts that nobody asked about, and empty groups, are ignored', async () => {
    expect(await intake.receive(notify([resolved(1)]))).toEqual({ decision: 'ignored', incidentId: undefined });
    expect(await decide([])).toBe('ignored');
    expect(await jobs()).toEqual([]);
  });

  test('a resolved alert listed beside the first firing one is listed as resolved', async () => {
    const { incidentId } = await intake.receive(notify([resolved(1), numberedAlert(2)]));
    const seen = await incident(incidentId);
    expect(seen?.alerts.map((alert) => alert.status).toSorted()).toEqual(['firing', 'resolved']);
    expect(seen?.state).toBe('firing');
    expect(await decide([resolved(2)])).toBe('resolved');
  });

  test('in a group that never ends, an alert much later opens an incident of its own, without the old alerts', async () => {
    const watchdog: BodyAlert = { labels: { alertname: 'Watchdog' }, startsAt: '2026-10-01T00:00:00Z' };
    const first = await intake.receive(notify([watchdog]));
    await redis.hincrby(`${prefix}:incident:${first.incidentId}`, 'openedAtMs', -JOIN_WINDOW_MS - 1);
    const second = await intake.receive(notify([watchdog, numberedAlert(1), numberedAlert(2)]));
    expect(second.decision).toBe('new');
    expect(await incident(second.incidentId)).toMatchObject({
      alertCount: 2,
      title: 'CheckoutErrors (2 alerts)',
      startsAtMs: Date.parse('2026-11-03T07:21:45.987Z'),
    });
    expect(await decide([watchdog, numberedAlert(1), numberedAlert(2), numberedAlert(3)])).toBe('joined');
    expect(await decide([watchdog, numberedAlert(1)])).toBe('repeat');
  });

  test('case 09: group keys with colons and fingerprints of digits make legal job ids', async () => {
    const odd = numberedAlert(1, { fingerprint: '4411220033556677' });
    expect(await decide([odd], { groupKey: '0:{}:{a="x:y:0:"}' })).toBe('new');
    const [job] = await jobs();
    expect(job?.id).toMatch(/^investigate_inc_[0-9a-f]+$/);
  });

  test('case 09: a fingerprint of digits, and one group key for two receivers, are one incident each', async () => {
    const key = `{}/{team="x"}:{alertname="${':'.repeat(500)}"}`;
    const digits = numberedAlert(1, { fingerprint: '0000000000000042' });
    await decide([digits], { groupKey: key, receiver: 'a' });
    await decide([digits], { groupKey: key, receiver: 'b' });
    await decide([numberedAlert(2)], { groupKey: '0:1' });
    expect(await investigations()).toBe(2);
  });

  test('case 02: an alert without a name and without annotations is an incident that says what it can', async () => {
    const bare: BodyAlert = { labels: { host: 'db-1' }, annotations: {}, generatorURL: '' };
    const { decision, incidentId } = await intake.receive(notify([bare], { groupLabels: {} }));
    expect(decision).toBe('new');
    const seen = await incident(incidentId);
    expect(seen).toMatchObject({ title: 'Alert host=db-1', annotations: {}, severity: undefined, service: undefined });
    expect(JSON.stringify(seen)).not.toMatch(/undefined|\[object Object\]/);
    expect(await investigations()).toBe(1);
  });

  test('case 04: an end in year 1 means that it fires; nanoseconds and offsets are the same instant', async () => {
    const utc = numberedAlert(1, { startsAt: '2026-11-03T07:21:45.987654321Z', endsAt: '0001-01-01T00:00:00Z' });
    const offset = numberedAlert(2, { startsAt: '2026-11-03T12:51:45.987+05:30', endsAt: '0001-01-01T00:00:00Z' });
    const { incidentId } = await intake.receive(notify([utc, offset]));
    const seen = await incident(incidentId);
    expect(seen).toMatchObject({ state: 'firing', startsAtMs: Date.parse('2026-11-03T07:21:45.987Z') });
    expect(seen?.alerts.map((alert) => [alert.startsAtMs, alert.endsAtMs])).toEqual(
      Array.from({ length: 2 }, () => [Date.parse('2026-11-03T07:21:45.987Z'), undefined]),
    );
    expect(await decide([{ ...offset, startsAt: utc.startsAt ?? '' }])).toBe('repeat');
  });

  test('case 06: one body fifty times at once, its first attempts half done, is one investigation', async () => {
    let isFailing = true;
    const queue = createIncidentQueue(redis, prefix, silentLogger());
    const flaky = createAdmittingIntake(redis, prefix, {
      queue: { addAll: (all) => (isFailing ? Promise.reject(new Error('slow')) : queue.addAll(all)) },
    });
    const body = notify([numberedAlert(1), numberedAlert(2)]);
    await Promise.all(Array.from({ length: 10 }, () => flaky.receive(body)));
    await flaky.queued();
    expect(await investigations()).toBe(0);
    isFailing = false;
    const answers = await Promise.all(Array.from({ length: 40 }, () => flaky.receive(body)));
    expect(new Set(answers.map((answer) => answer.decision))).toEqual(new Set(['repeat']));
    await flaky.queued();
    expect(await investigations()).toBe(1);
    expect(await redis.keys(`${prefix}:incident:*`)).toHaveLength(1);
  });

  test('of what is decided together, one that cannot be is kept aside alone, and decided later when it can', async () => {
    const { incidentId } = await intake.receive(notify([numberedAlert(1)]));
    await intake.queued();
    const incidentKey = `${prefix}:incident:${incidentId}`;
    await redis.rename(incidentKey, 'elsewhere');
    await redis.lpush(incidentKey, 'no hash');
    const answers = await Promise.allSettled([2, 1, 3].map((n) => decide([numberedAlert(n)])));
    expect(answers).toEqual([
      { status: 'fulfilled', value: 'new' },
      { status: 'rejected', reason: expect.objectContaining({ message: expect.stringContaining('WRONGTYPE') }) },
      { status: 'fulfilled', value: 'new' },
    ]);
    expect(await readInbox(redis, prefix)).toEqual({ waiting: 0, oldestAgeMs: 0, aside: 1 });

    await redis.rename('elsewhere', incidentKey);
    const store = createAdmissionStore(redis, prefix);
    expect(await store.retryAside()).toBe(1);
    expect(await store.admitNext()).toMatchObject([{ decision: 'repeat', incidentId, alerts: 1, firing: 1 }]);
    expect(await readInbox(redis, prefix)).toEqual({ waiting: 0, oldestAgeMs: 0, aside: 0 });
  });

  test('what waits is decided in the order of its coming, as of the time when it came, by whichever worker', async () => {
    const door = createIntake(createInbox(redis, prefix), NOTHING_REDACTED);
    const ids: (string | undefined)[] = [];
    for (let n = 0; n < 100; n++) {
      const start = new Date(Date.UTC(2026, 10, 3) + Math.floor(n / 2) * 60_000).toISOString();
      const status = n % 2 === 0 ? 'firing' : 'resolved';
      ids.push(await door.receive(notify([numberedAlert(1, { startsAt: start, status })])));
    }
    expect((await readInbox(redis, prefix)).waiting).toBe(100);
    const workers = [1, 2, 3].map(() => createAdmissionStore(redis, prefix));
    const batches = await Promise.all([...workers, ...workers].map((worker) => worker.admitNext()));
    const decided = batches.flat();
    expect(decided.map(({ arrivalId }) => arrivalId)).toEqual(ids);
    expect(decided.slice(0, 4)).toMatchObject([
      { decision: 'new' },
      { decision: 'resolved' },
      { decision: 'new' },
      { decision: 'resolved' },
    ]);
    const [first] = decided;
    const { openedAtMs } =
      (await createIncidentStore(redis, prefix).getLife((first as Decided).incidentId ?? '')) ?? {};
    expect(String(openedAtMs)).toBe(ids[0]?.split('-')[0]);
  });

  test('notifications of one alert that are admitted together are one incident', async () => {
    const same = await Promise.all([1, 2, 3].map(() => intake.receive(notify([numberedAlert(1)]))));
    expect(same.map(({ decision }) => decision)).toEqual(['new', 'repeat', 'repeat']);
    expect(new Set(same.map(({ incidentId }) => incidentId)).size).toBe(1);
  });

  test('case 07: a group of unlike alerts with nothing in common has a title of its own', async () => {
    const alerts = [
      { labels: { alertname: 'DiskFull', device: 'sda1' }, annotations: { summary: 'disk' } },
      { labels: { alertname: 'HighLatency', route: '/pay' }, annotations: { text: 'slow' } },
    ];
    const { incidentId } = await intake.receive(notify(alerts, { groupLabels: {} }));
    const seen = await incident(incidentId);
    expect(seen?.title).toMatch(/^2 alerts: (DiskFull, HighLatency|HighLatency, DiskFull)$/);
    expect(seen?.annotations).toEqual({});
    expect(await investigations()).toBe(1);
  });

  test.each(['team.sre+pager (prod) [eu]', 'monitoring/main/rca-webhook'])(
    'case 08: the receiver %s is stored as its operator wrote it, whatever quoting it came in',
    async (receiver) => {
      const { incidentId } = await intake.receive(notify([numberedAlert(1)], { receiver }));
      expect((await incident(incidentId))?.receiver).toBe(receiver);
    },
  );

  test('job data are the incident id alone, however large the body', async () => {
    const big = Array.from({ length: 300 }, (_, n) => numberedAlert(n, { annotations: { text: 'x'.repeat(20_000) } }));
    const { incidentId } = await intake.receive(notify(big));
    expect(await jobs()).toEqual([{ id: `investigate_${incidentId}`, name: 'investigate', data: { incidentId } }]);
    const stored = await redis.memory('USAGE', `${prefix}:incident:${incidentId}`, 'SAMPLES', 0);
    expect(stored).toBeLessThan(300_000);
  });

  test('a group of 10,000 alerts is admitted and counted', async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => numberedAlert(n));
    const { decision, incidentId } = await intake.receive(notify(many));
    expect(decision).toBe('new');
    expect((await incident(incidentId))?.alertCount).toBe(10_000);
    expect(await decide(many)).toBe('repeat');
  });

  test('everything kept has a time to live', async () => {
    await decide([numberedAlert(1), resolved(2)]);
    const keys = (await redis.keys(`${prefix}:*`)).filter((key) => /:(alert|incident|firing):/.test(key));
    expect(keys.length).toBeGreaterThanOrEqual(4);
    for (const key of keys) expect(await redis.ttl(key)).toBeGreaterThan(7 * 86_400);
  });

  test('more alerts than can be told apart still open an incident, and are counted', async () => {
    const startsAt = '2026-11-20T10:00:00Z';
    const alerts = Array.from({ length: MAX_CLAIMS + 25_000 }, (_, n) => ({ startsAt, labels: { n: String(n) } }));
    const { decision, incidentId = '' } = await intake.receive(parseNotification({ alerts }));
    expect(decision).toBe('new');
    const incident = await createIncidentStore(redis, prefix).getIncident(incidentId);
    expect(incident).toMatchObject({ alertCount: MAX_CLAIMS, truncatedAlerts: 25_000 });
  });

  test('a worker that dies between decision and queue leaves work that a repeat queues', async () => {
    const dying = createAdmittingIntake(redis, prefix, {
      queue: { addAll: () => Promise.reject(new Error('killed here')) },
    });
    expect((await dying.receive(notify([numberedAlert(1)]))).decision).toBe('new');
    await dying.queued();
    expect(await jobs()).toEqual([]);
    expect(await decide([numberedAlert(1)])).toBe('repeat');
    expect(await investigations()).toBe(1);
  });

  test('without a repeat, the sweep queues it, once', async () => {
    const dying = createAdmittingIntake(redis, prefix, {
      queue: { addAll: () => Promise.reject(new Error('killed here')) },
    });
    await dying.receive(notify([numberedAlert(1)]));
    await dying.queued();
    const outbox = createOutbox(redis, prefix);
    const queue = createIncidentQueue(redis, prefix, silentLogger());
    expect(await sweepOutbox(outbox, queue, 0)).toBe(1);
    expect(await sweepOutbox(outbox, queue, 0)).toBe(0);
    expect(await investigations()).toBe(1);
  });
});

describeRedis('D2: admission while Redis is away', () => {
  let server: TestRedis;
  const stop: (() => unknown)[] = [];
  beforeEach(async () => {
    server = await startTestRedis();
  });
  afterEach(async () => {
    for (const step of stop.splice(0)) await step();
    await server.stop();
  });

  let queued = () => Promise.resolve();
  const receiver = (deadlineMs: number) => {
    const redis = openReceiverRedis(server.target, silentLogger());
    const intake = createAdmittingIntake(redis, 'away', { deadlineMs });
    stop.push(async () => {
      await intake.queued();
      redis.disconnect();
    });
    queued = () => intake.queued();
    return { redis, intake };
  };
  const jobCount = async () => {
    await queued();
    const redis = openWorkerRedis(server.target, silentLogger());
    const queue = new Queue('incidents', { connection: redis, prefix: 'away' });
    const { length } = await queue.getJobs();
    await queue.close();
    redis.disconnect();
    return length;
  };
  /** As Alertmanager does: again and again until it is taken. */
  const sendUntilTaken = async (intake: AdmittingIntake) => {
    for (let attempt = 0; attempt < 100; attempt++) {
      try {
        return await intake.receive(notify([numberedAlert(1)]));
      } catch (error) {
        if (!(error instanceof IntakeUnavailable)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
    throw new Error('never taken');
  };

  test('absent at boot: refused, and taken once it is there', async () => {
    await server.kill();
    const { intake } = receiver(1000);
    await expect(intake.receive(notify([numberedAlert(1)]))).rejects.toBeInstanceOf(IntakeUnavailable);
    await server.restart();
    expect((await sendUntilTaken(intake)).decision).toBe('new');
    expect(await jobCount()).toBe(1);
  });

  test('killed and back: refused meanwhile, nothing lost, one job', async () => {
    const { intake } = receiver(1000);
    await sendUntilTaken(intake);
    await server.kill();
    await expect(intake.receive(notify([numberedAlert(2)]))).rejects.toBeInstanceOf(IntakeUnavailable);
    await server.restart();
    expect((await sendUntilTaken(intake)).decision).toBe('repeat');
    expect(await jobCount()).toBe(1);
  });

  test('frozen: refused at the deadline; a command executed after the thaw and the resend are one job', async () => {
    const { intake } = receiver(300);
    await sendUntilTaken(intake);
    server.pause();
    await expect(intake.receive(notify([numberedAlert(2)]))).rejects.toBeInstanceOf(IntakeUnavailable);
    server.resume();
    const again = await sendUntilTaken(createIntakeFor(intake, 2));
    expect(again.incidentId).toMatch(/^inc_/);
    expect(await jobCount()).toBe(2);
  });

  test('frozen at boot: refused, and taken after the thaw', async () => {
    server.pause();
    const { intake } = receiver(300);
    await expect(intake.receive(notify([numberedAlert(1)]))).rejects.toBeInstanceOf(IntakeUnavailable);
    server.resume();
    expect((await sendUntilTaken(intake)).incidentId).toMatch(/^inc_/);
    expect(await jobCount()).toBe(1);
  });

  test('full: writes are refused without partial state, and taken when there is room', async () => {
    const { intake, redis } = receiver(1000);
    await sendUntilTaken(intake);
    await redis.config('SET', 'maxmemory', '1');
    await expect(intake.receive(notify([numberedAlert(2)]))).rejects.toBeInstanceOf(IntakeUnavailable);
    expect(await redis.keys('away:incident:*')).toHaveLength(1);
    await redis.config('SET', 'maxmemory', '0');
    expect((await sendUntilTaken(createIntakeFor(intake, 2))).decision).toBe('new');
  });

  const createIntakeFor = (intake: AdmittingIntake, alert: number): AdmittingIntake => ({
    ...intake,
    receive: () => intake.receive(notify([numberedAlert(alert)])),
  });
});
