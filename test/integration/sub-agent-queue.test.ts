import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, afterAll, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import type { SubAgentOutcome } from '../../src/agent/sub-agents/port.ts';
import { createIncidentQueue } from '../../src/queue/incident-queue.ts';
import { startInvestigationWorker } from '../../src/queue/investigation-worker.ts';
import type { JobWorker } from '../../src/queue/job-worker.ts';
import { startSubAgentWorker, type OrderPlace, type SubAgentWorkerDeps } from '../../src/queue/sub-agent-worker.ts';
import { createQueuedSubAgents, type QueuedSubAgents } from '../../src/queue/sub-agents.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { findNode } from '../../src/platform/redis-nodes.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { createResumeStore, type ResumeStore } from '../../src/sessions/resume-store.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { gate } from '../support/gate.ts';
import { firingIncident } from '../support/incidents.ts';
import { keepCheck } from '../support/keep-check.ts';
import { REDIS } from '../support/programs.ts';
import { prefixOf, startTestRedis, type TestRedis } from '../support/redis.ts';
import { foundBy, orderOf, stateOf } from '../support/sub-agent-orders.ts';

const describeRedis = await describeIf(REDIS);
const log = silentLogger();
const never = new AbortController().signal;

describeRedis('sub-agents as jobs', () => {
  let server: TestRedis;
  let redis: Redis;
  let prefix = '';
  let store: ResumeStore;
  let subAgents: QueuedSubAgents;
  let unanswered: string[];
  let workers: JobWorker[];

  beforeAll(async () => {
    server = await startTestRedis();
    redis = openWorkerRedis(server.target, log);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });
  beforeEach(() => {
    prefix = prefixOf(`t${randomUUID()}`);
    unanswered = [];
    workers = [];
    store = createResumeStore(redis, prefix, log);
    subAgents = createQueuedSubAgents({ redis, prefix, store, log, onLost: ({ id }) => unanswered.push(id) });
  });
  afterEach(async () => {
    await subAgents.close();
    for (const worker of workers) await worker.close(500);
  });

  /** An incident whose investigation has got as far as delegating. */
  const openCase = async (incidentId: string) => {
    await keepCheck(redis, prefix, firingIncident({ id: incidentId, startsAtMs: 1 }));
    await store.journal(incidentId).save(stateOf());
    return [1, 2, 3, 4].map((place) => orderOf(incidentId, place));
  };
  const work = async (
    runOrder: (place: OrderPlace) => Promise<SubAgentOutcome>,
    deps: Partial<SubAgentWorkerDeps> = {},
  ) => {
    const worker = await startSubAgentWorker({
      redis: server.target,
      prefix,
      concurrency: 4,
      timeoutMs: 30_000,
      log,
      redact: (text) => text,
      runOrder,
      onOutcome: () => Promise.resolve(),
      ...deps,
    });
    workers.push(worker);
    return worker;
  };

  test('B13: outcomes come in the order of the tasks, whichever sub-agent is done first; each gets incident, state and order', async () => {
    const orders = await openCase('inc_a');
    const last = gate();
    const seen: OrderPlace[] = [];
    await work(async (place) => {
      seen.push(place);
      if (place.order.task === 'task 4') last.open();
      else await last.opened;
      return foundBy(place.order);
    });
    expect(await subAgents.runnerFor('inc_a')(orders, never)).toEqual(orders.map((order) => foundBy(order)));
    expect(seen.map(({ order }) => ({ ...order, allowance: 0 }))).toEqual(
      expect.arrayContaining(orders.map((order) => ({ ...order, allowance: 0 }))),
    );
    expect(seen[0]).toMatchObject({ incident: { id: 'inc_a' }, state: { nonce: 'f00dcafe', brief: stateOf().brief } });
  });

  test('resume: what has an outcome is not run again, what still runs is awaited', async () => {
    const orders = await openCase('inc_a');
    const runs: string[] = [];
    const slow = gate();
    const begun = gate();
    await work(async ({ order }) => {
      runs.push(order.id);
      if (runs.length === 4) begun.open();
      if (order.task === 'task 3') await slow.opened;
      return foundBy(order);
    });
    const killed = new AbortController();
    const first = subAgents.runnerFor('inc_a')(orders, killed.signal);
    await begun.opened;
    killed.abort(new Error('the parent is gone'));
    await expect(first).rejects.toThrow('the parent is gone');

    const second = subAgents.runnerFor('inc_a')(
      orders.map((order) => ({ ...order, allowance: { ...order.allowance, tokens: 1 } })),
      never,
    );
    slow.open();
    expect(await second).toEqual(orders.map((order) => foundBy(order)));
    expect(runs).toHaveLength(4);
  });

  test('B13: one that throws every time and one that kills its workers are lost with a reason; their siblings go on', async () => {
    const orders = (await openCase('inc_a')).slice(0, 3);
    const told: string[] = [];
    // As if five workers had died over it.
    const poisoned = orders[1]?.id ?? '';
    const results = subAgents.runnerFor('inc_a')(orders, never);
    while ((await redis.exists(`${prefix}:subagents:${poisoned}`)) === 0) await new Promise(setImmediate);
    await redis.hset(`${prefix}:subagents:${poisoned}`, 'ats', '5');
    await work(
      ({ order }) => (order.task === 'task 1' ? Promise.reject(new Error('a bug')) : Promise.resolve(foundBy(order))),
      { onOutcome: (order, outcome) => Promise.resolve(void told.push(`${order.task} ${outcome.kind}`)) },
    );
    expect(await results).toEqual([
      expect.objectContaining({ kind: 'lost', reason: 'it failed every time: a bug' }),
      expect.objectContaining({ kind: 'lost', reason: expect.stringContaining('ended its worker process') }),
      foundBy(orders[2] ?? orderOf('inc_a')),
    ]);
    // Of an outcome that stands its parent may know before anybody is told.
    await eventually('all are told', () => told.length >= 3);
    expect(told.sort()).toEqual(['task 1 lost', 'task 2 lost', 'task 3 done']);
  });

  test('B13: one that gives no answer in time is lost, once, and its late answer changes nothing', async () => {
    const [order = orderOf('inc_a')] = await openCase('inc_a');
    const late = gate();
    const begun = gate();
    const answered = gate();
    await work(async (place) => {
      begun.open();
      await late.opened;
      answered.open();
      return foundBy(place.order);
    });
    // It is at work before its short time begins: one that is given up while it waits is never begun, and has no late answer.
    const killed = new AbortController();
    const first = subAgents.runnerFor('inc_a')([order], killed.signal);
    await begun.opened;
    killed.abort(new Error('the parent is gone'));
    await expect(first).rejects.toThrow('the parent is gone');
    const brief = { ...order, allowance: { ...order.allowance, timeMs: 300 } };
    const [outcome] = await subAgents.runnerFor('inc_a')([brief], never);
    expect(outcome).toMatchObject({ kind: 'lost', reason: 'it gave no answer in time' });
    late.open();
    await answered.opened;
    expect(await subAgents.runnerFor('inc_a')([brief], never)).toEqual([outcome]);
    expect(unanswered).toEqual([order.id]);
  });

  test('B15: what it had to wait for its turn is taken off its time, so that it ends while its parent still waits', async () => {
    const orders = (await openCase('inc_a')).slice(0, 2);
    const times: number[] = [];
    const outcomes = subAgents.runnerFor('inc_a')(orders, never);
    while ((await redis.exists(...orders.map(({ id }) => `${prefix}:subagents:${id}`))) < 2)
      await new Promise(setImmediate);
    // As if nobody had been there for twenty seconds.
    for (const { id } of orders) await redis.hset(`${prefix}:subagents:${id}`, 'timestamp', Date.now() - 20_000);
    await work((place) => {
      times.push(place.order.allowance.timeMs);
      return Promise.resolve(foundBy(place.order));
    });
    expect((await outcomes).map(({ kind }) => kind)).toEqual(['done', 'done']);
    for (const timeMs of times) {
      expect(timeMs).toBeLessThanOrEqual(40_000);
      expect(timeMs).toBeGreaterThan(0);
    }
  });

  test('an id that a lost turn had used for another task gives no answer to this one', async () => {
    const [order = orderOf('inc_a')] = await openCase('inc_a');
    await work(({ order: ordered }) => Promise.resolve(foundBy(ordered)));
    expect(await subAgents.runnerFor('inc_a')([order], never)).toEqual([foundBy(order)]);
    const [other] = await subAgents.runnerFor('inc_a')([{ ...order, task: 'something else' }], never);
    expect(other).toMatchObject({ kind: 'lost', reason: expect.stringContaining('something else in its place') });
  });

  test('a state of another version is not worked with', async () => {
    const [order = orderOf('inc_a')] = await openCase('inc_a');
    await store.journal('inc_a').save({ ...stateOf(), version: 0 as never });
    await work(({ order: ordered }) => Promise.resolve(foundBy(ordered)));
    const [outcome] = await subAgents.runnerFor('inc_a')([order], never);
    expect(outcome).toMatchObject({ kind: 'lost', reason: expect.stringContaining('another version') });
  });

  test('B13: a Redis that refuses writes loses the sub-agents and not their investigation', async () => {
    const orders = (await openCase('inc_a')).slice(0, 2);
    const node = await findNode(redis, prefix);
    await node?.config('SET', 'maxmemory', '1');
    try {
      const outcomes = await subAgents.runnerFor('inc_a')(orders, never);
      expect(outcomes.map(({ kind }) => kind)).toEqual(['lost', 'lost']);
    } finally {
      await node?.config('SET', 'maxmemory', '0');
    }
  });

  test('a worker that stops hands its sub-agent back, and the next one goes on from its checkpoint', async () => {
    const [order = orderOf('inc_a')] = await openCase('inc_a');
    const begun = gate();
    const stopping = await work(async ({ checkpoint }) => {
      await checkpoint.save({ version: 1, state: 'two turns done' });
      begun.open();
      return new Promise(() => undefined);
    });
    const outcome = subAgents.runnerFor('inc_a')([order], never);
    await begun.opened;
    await stopping.close(200);
    await work(async ({ checkpoint }) => foundBy(order, String((await checkpoint.load())?.state)));
    expect(await outcome).toEqual([foundBy(order, 'two turns done')]);
  });

  test('when the report is out, a sub-agent that nobody waits for is told to stop, and one that waits is not begun', async () => {
    const orders = (await openCase('inc_a')).slice(0, 2);
    const begun = gate();
    const stopped = gate<string>();
    const runs: string[] = [];
    const next = gate();
    await work(
      async ({ order, checkpoint, signal }) => {
        runs.push(order.id);
        if (order.id === 'ses_inc_b.1.1') next.open();
        else {
          begun.open();
          while (!signal.aborted) {
            await checkpoint.save({ version: 1, state: 'a turn' });
            await new Promise(setImmediate);
          }
          stopped.open((signal.reason as Error).message);
        }
        return foundBy(order);
      },
      { concurrency: 1 },
    );
    const parent = new AbortController();
    const waiting = subAgents
      .runnerFor('inc_a')(orders, parent.signal)
      .catch(() => undefined);
    await begun.opened;
    parent.abort();
    await waiting;
    await store.clear('inc_a');
    expect(await stopped.opened).toBe('nobody waits for it any more');
    await openCase('inc_b');
    void subAgents.runnerFor('inc_b')([orderOf('inc_b')], never);
    await next.opened;
    expect(runs).toHaveLength(2);
  });

  test('parents that wait never starve their children: one place for each, and more parents than that', async () => {
    const ids = Array.from({ length: 6 }, (_, i) => `inc_${String.fromCharCode(97 + i)}`);
    const reported: string[] = [];
    const all = gate();
    await work(({ order }) => Promise.resolve(foundBy(order)), { concurrency: 1 });
    workers.push(
      await startInvestigationWorker({
        redis: server.target,
        prefix,
        concurrency: 1,
        timeoutMs: 30_000,
        log,
        redact: (text) => text,
        investigate: async ({ id }, { signal }) => {
          await store.journal(id).save(stateOf());
          const outcomes = await subAgents.runnerFor(id)(
            [1, 2, 3, 4].map((place) => orderOf(id, place)),
            signal,
          );
          if (outcomes.every(({ kind }) => kind === 'done')) reported.push(id);
          if (reported.length === ids.length) all.open();
        },
        onResolved: () => Promise.resolve(),
        onPoison: () => Promise.resolve(),
      }),
    );
    const queue = createIncidentQueue(redis, prefix, log);
    for (const id of ids) {
      await keepCheck(redis, prefix, firingIncident({ id, startsAtMs: 1 }));
      await queue.add({ kind: 'investigate', incidentId: id });
    }
    await all.opened;
    await queue.close();
    expect(reported.sort()).toEqual(ids);
  });
});
