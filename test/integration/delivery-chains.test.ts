import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import type { DeliveryResult, IncidentContentName } from '../../src/domain/delivery.ts';
import type { Incident } from '../../src/domain/incident.ts';
import type { Routing } from '../../src/domain/routing.ts';
import { createLogger, silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { readBacklog } from '../../src/queue/deliveries/backlog.ts';
import { DeliveryChains } from '../../src/queue/deliveries/chains.ts';
import { createDeliveries, type Deliveries, type DeliveriesDeps } from '../../src/queue/deliveries/deliveries.ts';
import { chainKey, turnKey } from '../../src/queue/deliveries/keys.ts';
import { Outlet } from '../../src/queue/deliveries/outlet.ts';
import { startChild } from '../support/child.ts';
import { makeIncident, makeReport, stormSummary } from '../support/delivery-content.ts';
import { eventually } from '../support/eventually.ts';
import { gate } from '../support/gate.ts';
import { prefixOf, startTestRedis, type TestRedis } from '../support/redis.ts';
import { scriptedDestination } from '../support/scripted-destination.ts';

let server: TestRedis;
let redis: Redis;
let open: Deliveries[] = [];
let prefix = '';
let count = 0;

beforeAll(async () => {
  server = await startTestRedis();
  redis = openWorkerRedis(server.target, silentLogger());
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(() => {
  prefix = prefixOf(`chains-${++count}`);
});
afterEach(async () => {
  await Promise.all(open.map((deliveries) => deliveries.close(1000)));
  open = [];
});

const incident = makeIncident({ id: 'inc_1' });
const refused: DeliveryResult = { outcome: 'retry', reason: 'HTTP 503', posted: 'no' };
const unknown: DeliveryResult = { outcome: 'retry', reason: 'connection reset' };
const ok = (id: string): DeliveryResult => ({ outcome: 'ok', handle: { id } });

async function openDeliveries(overrides: Partial<DeliveriesDeps> & Pick<DeliveriesDeps, 'destinations'>) {
  const deliveries = await createDeliveries({
    redisTarget: server.target,
    prefix,
    loadContent: (id, name) => Promise.resolve(contentOf(id, name)),
    redact: (text) => text,
    log: silentLogger(),
    retry: { firstMs: 30, maxMs: 60, forMs: 60_000 },
    ...overrides,
  });
  open.push(deliveries);
  return deliveries;
}

function contentOf(id: string, name: IncidentContentName) {
  const about = { incident: makeIncident({ id }), report: makeReport() };
  if (name === 'resolved') return { kind: name, ...about, resolvedAtMs: 0 };
  if (name === 'report' || name === 'first-look') return { kind: name, ...about };
  return { kind: 'update' as const, ...about, news: `news of ${name}` };
}

async function settled(deliveries: Deliveries, id = 'inc_1') {
  return eventually(
    'all is settled',
    () => deliveries.records(id),
    (records) => records.length > 0 && records.every(({ state }) => state !== 'pending' && state !== 'posting'),
  );
}

const statesOf = (records: Awaited<ReturnType<Deliveries['records']>>) =>
  records.map(({ content, state }) => `${content} ${state}`);

describe('contents of one incident at one destination', () => {
  test('follow each other, each with the newest post, however they are scheduled', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    const chat = scriptedDestination('chat', async (_told, call) => {
      if (call === 1) await gate;
      return call === 2 ? { outcome: 'ok' } : ok(`post ${call}`);
    });
    const deliveries = await openDeliveries({ destinations: [chat.destination] });
    deliveries.startWorker();
    await deliveries.schedule(incident, 'first-look');
    await eventually('the first look is being posted', () => chat.told.length === 1);
    await deliveries.schedule(incident, 'resolved');
    await deliveries.schedule(incident, 'report');
    expect(chat.kinds()).toEqual(['first-look']);
    release();
    expect(statesOf(await settled(deliveries))).toEqual([
      'first-look delivered',
      'report delivered',
      'resolved delivered',
    ]);
    expect(chat.kinds()).toEqual(['first-look', 'report', 'resolved']);
    expect(chat.told.map(({ context }) => context.handle)).toEqual([undefined, { id: 'post 1' }, { id: 'post 1' }]);
  });

  test('one that has surely posted nothing gives way to a newer one, and the record says so', async () => {
    const chat = scriptedDestination('chat', async ({ kind }) => {
      if (kind !== 'first-look') return ok('post');
      // Before the refusal is noted: later, a second attempt might be faster.
      await deliveries.schedule(incident, 'report');
      return refused;
    });
    const deliveries = await openDeliveries({ destinations: [chat.destination] });
    deliveries.startWorker();
    await deliveries.schedule(incident, 'first-look');
    await eventually('the report is told', () => chat.kinds().includes('report'));
    const [firstLook, report] = await settled(deliveries);
    expect(firstLook).toMatchObject({ state: 'superseded', reason: 'report is told instead', attempts: 1 });
    expect(report).toMatchObject({ state: 'delivered', attempts: 1 });
    expect(chat.kinds()).toEqual(['first-look', 'report']);
  });

  test('the wait that a destination asked for holds for what is told instead, too', async () => {
    let refusedAtMs = Infinity;
    const chat = scriptedDestination('chat', async (_told, call) => {
      if (call > 1) return ok('post');
      await deliveries.schedule(incident, 'report');
      refusedAtMs = Date.now();
      return { ...refused, afterMs: 1500 };
    });
    const deliveries = await openDeliveries({ destinations: [chat.destination] });
    deliveries.startWorker();
    await deliveries.schedule(incident, 'first-look');
    await eventually('what comes after the refusal is told', () => chat.told.length === 2);
    const [, report] = await settled(deliveries);
    expect(chat.kinds()).toEqual(['first-look', 'report']);
    expect((report?.updatedAtMs ?? 0) - refusedAtMs).toBeGreaterThanOrEqual(1500);
  });

  test('one that may have posted is settled before the next, which follows its post', async () => {
    const chat = scriptedDestination('chat', (_told, call) => (call === 1 ? unknown : ok(`post ${call}`)));
    const deliveries = await openDeliveries({
      destinations: [chat.destination],
      retry: { firstMs: 500, maxMs: 500, forMs: 60_000 },
    });
    await deliveries.schedule(incident, 'first-look');
    deliveries.startWorker();
    await eventually('the first look failed', () => chat.told.length === 1);
    await deliveries.schedule(incident, 'report');
    await settled(deliveries);
    const seen = chat.told.map(({ kind, context }) => [kind, context.mayHavePosted, context.handle]);
    expect(seen).toEqual([
      ['first-look', false, undefined],
      ['first-look', true, undefined],
      ['report', false, { id: 'post 2' }],
    ]);
  });

  test('a first look that comes after the report is not told any more', async () => {
    const chat = scriptedDestination('chat');
    const deliveries = await openDeliveries({ destinations: [chat.destination] });
    deliveries.startWorker();
    await deliveries.schedule(incident, 'report');
    await settled(deliveries);
    await deliveries.schedule(incident, 'first-look');
    expect(statesOf(await settled(deliveries))).toEqual(['first-look superseded', 'report delivered']);
    expect(chat.kinds()).toEqual(['report']);
  });

  test('of several updates that wait the newest is told; the end replaces updates, and never a report', async () => {
    const chat = scriptedDestination('chat');
    const deliveries = await openDeliveries({ destinations: [chat.destination] });
    for (const name of ['report', 'update-1', 'update-2', 'resolved'] as const)
      await deliveries.schedule(incident, name);
    await deliveries.schedule(makeIncident({ id: 'inc_2' }), 'resolved');
    await deliveries.schedule(makeIncident({ id: 'inc_2' }), 'report');
    deliveries.startWorker();
    const all = ['report superseded', 'update-1 superseded', 'update-2 delivered', 'resolved delivered'];
    expect(statesOf(await settled(deliveries))).toEqual(all);
    expect(statesOf(await settled(deliveries, 'inc_2'))).toEqual(['report delivered', 'resolved delivered']);
  });

  test('the end of an incident that was never told here is not told either', async () => {
    const chat = scriptedDestination('chat', () => ({ outcome: 'give-up', reason: 'HTTP 401' }));
    const deliveries = await openDeliveries({ destinations: [chat.destination] });
    deliveries.startWorker();
    await deliveries.schedule(incident, 'report');
    await deliveries.schedule(incident, 'resolved');
    const [report, resolved] = await settled(deliveries);
    expect(report).toMatchObject({ state: 'gave-up', reason: 'HTTP 401' });
    expect(resolved).toMatchObject({ state: 'superseded', attempts: 0 });
    expect(chat.kinds()).toEqual(['report']);
  });

  test('the end of an incident whose first look alone is told waits for the report', async () => {
    const chat = scriptedDestination('chat', (_told, call) => ok(`post ${call}`));
    const deliveries = await openDeliveries({ destinations: [chat.destination] });
    deliveries.startWorker();
    await deliveries.schedule(incident, 'first-look');
    await settled(deliveries);
    await deliveries.schedule(incident, 'resolved');
    await eventually('its job waits', async () => (await redis.zcard(`${prefix}:deliveries-chat:delayed`)) === 1);
    expect(chat.kinds()).toEqual(['first-look']);
    await deliveries.schedule(incident, 'report');
    await settled(deliveries);
    expect(chat.kinds()).toEqual(['first-look', 'report', 'resolved']);
  });

  test('where the report was given up, the end is told in the post of the first look', async () => {
    const chat = scriptedDestination('chat', ({ kind }) =>
      kind === 'report' ? { outcome: 'give-up', reason: 'HTTP 400' } : ok('post'),
    );
    const deliveries = await openDeliveries({ destinations: [chat.destination] });
    deliveries.startWorker();
    for (const name of ['first-look', 'report', 'resolved'] as const) {
      await deliveries.schedule(incident, name);
      await settled(deliveries);
    }
    expect(chat.kinds()).toEqual(['first-look', 'report', 'resolved']);
    expect(chat.told.at(-1)?.context.handle).toEqual({ id: 'post' });
  });

  test('a report that comes after its end has stopped waiting is told with its end', async () => {
    const chains = new DeliveryChains(redis, prefix);
    const key = { subjectId: 'inc_1', destination: 'chat' };
    const times = { claimMs: 1000, longestWaitMs: 1000, reportWaitMs: 1 };
    await chains.open(key, 'resolved', 0);
    await eventually('it waits no more', async () => (await chains.claim(key, 'a', times)).kind === 'idle');
    await chains.open(key, 'report', 0);
    expect(await chains.claim(key, 'b', times)).toMatchObject({ content: 'report' });
    await chains.settle(key, 'b', { state: 'delivered', mayHavePosted: true });
    expect(await chains.claim(key, 'c', times)).toMatchObject({ content: 'resolved' });
  });

  test('a worker that dies while its delivery waits for a turn does not speak against the delivery', async () => {
    const chains = new DeliveryChains(redis, prefix);
    const key = { subjectId: 'inc_1', destination: 'chat' };
    const times = { claimMs: 20, longestWaitMs: 1000, reportWaitMs: 1 };
    await chains.open(key, 'report', 0);
    const claimAs = (token: string) =>
      eventually(
        'the claim before has run out',
        () => chains.claim(key, token, times),
        ({ kind }) => kind === 'claimed',
      );
    await claimAs('a');
    expect(await chains.rest(key, 'a', true)).toBe(true);
    expect(await claimAs('b')).toMatchObject({ crashes: 0, mayHavePosted: true });
    expect(await chains.rest(key, 'a', true)).toBe(false);
    await chains.rest(key, 'b', true);
    await chains.rest(key, 'b', false);
    expect(await claimAs('c')).toMatchObject({ crashes: 1 });
    expect(await claimAs('d')).toMatchObject({ crashes: 2 });
  });

  test('the chain knows while its delivery waits for a turn', async () => {
    let turns = 0;
    const chat = scriptedDestination('chat', async ({ context }) => {
      while ((await context.turns.take('channel', 60_000)) > 0) turns += 1;
      return ok('post');
    });
    await redis.set(turnKey(prefix, 'channel'), '1');
    const deliveries = await openDeliveries({ destinations: [chat.destination] });
    deliveries.startWorker();
    await deliveries.schedule(incident, 'report');
    const chain = chainKey(prefix, { subjectId: 'inc_1', destination: 'chat' });
    await eventually('it waits', async () => (await redis.hget(chain, '@rests')) === '1');
    await redis.del(turnKey(prefix, 'channel'));
    expect(statesOf(await settled(deliveries))).toEqual(['report delivered']);
    expect(turns).toBeGreaterThan(0);
    expect(await redis.hget(chain, '@rests')).toBeNull();
  });

  test('what another worker took over while it waited for a turn is not posted here, whatever the clock says', async () => {
    let posts = 0;
    const chat = scriptedDestination('chat', async ({ context }) => {
      while ((await context.turns.take('channel', 60_000)) > 0);
      posts += 1;
      return ok('post');
    });
    await redis.set(turnKey(prefix, 'channel'), '1');
    const deliveries = await openDeliveries({ destinations: [chat.destination], lockMs: 2000 });
    deliveries.startWorker();
    await deliveries.schedule(incident, 'report');
    const chain = chainKey(prefix, { subjectId: 'inc_1', destination: 'chat' });
    await eventually('it waits', async () => (await redis.hget(chain, '@rests')) === '1');
    await redis.multi().hset(chain, '@claim', 'of another worker').del(turnKey(prefix, 'channel')).exec();
    await eventually('its turn has come', async () => (await redis.exists(turnKey(prefix, 'channel'))) === 1);
    await redis.del(turnKey(prefix, 'channel'));
    expect(statesOf(await settled(deliveries))).toEqual(['report delivered']);
    expect(posts).toBe(1);
  });

  test('an update tells what those that gave way to it would have told', async () => {
    const chat = scriptedDestination('chat', () => ok('post'));
    const asked: unknown[] = [];
    const deliveries = await openDeliveries({
      destinations: [chat.destination],
      loadContent: (id, name, toldBefore) => {
        asked.push([name, toldBefore]);
        return Promise.resolve(contentOf(id, name));
      },
    });
    for (const name of ['report', 'update-1', 'update-2'] as const) await deliveries.schedule(incident, name);
    deliveries.startWorker();
    await settled(deliveries);
    await deliveries.schedule(incident, 'update-3');
    await settled(deliveries);
    expect(asked).toEqual([
      ['update-2', undefined],
      ['update-3', 'update-2'],
    ]);
  });

  test('a destination hears only what it tells', async () => {
    const ticket = scriptedDestination('ticket', () => ok('T-1'), { tells: ['report', 'resolved'] });
    const note = scriptedDestination('note', () => ok('N'), { tells: ['report'], accepts: ({ id }) => id !== 'inc_1' });
    const deliveries = await openDeliveries({ destinations: [ticket.destination, note.destination] });
    deliveries.startWorker();
    for (const name of ['first-look', 'report', 'update-1', 'resolved'] as const)
      await deliveries.schedule(incident, name);
    await settled(deliveries);
    expect(ticket.kinds()).toEqual(['report', 'resolved']);
    expect(note.kinds()).toEqual([]);
  });
});

describe('who is told', () => {
  const routedTo = (destination: string, afterMs = 0): Pick<Routing, 'routesFor' | 'routesForStorms'> => ({
    routesFor: () => [{ destination, afterMs }],
    routesForStorms: () => [{ destination, afterMs }],
  });

  test('is decided with the first content and kept when the routes change', async () => {
    const [a, b] = [scriptedDestination('a'), scriptedDestination('b')];
    const destinations = [a.destination, b.destination];
    const before = await openDeliveries({ destinations, routing: routedTo('a') });
    await before.schedule(incident, 'report');
    const after = await openDeliveries({ destinations, routing: routedTo('b') });
    after.startWorker();
    await after.schedule(incident, 'resolved');
    await settled(after);
    expect([a.kinds(), b.kinds()]).toEqual([['report', 'resolved'], []]);
  });

  test('a process without the destination schedules for those that have it', async () => {
    const chat = scriptedDestination('chat');
    const first = await openDeliveries({ destinations: [chat.destination] });
    await first.schedule(incident, 'report');
    const other = await openDeliveries({ destinations: [] });
    await other.schedule(incident, 'resolved');
    expect(statesOf(await other.records('inc_1'))).toEqual(['report pending', 'resolved pending']);
    expect(await readBacklog(redis, prefix)).toMatchObject([{ destination: 'chat', deliveries: 2 }]);
    const lines: unknown[] = [];
    const log = createLogger('warn', (text) => (lines.push(text), text));
    (await openDeliveries({ destinations: [], log })).startWorker();
    await eventually('it says what is left', () => lines.join().includes('deliveries wait for it'));
    first.startWorker();
    await settled(first);
    expect(chat.kinds()).toEqual(['report', 'resolved']);
    expect(await readBacklog(redis, prefix)).toEqual([{ destination: 'chat', deliveries: 0, oldestAgeMs: 0 }]);
  });

  test('a destination that is told later hears nothing of what is over by then', async () => {
    const page = scriptedDestination('page');
    // Time for the end to come first on a busy machine. The other one is due later: when it is told, the time of the first is over.
    const routing = {
      ...routedTo('page'),
      routesFor: ({ id }: Incident) => [{ destination: 'page', afterMs: id === incident.id ? 5000 : 6000 }],
    };
    const deliveries = await openDeliveries({ destinations: [page.destination], routing });
    deliveries.startWorker();
    const lasting = makeIncident({ id: 'inc_2' });
    await deliveries.schedule(incident, 'report');
    await deliveries.schedule(incident, 'resolved');
    await deliveries.schedule(incident, 'update-1');
    const all = ['report superseded', 'update-1 superseded', 'resolved superseded'];
    expect(statesOf(await settled(deliveries))).toEqual(all);
    expect(page.kinds()).toEqual([]);
    await deliveries.schedule(lasting, 'report');
    expect(statesOf(await settled(deliveries, 'inc_2'))).toEqual(['report delivered']);
    expect(page.kinds()).toEqual(['report']);
  });

  test('the editions of a storm follow each other where storms are told', async () => {
    const chat = scriptedDestination('chat', (_told, call) => ok(`post ${call}`));
    const ticket = scriptedDestination('ticket', () => ok('T'), { tellsStorms: false }).destination;
    const storm = stormSummary({ id: 'storm_1' });
    const deliveries = await openDeliveries({
      destinations: [chat.destination, ticket],
      loadStorm: (id) => Promise.resolve(id === storm.id ? storm : undefined),
    });
    deliveries.startWorker();
    await deliveries.scheduleStorm(storm, 'storm-1');
    await settled(deliveries, storm.id);
    await deliveries.scheduleStorm(storm, 'storm-2');
    expect(statesOf(await settled(deliveries, storm.id))).toEqual(['storm-1 delivered', 'storm-2 delivered']);
    expect(chat.told.map(({ kind, context }) => [kind, context.handle])).toEqual([
      ['storm', undefined],
      ['storm', { id: 'post 1' }],
    ]);
  });
});

describe('what is given up', () => {
  test('the other destinations are told once, however many deliveries it is', async () => {
    const dead = scriptedDestination('jira', () => ({ outcome: 'give-up', reason: 'HTTP 401' }));
    const chat = scriptedDestination('chat', () => ok('post'));
    const once = scriptedDestination('once', () => ok('post'), { tells: ['report'] });
    const destinations = [dead.destination, chat.destination, once.destination];
    const deliveries = await openDeliveries({ destinations });
    deliveries.startWorker();
    const ids = Array.from({ length: 20 }, (_, n) => `inc_${n}`);
    await Promise.all(ids.map((id) => deliveries.schedule(makeIncident({ id }), 'report')));
    for (const id of ids) await settled(deliveries, id);
    const notices = chat.told.filter(({ kind }) => kind === 'update');
    expect(notices.map(({ news }) => news)).toEqual([
      expect.stringMatching(/^The report could not be delivered to jira: HTTP 401\. .*deliveries retry inc_\d+ jira$/),
    ]);
    expect(notices[0]?.context.handle).toEqual({ id: 'post' });
    expect(once.kinds()).not.toContain('update');
  });

  test('that is told where the incident is told first after it, and later when that was to be later', async () => {
    const dead = scriptedDestination('dead', () => ({ outcome: 'give-up', reason: 'HTTP 401' }));
    const ticket = scriptedDestination('ticket', () => ok('T'), { tells: ['report', 'update'] });
    const routes = [
      { destination: 'dead', afterMs: 0 },
      { destination: 'ticket', afterMs: 1500 },
    ];
    const deliveries = await openDeliveries({
      destinations: [dead.destination, ticket.destination],
      routing: { routesFor: () => routes, routesForStorms: () => [] },
    });
    deliveries.startWorker();
    await deliveries.schedule(incident, 'first-look');
    const noticed = await eventually('the notice is scheduled', async () =>
      (await deliveries.records('inc_1')).find(({ content }) => content === 'notice-1'),
    );
    await deliveries.schedule(incident, 'report');
    await settled(deliveries);
    expect(ticket.kinds()).toEqual(['report', 'update']);
    const report = (await deliveries.records('inc_1')).find(
      ({ destination, content }) => destination === 'ticket' && content === 'report',
    );
    expect((report?.updatedAtMs ?? 0) - (noticed?.updatedAtMs ?? 0)).toBeGreaterThan(1000);
  });

  test('a notice about it holds up no report that comes after', async () => {
    const dead = scriptedDestination('dead', () => ({ outcome: 'give-up', reason: 'HTTP 401' }));
    const chat = scriptedDestination('chat', () => ok('post'));
    const deliveries = await openDeliveries({ destinations: [dead.destination, chat.destination] });
    deliveries.startWorker();
    await deliveries.schedule(incident, 'first-look');
    await eventually('the notice is told', () => chat.kinds().length === 2);
    await deliveries.schedule(incident, 'report');
    await settled(deliveries);
    expect(chat.kinds()).toEqual(['first-look', 'update', 'report']);
  });

  test('has its notice before it is noted as given up: a worker that dies in between loses neither', async () => {
    const dead = scriptedDestination('dead', () => ({ outcome: 'give-up', reason: 'HTTP 401' }));
    const chat = scriptedDestination('chat', () => ok('post'));
    const stopped = gate();
    const deliveries = await openDeliveries({
      destinations: [dead.destination, chat.destination],
      pause: async (step, { destination }) => {
        if (step === 'confirmed' && destination === 'dead') await stopped.opened;
      },
    });
    deliveries.startWorker();
    await deliveries.schedule(incident, 'report');
    await eventually('the other one is told', () => chat.kinds().includes('update'));
    stopped.open();
  });

  test('is sent again with the end that had nothing to follow', async () => {
    let isMended = false;
    const chat = scriptedDestination('chat', () =>
      isMended ? ok('post') : { outcome: 'give-up', reason: 'HTTP 401' },
    );
    const deliveries = await openDeliveries({ destinations: [chat.destination] });
    deliveries.startWorker();
    await deliveries.schedule(incident, 'report');
    await deliveries.schedule(incident, 'resolved');
    await settled(deliveries);
    isMended = true;
    expect((await deliveries.retry('inc_1')).map(({ content }) => content)).toEqual(['report', 'resolved']);
    await settled(deliveries);
    expect(chat.kinds()).toEqual(['report', 'report', 'resolved']);
  });

  test('is sent again when somebody asks for it, and only there', async () => {
    let isMended = false;
    const jira = scriptedDestination('jira', () =>
      isMended ? ok('OPS-1') : { outcome: 'give-up', reason: 'HTTP 401' },
    );
    const chat = scriptedDestination('chat', () => ok('post'), { tells: ['report'] });
    const deliveries = await openDeliveries({ destinations: [jira.destination, chat.destination] });
    deliveries.startWorker();
    await deliveries.schedule(incident, 'report');
    await settled(deliveries);
    isMended = true;
    expect(await deliveries.retry('inc_1', 'chat')).toEqual([]);
    expect(await deliveries.retry('inc_1')).toEqual([{ destination: 'jira', content: 'report' }]);
    const records = await settled(deliveries);
    expect(records).toMatchObject([
      { destination: 'jira', state: 'delivered', attempts: 2, handle: { id: 'OPS-1' } },
      { destination: 'chat', state: 'delivered', attempts: 1 },
    ]);
    expect(await deliveries.retry('inc_1')).toEqual([]);
    expect(chat.kinds()).toEqual(['report']);
  });
});

describe('what dies in between', () => {
  test('R11: a report that kills every worker is given up, and the next one is told', async () => {
    const args = JSON.stringify({ ...server.target, prefix });
    const loader = fileURLToPath(new URL('../support/typescript-loader.mjs', import.meta.url));
    const worker = fileURLToPath(new URL('../support/lethal-delivery-worker.ts', import.meta.url));
    const chat = scriptedDestination('chat');
    const deliveries = await openDeliveries({ destinations: [chat.destination] });
    await deliveries.schedule(makeIncident({ id: 'inc_lethal' }), 'report');
    let deaths = 0;
    for (;;) {
      const child = await startChild(process.execPath, ['--import', loader, worker, args]);
      await eventually('the worker is done', () => child.exited());
      if (!child.output().includes('taken')) break;
      expect(++deaths).toBeLessThanOrEqual(6);
    }
    expect(deaths).toBe(6);
    expect(await deliveries.records('inc_lethal')).toMatchObject([
      { state: 'gave-up', reason: expect.stringMatching(/workers died over it/) },
    ]);
    deliveries.startWorker();
    await deliveries.schedule(makeIncident({ id: 'inc_2' }), 'report');
    await settled(deliveries, 'inc_2');
  });

  test('Redis is killed between the post and its confirmation: the next attempt looks first', async () => {
    const own = await startTestRedis();
    const chat = scriptedDestination('chat', () => ok('post'));
    let kills = 0;
    const deliveries = await openDeliveries({
      redisTarget: own.target,
      destinations: [chat.destination],
      lockMs: 1000,
      pause: async (step) => {
        if (step !== 'posted' || kills++ > 0) return;
        await own.kill();
        await new Promise((resolve) => setTimeout(resolve, 1500));
        await own.restart();
      },
    });
    deliveries.startWorker();
    await deliveries.schedule(incident, 'report');
    expect(statesOf(await settled(deliveries))).toEqual(['report delivered']);
    expect(chat.told.slice(1).every(({ context }) => context.mayHavePosted)).toBe(true);
    await deliveries.close(1000);
    await own.stop();
  });

  test('R9: a post whose claim somebody else may have is stopped', async () => {
    const own = await startTestRedis();
    const reasons: unknown[] = [];
    const slow = scriptedDestination('slow', ({ context: { signal } }, call) => {
      if (call > 1) return ok('post');
      own.pause();
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          own.resume();
          resolve(unknown);
        });
      });
    });
    const deliveries = await openDeliveries({
      redisTarget: own.target,
      destinations: [slow.destination],
      lockMs: 1000,
    });
    deliveries.startWorker();
    await deliveries.schedule(incident, 'report');
    await settled(deliveries);
    expect(reasons).toHaveLength(1);
    expect(slow.told[1]?.context.mayHavePosted).toBe(true);
    await deliveries.close(1000);
    await own.stop();
  });

  test('a clock of Redis that has jumped back holds up a claim no longer than a claim lasts', async () => {
    const chat = scriptedDestination('chat', () => ok('post'));
    const deliveries = await openDeliveries({ destinations: [chat.destination], lockMs: 1000 });
    await deliveries.schedule(incident, 'report');
    const inAnHour = Date.now() + 3_600_000;
    const dead = {
      '@claim': 'of a dead worker',
      '@claimed': 'report',
      '@untilMs': inAnHour,
      'report|state': 'posting',
    };
    await redis.hset(`${prefix}:deliveries:inc_1:chat`, dead);
    deliveries.startWorker();
    expect(statesOf(await settled(deliveries))).toEqual(['report delivered']);
    expect(chat.told[0]?.context.mayHavePosted).toBe(true);
  });

  test('what was noted and lost its job is found again', async () => {
    const chat = scriptedDestination('chat', () => ok('post'));
    const deliveries = await openDeliveries({ destinations: [chat.destination] });
    await deliveries.schedule(incident, 'report');
    for (const key of await redis.keys(`${prefix}:deliveries-chat:*`)) await redis.del(key);
    await redis.zadd(`${prefix}:undelivered:chat`, 1, 'inc_1|report');
    deliveries.startWorker();
    expect(statesOf(await settled(deliveries))).toEqual(['report delivered']);
  });

  test('what waits without a job gets one, however often it is looked for', async () => {
    const outlet = new Outlet('chat', redis, prefix, silentLogger());
    await outlet.schedule('inc_1', 'report', 0);
    for (const key of await redis.keys(`${prefix}:deliveries-chat:*`)) await redis.del(key);
    await redis.zadd(`${prefix}:undelivered:chat`, 1, 'inc_1|report');
    const clock = jest.spyOn(Date, 'now');
    try {
      expect(await outlet.sweep()).toBe(1);
      clock.mockReturnValue(Date.now() + 600_000);
      expect(await outlet.sweep()).toBe(0);
    } finally {
      clock.mockRestore();
      outlet.close();
    }
  });
});
