import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { tellStorms } from '../../src/app/tell-storms.ts';
import type { StormContentName } from '../../src/domain/delivery.ts';
import type { StormSummary } from '../../src/domain/storm.ts';
import type { Topology } from '../../src/domain/telemetry.ts';
import { reportId } from '../../src/investigate/write-report.ts';
import { createLogger, silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { createIncidentQueue } from '../../src/queue/incident-queue.ts';
import { createIncidentStore, type IncidentStore } from '../../src/sessions/incident-store.ts';
import { createStormStore, type StormRules, type StormStore } from '../../src/sessions/storm-store.ts';
import { parseNotification } from '../../src/sources/alertmanager/parse-notification.ts';
import { createAdmittingIntake, type AdmittingIntake } from '../support/admitting-intake.ts';
import { groupBody, groupText } from '../support/alertmanager-bodies.ts';
import { makeReport } from '../support/delivery-content.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { keepCheck } from '../support/keep-check.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { useRedis } from '../support/use-redis.ts';
import { startRootnote, stopRootnotes } from '../support/rootnote-process.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const describeRedis = await describeIf(REDIS);
const TOPOLOGY: Topology = {
  services: ['web', 'cart', 'db', 'mail'],
  edges: [
    { from: 'web', to: 'cart' },
    { from: 'cart', to: 'db' },
  ],
};
/** Long enough that no busy machine takes so long between two steps of a test. */
const QUIET_MS = 1_200_000;
const RULES: StormRules = { threshold: 8, windowMs: 1_200_000, quietMs: QUIET_MS };
const HOUR_MS = 3_600_000;

describeRedis('storms', () => {
  let server: TestRedis;
  let redis: Redis;
  let prefix: string;
  let intake: AdmittingIntake;
  let incidents: IncidentStore;
  let storms: StormStore;
  const reported = new Map<string, string>();

  const used = useRedis();
  beforeEach(() => {
    ({ server, redis, prefix } = used);
    reported.clear();
    intake = createAdmittingIntake(redis, prefix);
    incidents = createIncidentStore(redis, prefix);
    storms = newStorms(redis);
  });

  const newStorms = (connection: Redis, rules = RULES) =>
    createStormStore(connection, prefix, {
      incidents: createIncidentStore(connection, prefix),
      reports: {
        getReport: (id) => {
          const summary = reported.get(id);
          const status = summary === 'nothing found' ? 'inconclusive' : 'determined';
          const stage = summary === 'at first look' ? ({ stage: 'first_look' } as const) : {};
          return Promise.resolve(summary === undefined ? undefined : makeReport({ id, summary, status, ...stage }));
        },
      },
      topology: TOPOLOGY,
      destinationsFor: ({ labels }) => (labels['team'] ? ['chat', labels['team']] : ['chat']),
      rules,
    });
  let count = 0;
  const open = async (labels: Readonly<Record<string, string>>) => {
    const alert = { labels: { alertname: `Alert${count++}`, severity: 'warning', ...labels } };
    const { incidentId = '' } = await intake.receive(parseNotification(groupBody({ alerts: [alert] })));
    return incidentId;
  };
  const openMany = async (size: number, labelsOf: (n: number) => Readonly<Record<string, string>>) => {
    const ids: string[] = [];
    for (let n = 0; n < size; n++) ids.push(await open(labelsOf(n)));
    return ids;
  };
  const place = async (id: string, by = storms) => {
    const incident = await incidents.getIncident(id);
    if (!incident) throw new Error(`no incident ${id}`);
    return by.place(incident, AbortSignal.timeout(5000));
  };
  /** As if all that was opened, and every storm, had come so much earlier: nobody has to wait for a window to pass. */
  const age = async (byMs: number) => {
    for (const list of ['incidents', 'storms', 'storm-log']) await ageList(`${prefix}:${list}`, byMs);
    for (const id of await redis.zrange(`${prefix}:incidents`, 0, '-1'))
      await redis.hincrby(`${prefix}:incident:${id}`, 'openedAtMs', -byMs);
    for (const id of await redis.zrange(`${prefix}:storm-log`, 0, '-1')) {
      await ageList(`${prefix}:storm:${id}:incidents`, byMs);
      for (const field of ['startedAtMs', 'joinedAtMs']) await redis.hincrby(`${prefix}:storm:${id}`, field, -byMs);
    }
  };
  const ageList = async (key: string, byMs: number) => {
    for (const member of await redis.zrange(key, 0, '-1')) await redis.zincrby(key, -byMs, member);
  };
  /** A further alert, a critical one, in the group of this incident. */
  const grow = async (id: string) => {
    const [first] = (await incidents.getIncident(id))?.alerts ?? [];
    if (!first) throw new Error(`no incident ${id}`);
    const known = { labels: first.labels, startsAt: new Date(first.startsAtMs).toISOString() };
    const graver = { labels: { ...first.labels, alertname: `${id}Graver`, severity: 'critical' } };
    const { incidentId } = await intake.receive(parseNotification(groupBody({ alerts: [known, graver] })));
    expect(incidentId).toBe(id);
  };
  /** Every waiting investigation in the order of the queue, as one worker after another would take it. */
  const placeAll = async (ids: readonly string[], by = storms) => {
    const placed: Record<string, string> = {};
    for (const id of ids) {
      const placement = await place(id, by);
      placed[id] = placement.kind === 'member' ? `member ${placement.of}` : placement.kind;
    }
    return placed;
  };

  test('eight connected incidents are eight investigations: below the threshold nothing is joined', async () => {
    const ids = await openMany(8, () => ({ service: 'cart' }));
    expect(new Set(Object.values(await placeAll(ids)))).toEqual(new Set(['alone']));
    expect(await storms.listTold()).toEqual([]);
  });

  test('fifty connected and five unrelated incidents at once are six investigations, and all are listed', async () => {
    const ids = await openMany(55, (n) =>
      n % 11 === 5 ? { service: `other-${n}` } : { service: 'cart', n: String(n) },
    );
    const placed = await placeAll(ids);
    const leads = ids.filter((id) => placed[id] === 'leads');
    expect(leads).toHaveLength(6);
    const [cart = ''] = leads;
    expect(Object.values(placed).filter((what) => what === `member ${cart}`)).toHaveLength(49);
    expect(await storms.countMembers(cart)).toBe(49);
    const openedAt = async (id: string) => (await incidents.getLife(id))?.openedAtMs ?? 0;
    const listed = await Promise.all((await storms.listMembers(cart, 3)).map(openedAt));
    const all = await Promise.all(ids.filter((id) => placed[id] === `member ${cart}`).map(openedAt));
    expect(listed).toEqual(all.toSorted((a, b) => b - a).slice(0, 3));
    expect(await storms.membersOf(cart, 2)).toHaveLength(2);
    const [stormId = ''] = await storms.listTold();
    const summary = await storms.getSummary(stormId);
    expect(summary).toMatchObject({ incidents: 55, alerts: 55, omitted: 0, isOver: false });
    expect(summary?.investigations.map(({ members }) => members)).toEqual([49, 0, 0, 0, 0, 0]);
  });

  test('what connects: a service, a call, a node, a namespace of one cluster; not a neighbour’s neighbour', async () => {
    const quiet = await openMany(9, (n) => ({ service: `quiet-${n}` }));
    const db = await open({ service: 'db', node: 'n1', namespace: 'shop', cluster: 'eu' });
    const cart = await open({ service: 'cart' });
    const web = await open({ service: 'web' });
    const sameNode = await open({ service: 'x1', node: 'n1' });
    const sameNamespace = await open({ service: 'x2', namespace: 'shop', cluster: 'eu' });
    const exporter = { namespace: 'monitoring', cluster: 'eu' };
    const toldOfIt = await open({ service: 'x4', exported_namespace: 'shop', ...exporter });
    const toldOfOther = await open({ service: 'x5', exported_namespace: 'office', ...exporter });
    const otherCluster = await open({ service: 'x3', namespace: 'shop', cluster: 'us' });
    await placeAll(quiet);
    expect(await placeAll([db, cart, web, sameNode, sameNamespace, toldOfIt, toldOfOther, otherCluster])).toEqual({
      [db]: 'leads',
      [cart]: `member ${db}`,
      [web]: 'leads',
      [sameNode]: `member ${db}`,
      [sameNamespace]: `member ${db}`,
      [toldOfIt]: `member ${db}`,
      [toldOfOther]: 'leads',
      [otherCluster]: 'leads',
    });
  });

  test('one that was begun before the storm was known leads those that come after', async () => {
    const [first = ''] = await openMany(1, () => ({ service: 'cart' }));
    expect(await place(first)).toEqual({ kind: 'alone' });
    const later = await openMany(9, () => ({ service: 'cart' }));
    expect(new Set(Object.values(await placeAll(later)))).toEqual(new Set([`member ${first}`]));
  });

  test('a graver incident is never covered by a less grave one, and the next ones join the graver', async () => {
    const ids = await openMany(9, () => ({ service: 'cart' }));
    await placeAll(ids);
    const critical = await open({ service: 'cart', severity: 'critical' });
    const next = await open({ service: 'cart' });
    expect(await placeAll([critical, next])).toEqual({ [critical]: 'leads', [next]: `member ${critical}` });
  });

  test('one whose alert became graver before it was placed is as grave as that', async () => {
    const ids = await openMany(9, () => ({ service: 'cart' }));
    await placeAll(ids);
    const warned = await open({ service: 'cart' });
    await grow(warned);
    expect(await place(warned)).toEqual({ kind: 'leads' });
  });

  test('what is covered and becomes graver than what covers it is placed again, and leads', async () => {
    const few = newStorms(redis, { ...RULES, mostInvestigations: 1 });
    const [lead = '', member = ''] = await openMany(10, () => ({ service: 'cart' }));
    const unconnected = await open({ service: 'mail' });
    expect(await placeAll([lead, member, unconnected], few)).toEqual({
      [lead]: 'leads',
      [member]: `member ${lead}`,
      [unconnected]: 'summary-only',
    });
    for (const id of [member, unconnected]) {
      await grow(id);
      expect(await place(id, few)).toEqual({ kind: 'leads' });
      expect(await place(id, few)).toEqual({ kind: 'leads' });
    }
    expect(await few.countMembers(lead)).toBe(0);
    expect(await few.closedBy(member)).toBeUndefined();
    const [stormId = ''] = await few.listTold();
    const told = await few.getSummary(stormId);
    expect(told?.investigations.slice(0, 2).map(({ incidentId }) => incidentId)).toEqual([member, unconnected]);
  });

  test('the summary counts what is investigated, what joined it and what nothing else tells; all of it can be listed', async () => {
    const few = newStorms(redis, { ...RULES, mostInvestigations: 1 });
    const cart = await openMany(10, () => ({ service: 'cart' }));
    const others = await openMany(35, (n) => ({ service: `other-${n}` }));
    await placeAll([...cart, ...others.slice(0, -1)], few);
    const [stormId = ''] = await few.listTold();
    const counts = { incidents: 45, investigated: 1, joined: 9, onlyListed: 34 };
    const told = await few.getSummary(stormId);
    expect(told).toMatchObject({ ...counts, omitted: 6 });
    await incidents.noteProgress(others[0] ?? '', 'joined', Date.now());
    const all = await few.getSummary(stormId, 1000);
    expect(all).toMatchObject({ ...counts, omitted: 0 });
    expect(all?.investigations).toHaveLength(36);
    expect(all?.investigations.find(({ incidentId }) => incidentId === others[0])).toMatchObject({
      state: 'not-investigated',
      summary: 'too many incidents of this storm are not connected',
    });
  });

  test('what was investigated by itself and was over before is none of the storm; what still fires is', async () => {
    const before = await openMany(4, (n) => ({ service: `before-${n}` }));
    await placeAll(before);
    for (const id of before.slice(0, 3)) await redis.hset(`${prefix}:incident:${id}`, 'state', 'resolved');
    const ids = await openMany(10, () => ({ service: 'cart' }));
    await placeAll(ids);
    const [stormId = ''] = await storms.listTold();
    const summary = await storms.getSummary(stormId);
    expect(summary).toMatchObject({ incidents: 11, alerts: 11 });
    const openedAtMs = (await incidents.getLife(before[3] ?? ''))?.openedAtMs;
    expect(summary?.startedAtMs).toBe(openedAtMs);
    expect((await incidents.getLife(before[0] ?? ''))?.stormId).toBeUndefined();
    expect((await incidents.getLife(ids[0] ?? ''))?.stormId).toBe(stormId);
    expect(await storms.idsLike('storm_', 10)).toEqual([stormId]);
  });

  test('what is forgotten is left out, and leaves nothing behind', async () => {
    const [gone = '', ...ids] = await openMany(10, () => ({ service: 'cart' }));
    await redis.del(`${prefix}:incident:${gone}`);
    await placeAll(ids);
    const [stormId = ''] = await storms.listTold();
    expect(await storms.getSummary(stormId)).toMatchObject({ incidents: 9 });
    expect(await redis.exists(`${prefix}:incident:${gone}`)).toBe(0);
  });

  test('the summary says which of its investigations still fire', async () => {
    const ids = await openMany(10, (n) => ({ service: n === 9 ? 'mail' : 'cart' }));
    await placeAll(ids);
    await redis.hset(`${prefix}:incident:${ids[9]}`, 'state', 'resolved');
    const [stormId = ''] = await storms.listTold();
    const summary = await storms.getSummary(stormId);
    expect(summary?.investigations.map(({ incidentId, isFiring }) => [incidentId, isFiring])).toEqual([
      [ids[0], true],
      [ids[9], false],
    ]);
  });

  test('nobody joins an incident that is told to others: its team would not hear of it', async () => {
    const ids = await openMany(9, () => ({ service: 'cart' }));
    await placeAll(ids);
    expect(await place(await open({ service: 'cart', team: 'payments' }))).toEqual({ kind: 'leads' });
  });

  test('nobody joins an incident whose investigation was given up', async () => {
    const [lead = '', next = ''] = await openMany(9, () => ({ service: 'cart' }));
    await place(lead);
    await incidents.noteProgress(lead, 'gave-up', Date.now());
    expect(await place(next)).toEqual({ kind: 'leads' });
  });

  test('a worker that comes late finds the storm in which an incident was opened, although that is over', async () => {
    const ids = await openMany(12, () => ({ service: 'cart' }));
    const [lead = '', member = '', ...waiting] = ids;
    await placeAll([lead, member]);
    await age(HOUR_MS);
    expect(new Set(Object.values(await placeAll(waiting)))).toEqual(new Set([`member ${lead}`]));
    const [stormId = ''] = await storms.listTold();
    expect((await storms.getSummary(stormId))?.isOver).toBe(true);
  });

  test('a storm that came while no worker was there is one all the same, and is told', async () => {
    const ids = await openMany(12, () => ({ service: 'cart' }));
    await age(HOUR_MS);
    const placed = Object.values(await placeAll(ids.toReversed()));
    expect(placed.filter((what) => what === 'leads')).toHaveLength(1);
    expect(placed.filter((what) => what.startsWith('member'))).toHaveLength(11);
    const [stormId = ''] = await storms.listTold();
    const summary = await storms.getSummary(stormId);
    expect(summary).toMatchObject({ incidents: 12, isOver: true });
    expect(summary?.overAtMs).toBe((summary?.updatedAtMs ?? 0) + QUIET_MS);
  });

  test('nothing joins an incident that is over', async () => {
    const ids = await openMany(9, () => ({ service: 'cart' }));
    await place(ids[0] ?? '');
    await redis.hset(`${prefix}:incident:${ids[0]}`, 'state', 'resolved');
    expect(await place(ids[1] ?? '')).toEqual({ kind: 'leads' });
  });

  test('asked again, and by another process, the place is the same', async () => {
    const ids = await openMany(20, (n) => ({ service: n % 2 ? 'cart' : 'mail' }));
    const first = await placeAll(ids);
    const other = openWorkerRedis(server.target, silentLogger());
    expect(await placeAll(ids.toReversed(), newStorms(other))).toEqual(first);
    other.disconnect();
  });

  test('many processes that place at once agree on one lead', async () => {
    const ids = await openMany(40, () => ({ service: 'cart' }));
    const connections = Array.from({ length: 4 }, () => openWorkerRedis(server.target, silentLogger()));
    const placed = await Promise.all(ids.map((id, n) => place(id, newStorms(connections[n % 4] ?? redis))));
    expect(placed.filter(({ kind }) => kind === 'leads')).toHaveLength(1);
    for (const connection of connections) connection.disconnect();
  });

  test('beyond the most investigations of a storm an unconnected incident is a line of the summary, but a critical one is not', async () => {
    const few = newStorms(redis, { ...RULES, mostInvestigations: 10 });
    const ids = await openMany(12, (n) => ({ service: `s${n}` }));
    const critical = await open({ service: 'last', severity: 'critical' });
    const placed = await placeAll([...ids, critical], few);
    expect(Object.values(placed).filter((kind) => kind === 'leads')).toHaveLength(11);
    expect(placed[critical]).toBe('leads');
    expect(placed[ids[11] ?? '']).toBe('summary-only');
  });

  test('checks make no storm and are never joined', async () => {
    const check = await incidents.getIncident(await open({ service: 'cart' }));
    if (!check) throw new Error('no incident');
    for (let n = 0; n < 20; n++)
      await keepCheck(redis, prefix, { ...check, id: `check_daily_${n}`, kind: 'check', startsAtMs: Date.now() });
    expect(await storms.listTold()).toEqual([]);
    expect(await storms.place({ ...check, id: 'check_daily_1', kind: 'check' }, AbortSignal.timeout(1000))).toEqual({
      kind: 'alone',
    });
  });

  test('the post of a lead is closed when it and all its members are over, and no other post is', async () => {
    const ids = await openMany(10, () => ({ service: 'cart' }));
    const [lead = '', ...members] = ids;
    await placeAll(ids);
    const end = (id: string) => redis.hset(`${prefix}:incident:${id}`, 'state', 'resolved');
    await end(lead);
    expect(await storms.closedBy(lead)).toBeUndefined();
    for (const id of members.slice(1)) await end(id);
    expect(await storms.closedBy(members[1] ?? '')).toBeUndefined();
    await end(members[0] ?? '');
    expect(await storms.closedBy(members[0] ?? '')).toBe(lead);
    const alone = await open({ service: 'alone' });
    await end(alone);
    expect(await storms.closedBy(alone)).toBe(alone);
  });

  test('workers take the gravest first, so that it leads', async () => {
    const ids = await openMany(12, (n) => ({ service: 'cart', severity: n === 7 ? 'critical' : 'warning' }));
    // Queueing follows the acknowledgement.
    const queue = createIncidentQueue(redis, prefix, silentLogger());
    await eventually(
      'all are queued',
      async () => (await queue.status()).depth.waiting,
      (waiting) => waiting === 12,
    );
    const order: string[] = [];
    const connection = redis.duplicate();
    const worker = new Worker<{ incidentId: string }>(
      'incidents',
      async ({ data }) => {
        order.push(data.incidentId);
        await place(data.incidentId);
      },
      { connection, prefix, concurrency: 1 },
    );
    await new Promise<void>((resolve) => worker.on('drained', () => resolve()));
    expect(order[0]).toBe(ids[7]);
    expect(await storms.countMembers(ids[7] ?? '')).toBe(11);
    await worker.close();
    connection.disconnect();
  });

  test('the summary is told while it changes, not more often than its time, and once when it is over', async () => {
    const told: (readonly [StormContentName, StormSummary])[] = [];
    const deliveries = {
      scheduleStorm: (summary: StormSummary, name: StormContentName) => {
        told.push([name, summary]);
        return Promise.resolve();
      },
    };
    const lines: string[] = [];
    const log = createLogger(
      'info',
      (text) => (lines.push(text), ''),
      () => undefined,
    );
    const tell = () => tellStorms({ storms, deliveries, log, everyMs: HOUR_MS });
    const tellAgain = async () => {
      await redis.del(`${prefix}:storm-turn`);
      await tell();
    };
    const ids = await openMany(10, () => ({ service: 'cart' }));
    await placeAll(ids);
    await Promise.all([tell(), tell(), tell()]);
    await tell();
    expect(told.map(([name]) => name)).toEqual(['storm-1']);
    await tellAgain();
    expect(told).toHaveLength(1);
    reported.set(reportId(ids[0] ?? ''), 'nothing found');
    await age(QUIET_MS + 60_000);
    await tellAgain();
    await tellAgain();
    expect(told.map(([name, { isOver }]) => [name, isOver])).toEqual([
      ['storm-1', false],
      ['storm-2', true],
    ]);
    expect(told[1]?.[1].investigations).toEqual([
      expect.objectContaining({ state: 'reported', summary: 'inconclusive: nothing found', members: 9 }),
    ]);
    expect(await storms.listTold()).toEqual([]);
    const said = lines.map((line) => JSON.parse(line) as { level: number; msg: string });
    expect(said.map(({ level, msg }) => [level, msg])).toEqual([
      [40, 'an alert storm has begun'],
      [30, 'the alert storm is over'],
    ]);
  });

  test('a storm that is over is told until its agents have reported: a first look is not the last word', async () => {
    const told: StormSummary[] = [];
    const deliveries = { scheduleStorm: (summary: StormSummary) => Promise.resolve(void told.push(summary)) };
    const tell = async () => {
      await redis.del(`${prefix}:storm-turn`);
      await tellStorms({ storms, deliveries, log: silentLogger() });
      return told.at(-1)?.investigations[0];
    };
    const [lead = ''] = await openMany(10, () => ({ service: 'cart' }));
    await placeAll(await incidents.listIds(20).then((ids) => ids.toReversed()));
    await incidents.noteProgress(lead, 'investigating', Date.now());
    reported.set(reportId(lead), 'at first look');
    await age(QUIET_MS + 60_000);
    expect(await tell()).toMatchObject({ state: 'investigating', summary: 'at first look' });
    reported.set(reportId(lead), 'the pool is too small');
    expect(await tell()).toMatchObject({ state: 'reported', summary: 'the pool is too small' });
    expect(told.map(({ isOver }) => isOver)).toEqual([true, true]);
    expect(await storms.listTold()).toEqual([]);
  });

  test('that one of its incidents is over is no new edition', async () => {
    const names: string[] = [];
    const deliveries = { scheduleStorm: (_: StormSummary, name: string) => Promise.resolve(void names.push(name)) };
    const ids = await openMany(10, () => ({ service: 'cart' }));
    await placeAll(ids);
    const tell = async () => {
      await redis.del(`${prefix}:storm-turn`);
      await tellStorms({ storms, deliveries, log: silentLogger() });
    };
    await tell();
    await redis.hset(`${prefix}:incident:${ids[3]}`, 'state', 'resolved');
    await tell();
    expect(names).toEqual(['storm-1']);
  });

  test('a process that dies between scheduling and noting an edition leaves it to the next one, under the same number', async () => {
    const names: string[] = [];
    const dying = {
      scheduleStorm: (_summary: StormSummary, name: StormContentName) => {
        names.push(name);
        return names.length === 1 ? Promise.reject(new Error('killed here')) : Promise.resolve();
      },
    };
    await openMany(10, () => ({ service: 'cart' }));
    const telling = { storms, deliveries: dying, log: silentLogger() };
    await expect(tellStorms(telling)).rejects.toThrow('killed here');
    await redis.del(`${prefix}:storm-turn`);
    await tellStorms(telling);
    expect(names).toEqual(['storm-1', 'storm-1']);
  });

  test('a storm that ended is over for good: the next one is another', async () => {
    await placeAll(await openMany(9, () => ({ service: 'cart' })));
    const [first] = await storms.listTold();
    await age(HOUR_MS);
    expect(Object.values(await placeAll([await open({ service: 'cart' })]))).toEqual(['alone']);
    await placeAll(await openMany(9, () => ({ service: 'cart' })));
    const [, second] = await storms.listTold();
    expect(second).toMatch(/^storm_[0-9a-f]{24}$/);
    expect(second).not.toBe(first);
  });
});

describeRedis('a storm in real processes', () => {
  let redis: TestRedis;
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    [redis, receiver] = await Promise.all([startTestRedis(), startWebhookReceiver()]);
  });
  afterEach(async () => {
    await stopRootnotes();
    await Promise.all([redis.stop(), receiver.close()]);
  });

  test('a worker that is killed in the middle leaves the storm to the next one: a handful of reports, everything in the summary', async () => {
    const env = {
      REDIS_URL: redis.url,
      WORKER_CONCURRENCY: '1',
      JOB_LOCK_MS: '1000',
      REPORT_WEBHOOK_URL: receiver.url,
      REPORT_WEBHOOK_SECRET: receiver.secret,
      REPORT_WEBHOOK_ALLOW_PRIVATE: 'true',
    };
    const serve = await startRootnote('serve', env);
    for (let n = 0; n < 33; n++) {
      const labels = { alertname: `Alert${n}`, severity: 'warning', service: n % 11 === 5 ? `other-${n}` : 'cart' };
      const { status } = await serve.post(groupText({ alerts: [{ labels }], groupKey: `{}:{n="${n}"}` }));
      expect(status).toBe(202);
    }
    const first = await startRootnote('work', env);
    await eventually('it has begun', () => first.output().includes('not investigated by itself'));
    await first.kill();
    await startRootnote('work', env);
    const told = () => receiver.visible().map(({ body }) => body as { type: string; data: { storm?: StormSummary } });
    const last = await eventually(
      'the summary has all reports',
      () => told().findLast(({ type }) => type === 'storm.updated')?.data.storm,
      (storm) => storm?.investigations.length === 4 && storm.investigations.every(({ state }) => state === 'reported'),
      120_000,
    );
    expect(last).toMatchObject({ incidents: 33, alerts: 33, omitted: 0 });
    expect(last?.investigations.map(({ members }) => members).toSorted((a, b) => b - a)).toEqual([29, 0, 0, 0]);
    // The summary knows of a report as soon as it is stored, and may be told before it.
    const created = () => told().filter(({ type }) => type === 'report.created').length;
    await eventually('all four are told', () => created() >= 4);
    expect(created()).toBe(4);
  }, 180_000);
});
