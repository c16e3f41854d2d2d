import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createSlackDestination } from '../../src/destinations/slack/slack-destination.ts';
import { createWebhookDestination } from '../../src/destinations/webhook/webhook-destination.ts';
import type { DeliveryContent, DeliveryContext, DeliveryResult, Destination } from '../../src/domain/delivery.ts';
import { createRedactor } from '../../src/policy/redact.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import {
  createDeliveries,
  type Deliveries,
  type DeliveriesDeps,
  type DeliveryOutcome,
} from '../../src/queue/deliveries/deliveries.ts';
import { startChild } from '../support/child.ts';
import { reportContent, resolvedContent } from '../support/delivery-content.ts';
import { firingIncident } from '../support/incidents.ts';
import { prefixOf, startTestRedis, type TestRedis } from '../support/redis.ts';
import { startSlackApi, type SlackApiServer } from '../support/slack-api.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

let redis: TestRedis;
let slackApi: SlackApiServer;
let receiver: WebhookReceiver;
let open: Deliveries[] = [];
let prefix = '';
let count = 0;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  prefix = prefixOf(`deliveries-${++count}`);
  slackApi = await startSlackApi();
  receiver = await startWebhookReceiver();
});
afterEach(async () => {
  await Promise.all(open.map((deliveries) => deliveries.close(2000)));
  open = [];
  await slackApi.close();
  await receiver.close();
});

const incident = (id: string) => firingIncident({ id, startsAtMs: 0 });
const quickRetry = { firstMs: 50, maxMs: 100, forMs: 60_000 };

async function openDeliveries(overrides: Partial<DeliveriesDeps> = {}): Promise<Deliveries> {
  const deliveries = await createDeliveries({
    redisTarget: redis.target,
    prefix,
    destinations: [slack(), webhook()],
    loadContent: (id, name) => Promise.resolve(contentOf(id, name === 'resolved' ? 'resolved' : 'report')),
    redact: (text) => text,
    log: silentLogger(),
    retry: quickRetry,
    ...overrides,
  });
  open.push(deliveries);
  return deliveries;
}

const contentOf = (id: string, kind: DeliveryContent['kind']): DeliveryContent =>
  kind === 'report' ? reportContent({ id: `rep_${id}` }, { id }) : resolvedContent({ id: `rep_${id}` }, { id });

function slack(postEveryMs = 0): Destination {
  return createSlackDestination({
    apiUrl: slackApi.apiUrl,
    botToken: slackApi.token,
    channel: slackApi.channel,
    postEveryMs,
  });
}

function webhook(): Destination {
  return createWebhookDestination({ url: receiver.url, secret: receiver.secret, allowPrivate: true });
}

/** A destination that answers as told and remembers what it was asked. */
function scripted(
  name: string,
  answer: (context: DeliveryContext, attempt: number) => DeliveryResult | Promise<DeliveryResult>,
) {
  const attempts: { kind: string; mayHavePosted: boolean; marker: string; handle: unknown }[] = [];
  const destination: Destination = {
    name,
    tells: ['report', 'resolved'],
    deliver: async ({ kind }, context) => {
      const { mayHavePosted, marker, handle } = context;
      attempts.push({ kind, mayHavePosted, marker, handle });
      return answer(context, attempts.length);
    },
    check: () => Promise.resolve({ name, status: 'ok', value: 'scripted' }),
  };
  return { destination, attempts };
}

async function until(condition: () => Promise<boolean> | boolean, within = 50_000): Promise<void> {
  const deadline = Date.now() + within;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('did not come true in time');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

const isSettled = async (deliveries: Deliveries, id: string, content: string, among: number): Promise<boolean> => {
  const records = (await deliveries.records(id)).filter((record) => record.content === content);
  return records.length === among && records.every(({ state }) => state === 'delivered' || state === 'gave-up');
};

describe('D4: every destination is told once', () => {
  test('a report reaches each, and the records say so', async () => {
    const outcomes: DeliveryOutcome[] = [];
    const deliveries = await openDeliveries({ onOutcome: (outcome) => outcomes.push(outcome) });
    deliveries.startWorker();
    await deliveries.schedule(incident('inc_1'), 'report');
    await until(() => isSettled(deliveries, 'inc_1', 'report', 2));
    expect(await deliveries.records('inc_1')).toMatchObject([
      { destination: 'slack', state: 'delivered', attempts: 1, handle: { channel: slackApi.channel } },
      { destination: 'webhook', state: 'delivered', attempts: 1 },
    ]);
    expect(slackApi.roots()).toHaveLength(1);
    expect(receiver.requests).toMatchObject([{ isSigned: true }]);
    // The record comes first, what is made of it afterwards.
    await until(() => outcomes.length === 2);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['delivered', 'delivered']);
  });

  test('scheduling again, also after it was delivered, posts nothing more', async () => {
    const deliveries = await openDeliveries();
    await Promise.all([1, 2, 3].map(() => deliveries.schedule(incident('inc_1'), 'report')));
    deliveries.startWorker();
    await until(() => isSettled(deliveries, 'inc_1', 'report', 2));
    await deliveries.schedule(incident('inc_1'), 'report');
    await deliveries.schedule(incident('inc_2'), 'report');
    await until(() => isSettled(deliveries, 'inc_2', 'report', 2));
    expect(slackApi.roots()).toHaveLength(2);
    expect(receiver.requests).toHaveLength(2);
  });

  test('resolved waits for the report, whatever comes first, and updates its thread', async () => {
    const deliveries = await openDeliveries();
    slackApi.fail('chat.postMessage', { kind: 'status', status: 503 });
    deliveries.startWorker();
    await deliveries.schedule(incident('inc_1'), 'resolved');
    await deliveries.schedule(incident('inc_1'), 'report');
    await until(() => isSettled(deliveries, 'inc_1', 'resolved', 2));
    const [root, ...others] = slackApi.roots();
    expect(others).toEqual([]);
    expect(root?.text).toMatch(/^🟢 RESOLVED/);
    const replies = slackApi.repliesOf(root?.ts ?? '').map(({ text }) => text);
    expect(replies.filter((text) => text.includes('RESOLVED'))).toHaveLength(1);
  });

  test('every text is redacted before a destination sees it, by what it is and by what it is called', async () => {
    const secret = ['Zk3', 'q8Lm2xW7vB9n'].join('');
    const token = ['ghp', 'a1B2c3D4e5'.repeat(4)].join('_');
    const labels = { db_password: secret };
    const { redact } = createRedactor({ secrets: [], key: 'k' });
    const report = {
      summary: `login with password=${secret} fails, token ${token.slice(0, 9)}\u200b${token.slice(9)}`,
      incident: { ...reportContent().report.incident, labels },
    };
    const deliveries = await openDeliveries({ redact, loadContent: () => Promise.resolve(reportContent(report)) });
    deliveries.startWorker();
    await deliveries.schedule(incident('inc_1'), 'report');
    await until(() => isSettled(deliveries, 'inc_1', 'report', 2));
    const sent = JSON.stringify([slackApi.calls, receiver.requests]);
    expect(sent).toContain('[REDACTED:password:');
    expect(sent).not.toContain(secret);
    expect(sent).not.toContain(token);
    expect(receiver.requests).toMatchObject([
      { body: { data: { report: { session: 'ses_7f3a9c', id: 'rep_7f3a9c' } } } },
    ]);
  });
});

describe('D7: a dead destination', () => {
  test('holds up no other, is given up loudly, and stays given up', async () => {
    const dead = scripted('dead', () => ({ outcome: 'retry', reason: 'nobody there', posted: 'no' }));
    const outcomes: DeliveryOutcome[] = [];
    const deliveries = await openDeliveries({
      destinations: [dead.destination, slack()],
      retry: { firstMs: 40, maxMs: 40, forMs: 300 },
      onOutcome: (outcome) => outcomes.push(outcome),
    });
    deliveries.startWorker();
    await deliveries.schedule(incident('inc_1'), 'report');
    await until(() => isSettled(deliveries, 'inc_1', 'report', 2));
    const [deadRecord, slackRecord] = await deliveries.records('inc_1');
    expect(slackRecord).toMatchObject({ state: 'delivered' });
    expect(deadRecord).toMatchObject({ state: 'gave-up', reason: expect.stringContaining('nobody there') });
    expect(dead.attempts.length).toBeGreaterThan(1);
    await until(() => outcomes.some(({ outcome }) => outcome === 'gave-up'));
    expect(outcomes.filter(({ outcome }) => outcome === 'gave-up')).toMatchObject([
      { destination: 'dead', content: 'report' },
    ]);
    const attempts = dead.attempts.length;
    await deliveries.schedule(incident('inc_1'), 'report');
    await deliveries.schedule(incident('inc_2'), 'report');
    await until(() => isSettled(deliveries, 'inc_2', 'report', 2));
    expect(dead.attempts.filter(({ marker }) => marker === dead.attempts[0]?.marker)).toHaveLength(attempts);
  });

  test('one that hangs is cut off by nobody else and blocks nobody else', async () => {
    const hanging = scripted(
      'hanging',
      ({ signal }) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => resolve({ outcome: 'retry', reason: 'stopped' })),
        ),
    );
    const deliveries = await openDeliveries({ destinations: [hanging.destination, webhook()], concurrency: 1 });
    deliveries.startWorker();
    for (const id of ['inc_1', 'inc_2', 'inc_3']) await deliveries.schedule(incident(id), 'report');
    await until(() => receiver.requests.length === 3 && hanging.attempts.length > 0);
    expect(hanging.attempts).toHaveLength(1);
  });

  test('a thrown error counts as a retry', async () => {
    const shaky = scripted('shaky', (_context, attempt) => {
      if (attempt === 1) throw new Error('bug');
      return { outcome: 'ok' };
    });
    const deliveries = await openDeliveries({ destinations: [shaky.destination] });
    deliveries.startWorker();
    await deliveries.schedule(incident('inc_1'), 'report');
    await until(() => isSettled(deliveries, 'inc_1', 'report', 1));
    expect(await deliveries.records('inc_1')).toMatchObject([{ state: 'delivered', attempts: 2 }]);
  });

  test('a permanent answer is final at once', async () => {
    const gone = scripted('gone', () => ({ outcome: 'give-up', reason: 'HTTP 410' }));
    const deliveries = await openDeliveries({ destinations: [gone.destination] });
    deliveries.startWorker();
    await deliveries.schedule(incident('inc_1'), 'report');
    await until(() => isSettled(deliveries, 'inc_1', 'report', 1));
    expect(await deliveries.records('inc_1')).toMatchObject([{ state: 'gave-up', attempts: 1, reason: 'HTTP 410' }]);
  });

  test('what is not stored any more is given up instead of tried for ever', async () => {
    const deliveries = await openDeliveries({ loadContent: () => Promise.resolve(undefined) });
    deliveries.startWorker();
    await deliveries.schedule(incident('inc_1'), 'report');
    await until(() => isSettled(deliveries, 'inc_1', 'report', 2));
    const records = await deliveries.records('inc_1');
    expect(records.filter(({ content }) => content === 'report')).toMatchObject([
      { state: 'gave-up' },
      { state: 'gave-up' },
    ]);
  });
});

describe('what an earlier attempt left', () => {
  test('the next one looks first, unless the attempt surely posted nothing', async () => {
    const results: readonly DeliveryResult[] = [
      { outcome: 'retry', reason: '429', posted: 'no' },
      { outcome: 'retry', reason: 'timeout' },
      { outcome: 'retry', reason: '429', posted: 'no' },
      { outcome: 'ok', handle: { ts: '1' } },
    ];
    const { destination, attempts } = scripted('s', (_context, attempt) => results[attempt - 1] ?? { outcome: 'ok' });
    const deliveries = await openDeliveries({ destinations: [destination] });
    deliveries.startWorker();
    await deliveries.schedule(incident('inc_1'), 'report');
    await until(() => isSettled(deliveries, 'inc_1', 'report', 1));
    expect(attempts.map(({ mayHavePosted }) => mayHavePosted)).toEqual([false, false, true, true]);
    expect(new Set(attempts.map(({ marker }) => marker)).size).toBe(1);
  });

  test('R2: workers killed before the post, after it and before the acknowledgement: one visible report each', async () => {
    slackApi.pageSize = 200;
    const ids = ['claimed', 'posted', 'confirmed'].flatMap((step) =>
      Array.from({ length: 50 }, (_, n) => `inc_${n}_${step}`),
    );
    const deliveries = await openDeliveries({ destinations: [slack()], concurrency: 50 });
    for (const id of ids) await deliveries.schedule(incident(id), 'report');

    const { apiUrl, token: botToken, channel } = slackApi;
    const args = JSON.stringify({ ...redis.target, prefix, apiUrl, botToken, channel });
    const loader = fileURLToPath(new URL('../support/typescript-loader.mjs', import.meta.url));
    const worker = fileURLToPath(new URL('../support/doomed-delivery-worker.ts', import.meta.url));
    const doomed = await startChild(process.execPath, ['--import', loader, worker, args]);
    await until(() => (doomed.output().match(/stopped/g) ?? []).length === ids.length || doomed.exited());
    expect(doomed.exited()).toBe(false);
    expect(slackApi.roots()).toHaveLength(100);
    await doomed.kill();

    deliveries.startWorker();
    for (const id of ids) await until(() => isSettled(deliveries, id, 'report', 1), 100_000);
    const seen = slackApi.roots().map((root) => JSON.stringify(root.blocks).match(/rep_inc_\d+_\w+/)?.[0]);
    expect(new Set(seen)).toEqual(new Set(ids.map((id) => `rep_${id}`)));
    expect(seen).toHaveLength(150);
  }, 180_000);
});

test('30 reports for a channel that takes one at a time: nothing lost, nothing twice, nobody else held up', async () => {
  slackApi.limitRate(40, 1);
  slackApi.fail('chat.postMessage', { kind: 'status', status: 429, retryAfterSeconds: 1 });
  slackApi.pageSize = 200;
  const deliveries = await openDeliveries({ destinations: [slack(50), webhook()] });
  deliveries.startWorker();
  const ids = Array.from({ length: 30 }, (_, n) => `inc_${n}`);
  await Promise.all(ids.map((id) => deliveries.schedule(incident(id), 'report')));
  for (const id of ids) await until(() => isSettled(deliveries, id, 'report', 2));
  expect(slackApi.roots()).toHaveLength(30);
  expect(receiver.requests).toHaveLength(30);
  expect(slackApi.calls.filter(({ method }) => method === 'chat.postMessage').length).toBeLessThanOrEqual(90);
});

describe('shutdown', () => {
  test('a running delivery is handed back and finished by the next worker', async () => {
    const { destination, attempts } = scripted('slow', ({ signal }, attempt) =>
      attempt > 1
        ? { outcome: 'ok' }
        : new Promise((resolve) =>
            signal.addEventListener('abort', () => resolve({ outcome: 'retry', reason: 'stopped' })),
          ),
    );
    const first = await openDeliveries({ destinations: [destination] });
    first.startWorker();
    await first.schedule(incident('inc_1'), 'report');
    await until(() => attempts.length === 1);
    await first.close(500);
    const second = await openDeliveries({ destinations: [destination] });
    second.startWorker();
    await until(() => isSettled(second, 'inc_1', 'report', 1));
    expect(attempts).toMatchObject([{ mayHavePosted: false }, { mayHavePosted: true }]);
  });

  test('close settles when Redis was never there', async () => {
    const deliveries = await openDeliveries({ redisTarget: { socketPath: '/nonexistent/redis.sock' } });
    deliveries.startWorker();
    await deliveries.close(300);
    await deliveries.close(300);
  });
});

test('an attempt is a span that links back to the work that scheduled it', async () => {
  const spans: object[] = [];
  const { destination } = scripted('flaky', (_context, attempt) =>
    attempt === 1 ? { outcome: 'retry', reason: 'HTTP 503' } : { outcome: 'ok' },
  );
  const deliveries = await openDeliveries({
    destinations: [destination],
    currentTraceparent: () => '00-of-the-investigation',
    trace: (kind, facts, work, origin) => work((ended) => spans.push({ kind, ...facts, ...ended, ...origin })),
  });
  await deliveries.schedule(incident('inc_traced'), 'report');
  deliveries.startWorker();
  await until(() => isSettled(deliveries, 'inc_traced', 'report', 1));
  const span = { kind: 'delivery', destination: 'flaky', content: 'report', incident: 'inc_traced' };
  const origin = { traceparent: '00-of-the-investigation', as: 'link' };
  await until(() => spans.length === 2);
  expect(spans).toEqual([
    { ...span, ...origin, outcome: 'later', attempts: 1 },
    { ...span, ...origin, outcome: 'delivered', attempts: 2 },
  ]);
});
