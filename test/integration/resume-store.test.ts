import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { silentLogger, type Logger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { packTexts } from '../../src/agent/pack-texts.ts';
import { lost } from '../../src/agent/sub-agents/lost.ts';
import { NO_USAGE } from '../../src/domain/session.ts';
import { createAllowance } from '../../src/sessions/day-spend.ts';
import { createResumeStore, type ResumeStore } from '../../src/sessions/resume-store.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { REDIS } from '../support/programs.ts';
import { prefixOf, startTestRedis, type TestRedis } from '../support/redis.ts';
import { foundBy, orderOf, stateOf } from '../support/sub-agent-orders.ts';

const describeRedis = await describeIf(REDIS);
const CHECKPOINT = { version: 1, state: { step: 'work' } };

describeRedis('what an investigation needs to go on', () => {
  let server: TestRedis;
  let redis: Redis;
  let prefix = '';
  let store: ResumeStore;
  let warnings: string[];

  beforeAll(async () => {
    server = await startTestRedis();
    redis = openWorkerRedis(server.target, silentLogger());
  });
  beforeEach(() => {
    prefix = prefixOf(`t${randomUUID()}`);
    warnings = [];
    const log = { ...silentLogger(), warn: (_: unknown, text: string) => warnings.push(text) } as unknown as Logger;
    store = createResumeStore(redis, prefix, log);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  test('state and checkpoint are read back, live a day, and are gone with the report', async () => {
    const journal = store.journal('inc_a');
    expect(await journal.load()).toBeUndefined();
    await journal.save(stateOf());
    await journal.main.save(CHECKPOINT);
    expect(await journal.load()).toEqual(JSON.parse(JSON.stringify(stateOf())));
    expect(await journal.main.load()).toEqual(CHECKPOINT);
    const ttl = await redis.ttl(`${prefix}:resume:inc_a`);
    expect(ttl).toBeGreaterThan(86_000);
    expect(ttl).toBeLessThanOrEqual(86_400);
    await store.clear('inc_a');
    expect(await redis.keys(`${prefix}:*`)).toEqual([]);
  });

  test('nothing comes back to life after the report: late checkpoints, orders and outcomes are refused', async () => {
    const order = orderOf('inc_a');
    await store.journal('inc_a').save(stateOf());
    await store.placeOrder('inc_a', order);
    await store.clear('inc_a');
    let gone = 0;
    await store.journal('inc_a').main.save(CHECKPOINT);
    await store.checkpoints('inc_a', order.id, () => (gone += 1)).save(CHECKPOINT);
    expect(gone).toBe(1);
    expect(await store.placeOrder('inc_a', order)).toBe('gone');
    expect(await store.settle('inc_a', order.id, lost('late'))).toBe(false);
    expect(await redis.keys(`${prefix}:*`)).toEqual([]);
  });

  test('the first order and the first outcome under an id stand', async () => {
    const order = orderOf('inc_a');
    await store.journal('inc_a').save(stateOf());
    expect(await store.placeOrder('inc_a', order)).toBe('placed');
    expect(await store.placeOrder('inc_a', { ...order, known: [] })).toBe('known');
    expect(await store.placeOrder('inc_a', { ...order, task: 'another' })).toBe('taken');
    expect(await store.getOrder('inc_a', order.id)).toEqual(order);
    expect(await store.getOutcomes('inc_a', [order.id, 'ses_inc_a.1.2'])).toEqual([undefined, undefined]);
    expect(await store.settle('inc_a', order.id, foundBy(order))).toBe(true);
    expect(await store.settle('inc_a', order.id, lost('too late'))).toBe(false);
    expect(await store.getOutcomes('inc_a', [order.id])).toEqual([foundBy(order)]);
  });

  test('a slow worker whose lock was lost writes over nothing of the one that took over, nor after its report', async () => {
    const slow = store.journal('inc_a');
    await slow.load();
    await slow.save(stateOf({ nonce: 'slow' }));
    await slow.main.save({ version: 1, state: 'slow' });
    const next = store.journal('inc_a');
    expect(await next.load()).toMatchObject({ nonce: 'slow' });
    await next.main.save({ version: 1, state: 'next' });
    await slow.main.save({ version: 1, state: 'slow, and late' });
    await slow.save(stateOf({ nonce: 'late' }));
    expect(await next.main.load()).toEqual({ version: 1, state: 'next' });
    expect(await store.loadState('inc_a')).toMatchObject({ nonce: 'slow' });
    await store.clear('inc_a');
    await slow.save(stateOf());
    await next.save(stateOf());
    expect(await redis.keys(`${prefix}:*`)).toEqual([]);
  });

  test('a sub-agent that has its outcome, whoever settled it, is told that nobody waits', async () => {
    const order = orderOf('inc_a');
    await store.journal('inc_a').save(stateOf());
    await store.placeOrder('inc_a', order);
    let gone = 0;
    const slot = store.checkpoints('inc_a', order.id, () => (gone += 1));
    await slot.save(CHECKPOINT);
    expect(gone).toBe(0);
    await store.settle('inc_a', order.id, lost('late'));
    await slot.save({ version: 1, state: 'later' });
    expect(gone).toBe(1);
    expect(await slot.load()).toEqual(CHECKPOINT);
  });

  test('what was used so far: of the main agent, of sub-agents with an outcome, and of those still at work', async () => {
    const [done, working] = [orderOf('inc_a', 1), orderOf('inc_a', 2)];
    const usedUp = (turns: number) =>
      ({ version: 1, state: packTexts({ ledger: { own: { ...NO_USAGE, turns }, toolCalls: { own: 1 } } }) }) as const;
    expect(await store.used('inc_a')).toEqual({ main: NO_USAGE, subAgents: [] });
    const journal = store.journal('inc_a');
    await journal.save(stateOf());
    await journal.main.save(usedUp(3));
    await store.placeOrder('inc_a', done);
    await store.placeOrder('inc_a', working);
    await store.checkpoints('inc_a', working.id, () => undefined).save(usedUp(5));
    await store.settle('inc_a', done.id, foundBy(done));
    const { main, subAgents } = await store.used('inc_a');
    expect(main.turns).toBe(3);
    expect(new Set(subAgents.map(({ turns }) => turns))).toEqual(new Set([2, 5]));
  });

  test('with Redis away a save does not hold the run up, warns once, and the latest is kept when it is back', async () => {
    const journal = store.journal('inc_a');
    await journal.save(stateOf());
    server.pause();
    await journal.main.save({ version: 1, state: 'first' });
    await journal.main.save({ version: 1, state: 'skipped' });
    await journal.main.save({ version: 1, state: 'latest' });
    await journal.save(stateOf());
    expect(warnings).toEqual([expect.stringContaining('cannot be checkpointed')]);
    server.resume();
    await eventually('the latest checkpoint is kept', async () => {
      const kept = await journal.main.load();
      return kept?.state === 'latest';
    });
  });
});

describeRedis('the spend of a day', () => {
  let server: TestRedis;
  let redis: Redis;
  let prefix = '';
  let nowMs: number;

  beforeAll(async () => {
    server = await startTestRedis();
    redis = openWorkerRedis(server.target, silentLogger());
  });
  beforeEach(() => {
    prefix = prefixOf(`t${randomUUID()}`);
    nowMs = Date.parse('2026-11-30T23:30:00Z');
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });
  const open = (capUsd: number) => createAllowance(redis, prefix, { name: 'spend', cap: capUsd }, () => nowMs);

  test('reservations count against the cap until they are settled; then what was really spent does', async () => {
    const spend = open(2);
    expect(await spend.reserve('inc_a', 1)).toBe('made');
    expect(await spend.reserve('inc_b', 1)).toBe('made');
    expect(await spend.reserve('inc_c', 0.01)).toBe('refused');
    await spend.settle('inc_a', 0.2);
    expect(await spend.reserve('inc_c', 0.8)).toBe('made');
    expect(await spend.reserve('inc_d', 0.1)).toBe('refused');
  });

  test('a resumed run finds its own reservation, also after midnight, and is booked once', async () => {
    const spend = open(1);
    expect(await spend.reserve('inc_a', 1)).toBe('made');
    expect(await spend.reserve('inc_a', 1)).toBe('held');
    nowMs += 3_600_000;
    expect(await spend.reserve('inc_a', 1)).toBe('held');
    // It counts for the day it began in: the new day is whole.
    expect(await spend.reserve('inc_b', 1)).toBe('made');
    await spend.settle('inc_a', 0.5);
    await spend.settle('inc_a', 0.5);
    expect(await redis.hgetall(`${prefix}:spend:2026-11-30`)).toEqual({ total: '500000' });
  });

  test('the day is a UTC day, and its book is forgotten after a few days', async () => {
    const spend = open(1);
    await spend.reserve('inc_a', 1);
    await spend.settle('inc_a', 1);
    expect(await spend.reserve('inc_b', 0.5)).toBe('refused');
    nowMs += 3_600_000;
    expect(await spend.reserve('inc_b', 0.5)).toBe('made');
    expect(await redis.ttl(`${prefix}:spend:2026-12-01`)).toBeGreaterThan(86_400);
  });

  test('an hour counts a run once, also when it is resumed hours later', async () => {
    const hour = createAllowance(redis, prefix, { name: 'hour-runs', cap: 1 }, () => nowMs);
    expect(await hour.reserve('inc_a', 1)).toBe('made');
    expect(await hour.reserve('inc_a', 1)).toBe('held');
    expect(await hour.reserve('inc_b', 1)).toBe('refused');
    nowMs += 5 * 3_600_000;
    expect(await hour.reserve('inc_a', 1)).toBe('held');
    expect(await hour.reserve('inc_b', 1)).toBe('made');
    expect(await hour.reserve('inc_a', 1)).toBe('held');
  });

  test('many processes at once never reserve more than the cap', async () => {
    const spends = Array.from({ length: 20 }, () => open(1));
    const granted = await Promise.all(spends.map((spend, i) => spend.reserve(`inc_${i}`, 0.3)));
    expect(granted.filter((answer) => answer === 'made')).toHaveLength(3);
  });
});
