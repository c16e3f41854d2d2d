import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Turns } from '../../src/domain/delivery.ts';
import { createSlackDestination } from '../../src/destinations/slack/slack-destination.ts';
import { takeTurn } from '../../src/destinations/slack/take-turn.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { createDeliveries, type Deliveries } from '../../src/queue/deliveries/deliveries.ts';
import { createTurns } from '../../src/queue/deliveries/turns.ts';
import { reportContent, stormSummary } from '../support/delivery-content.ts';
import { eventually } from '../support/eventually.ts';
import { firingIncident } from '../support/incidents.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { startSlackApi, type SlackApiServer } from '../support/slack-api.ts';

/** Less than a tenth of Slack's second, so that the test takes little time; Retry-After knows whole seconds only. */
const EVERY_MS = 60;
/** So much later than it has to be that a busy machine may hold a message up. Four workers that shared nothing would post every 50 ms. */
const POST_EVERY_MS = 200;
const RETRY_AFTER_S = 1;
const REPORTS = 30;

let redis: TestRedis;
let api: SlackApiServer;
let workers: readonly Deliveries[] = [];
let clients: readonly Redis[] = [];

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  api = await startSlackApi();
  api.pageSize = 200;
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.close(2000)));
  for (const client of clients) client.disconnect();
  clients = [];
  await api.close();
});

function openTurns(): Turns {
  const client = openWorkerRedis(redis.target, silentLogger());
  clients = [...clients, client];
  return createTurns(client, 'pace');
}

/** A worker as a process of its own has it: nothing is shared but Redis. */
function openWorker(prefix = 'pace', concurrency?: number): Promise<Deliveries> {
  const options = { apiUrl: api.apiUrl, botToken: api.token, channel: api.channel, postEveryMs: POST_EVERY_MS };
  return createDeliveries({
    redisTarget: redis.target,
    prefix,
    destinations: [createSlackDestination({ ...options, timeline: () => Promise.resolve(undefined) })],
    loadContent: (id) => Promise.resolve(reportContent({ id: `rep_${id}` }, { id })),
    loadStorm: () => Promise.resolve(stormSummary()),
    redact: (text) => text,
    log: silentLogger(),
    retry: { firstMs: 50, maxMs: 200, forMs: 120_000 },
    ...(concurrency === undefined ? {} : { concurrency }),
  });
}

describe('D4: a channel that takes one message at a time', () => {
  test('case 20: 30 reports at once from four workers, which share the pace: all are there, none twice, each with its thread, and Slack hardly ever refuses one', async () => {
    api.limitRate(EVERY_MS, RETRY_AFTER_S);
    const [one, ...others] = await Promise.all([openWorker(), openWorker(), openWorker(), openWorker()]);
    workers = [one, ...others];
    const ids = Array.from({ length: REPORTS }, (_, index) => `inc_${index}`);
    await Promise.all(ids.map((id) => one.schedule(firingIncident({ id, startsAtMs: 0 }), 'report')));
    for (const worker of workers) worker.startWorker();
    await eventually(
      'every report has its details',
      () => api.messages.filter(({ thread_ts: threadTs }) => threadTs !== undefined).length,
      (count) => count >= REPORTS,
      100_000,
    );
    const posts = api.calls.filter(({ method }) => method === 'chat.postMessage');
    const told = api.roots().map(({ blocks }) => /rep_inc_\d+/.exec(JSON.stringify(blocks))?.[0]);
    expect(told).toHaveLength(REPORTS);
    expect(new Set(told)).toEqual(new Set(ids.map((id) => `rep_${id}`)));
    expect(api.roots().every(({ ts }) => api.repliesOf(ts).length === 1)).toBe(true);
    // Two messages a report. A busy machine may bring one closer to the one before than it left.
    expect(posts.length).toBeLessThanOrEqual(2 * REPORTS + 4);
  });

  test('a pause that one worker is asked for holds for the others', async () => {
    const [one, other] = [openTurns(), openTurns()];
    await one.pause('slack:C1', 60_000);
    expect(await other.take('slack:C1', 10)).toBeGreaterThan(50_000);
    expect(await other.take('slack:C2', 60_000)).toBe(0);
    expect(await one.take('slack:C2', 10)).toBeGreaterThan(50_000);
  });

  test('whose thread is begun goes before one who has just come', async () => {
    const turns = openTurns();
    const { signal } = new AbortController();
    await turns.take('slack:C4', 3000);
    const order: string[] = [];
    const wait = async (name: string, hasBegun: boolean) => {
      expect(await takeTurn(turns, 'C4', signal, { everyMs: 3000, hasBegun })).toBeUndefined();
      order.push(name);
    };
    await Promise.all([wait('first', false), wait('thread', true)]);
    expect(order).toEqual(['thread', 'first']);
  });

  test('the summary of a storm goes before all, and its job before the reports that were scheduled earlier', async () => {
    const turns = openTurns();
    const { signal } = new AbortController();
    await turns.take('slack:C6', 3000);
    const order: string[] = [];
    const wait = async (name: string, waiting: { hasBegun?: boolean; isSummary?: boolean }) => {
      expect(await takeTurn(turns, 'C6', signal, { everyMs: 3000, ...waiting })).toBeUndefined();
      order.push(name);
    };
    await Promise.all([wait('new', {}), wait('thread', { hasBegun: true }), wait('summary', { isSummary: true })]);
    expect(order).toEqual(['summary', 'thread', 'new']);

    const worker = await openWorker('storm', 1);
    workers = [worker];
    for (let n = 0; n < 3; n++) await worker.schedule(firingIncident({ id: `inc_s${n}`, startsAtMs: 0 }), 'report');
    await worker.scheduleStorm(stormSummary(), 'storm-1');
    worker.startWorker();
    const posts = () => api.calls.filter(({ method }) => method === 'chat.postMessage');
    await eventually('something is posted', () => posts().length > 0);
    expect(JSON.stringify(posts()[0]?.body)).toContain('ALERT STORM');
  });

  test('where Redis’s clock is set back an hour, a turn is as long as it was', async () => {
    const [one, other] = [openTurns(), openTurns()];
    await one.take('slack:C5', 60_000);
    // What is left of a key is what the clock says until its end.
    for (const client of clients) await client.pexpire('pace:turn:slack:C5', 3_600_000);
    expect(await other.take('slack:C5', 60_000)).toBeLessThanOrEqual(60_000);
    expect(await clients[0]?.pttl('pace:turn:slack:C5')).toBeLessThanOrEqual(60_000);
  });

  test('of two pauses the longer one holds, whichever is asked for last', async () => {
    const [one, other] = [openTurns(), openTurns()];
    await one.pause('slack:C3', 60_000);
    await other.pause('slack:C3', 1000);
    expect(await other.take('slack:C3', 10)).toBeGreaterThan(50_000);
    await one.pause('slack:C3', 600_000);
    expect(await other.take('slack:C3', 10)).toBeGreaterThan(500_000);
  });
});
