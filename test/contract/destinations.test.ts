import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createFileDestination } from '../../src/destinations/file/file-destination.ts';
import { createIncomingWebhookDestination } from '../../src/destinations/slack/incoming-webhook.ts';
import { createPacer } from '../../src/destinations/slack/pacer.ts';
import { createSlackDestination } from '../../src/destinations/slack/slack-destination.ts';
import { createWebhookDestination } from '../../src/destinations/webhook/webhook-destination.ts';
import type { DeliveryContext, Destination } from '../../src/domain/delivery.ts';
import { reportContent, resolvedContent } from '../support/delivery-content.ts';
import { startSlackApi, type SlackApiServer } from '../support/slack-api.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

/** A destination with its other side on loopback. */
interface Case {
  readonly destination: Destination;
  /** Posts of reports a reader sees, repeats dropped where the other side drops them. */
  visibleReports(): Promise<number>;
  /** The next attempts are answered so. Absent where nobody answers. */
  readonly answer?: (...statuses: (number | 'lost')[]) => void;
  /** Retry-After of 7 s on the next answer. */
  readonly askToWait?: () => void;
  /** False: a post of unknown outcome cannot be found again. */
  readonly findsItsPosts: boolean;
  close(): Promise<void>;
}

const unpaced = () => createPacer({ intervalMs: 0, maxWaitMs: 0, now: () => 0, sleep: () => Promise.resolve() });

function answerSlack(api: SlackApiServer, method: string, statuses: readonly (number | 'lost')[]): void {
  for (const status of statuses) {
    api.fail(method, status === 'lost' ? { kind: 'close-after-accepting' } : { kind: 'status', status });
  }
}

async function slackBot(): Promise<Case> {
  const api = await startSlackApi();
  const options = { apiUrl: api.apiUrl, botToken: api.token, channel: api.channel, pacer: unpaced() };
  return {
    destination: createSlackDestination(options),
    visibleReports: () => Promise.resolve(api.roots().length),
    answer: (...statuses) => answerSlack(api, 'chat.postMessage', statuses),
    askToWait: () => api.fail('chat.postMessage', { kind: 'status', status: 429, retryAfterSeconds: 7 }),
    findsItsPosts: true,
    close: () => api.close(),
  };
}

async function slackWebhook(): Promise<Case> {
  const api = await startSlackApi();
  return {
    destination: createIncomingWebhookDestination(api.webhookUrl),
    visibleReports: () => Promise.resolve(api.roots().length),
    answer: (...statuses) => answerSlack(api, 'webhook', statuses),
    askToWait: () => api.fail('webhook', { kind: 'status', status: 429, retryAfterSeconds: 7 }),
    findsItsPosts: false,
    close: () => api.close(),
  };
}

async function webhook(): Promise<Case> {
  const receiver = await startWebhookReceiver();
  return {
    destination: createWebhookDestination({ url: receiver.url, secret: receiver.secret, allowPrivate: true }),
    visibleReports: () => {
      expect(receiver.requests.every((request) => request.isSigned)).toBe(true);
      return Promise.resolve(receiver.visible().length);
    },
    answer: (...statuses) => receiver.answerWith(...statuses.map((s) => (s === 'lost' ? ('close' as const) : s))),
    askToWait: () => receiver.answerWith({ status: 429, headers: { 'retry-after': '7' } }),
    findsItsPosts: true,
    close: () => receiver.close(),
  };
}

async function file(): Promise<Case> {
  const folder = await mkdtemp(join(tmpdir(), 'rn-reports-'));
  return {
    destination: createFileDestination(join(folder, 'deep', 'reports')),
    visibleReports: async () => (await readdir(join(folder, 'deep', 'reports'))).length,
    findsItsPosts: true,
    close: () => rm(folder, { recursive: true }),
  };
}

const context = (overrides: Partial<DeliveryContext> = {}): DeliveryContext => ({
  marker: 'rn-0123456789abcdef',
  handle: undefined,
  mayHavePosted: false,
  signal: new AbortController().signal,
  ...overrides,
});

describe.each([
  ['file', file],
  ['slack', slackBot],
  ['slack-webhook', slackWebhook],
  ['webhook', webhook],
])('D4: destination %s', (name, open) => {
  let it: Case;
  beforeEach(async () => {
    it = await open();
  });
  afterEach(() => it.close());

  test('has its name', () => {
    expect(it.destination.name).toBe(name);
  });

  test('delivers a report', async () => {
    expect(await it.destination.deliver(reportContent(), context())).toMatchObject({ outcome: 'ok' });
    expect(await it.visibleReports()).toBe(1);
  });

  test('a handle is plain text, so that it can be stored', async () => {
    const result = await it.destination.deliver(reportContent(), context());
    const handle = result.outcome === 'ok' ? (result.handle ?? {}) : {};
    expect(Object.values(handle).every((value) => typeof value === 'string')).toBe(true);
  });

  test('after an attempt of unknown outcome the report is visible once', async () => {
    if (!it.findsItsPosts) return;
    it.answer?.('lost');
    const first = await it.destination.deliver(reportContent(), context());
    if (it.answer) expect(first).toMatchObject({ outcome: 'retry' });
    if (it.answer) expect(first).not.toHaveProperty('posted');
    expect(await it.destination.deliver(reportContent(), context({ mayHavePosted: true }))).toMatchObject({
      outcome: 'ok',
    });
    expect(await it.destination.deliver(reportContent(), context({ mayHavePosted: true }))).toMatchObject({
      outcome: 'ok',
    });
    expect(await it.visibleReports()).toBe(1);
  });

  test('D7: retries what passes by itself, gives up what does not, throws for no answer', async () => {
    if (!it.answer) return;
    it.answer(500, 503, 429, 403, 302);
    const outcomes: string[] = [];
    for (let attempt = 0; attempt < 5; attempt++) {
      outcomes.push((await it.destination.deliver(reportContent(), context())).outcome);
    }
    expect(outcomes).toEqual(['retry', 'retry', 'retry', 'give-up', 'give-up']);
  });

  test('passes on how long the other side wants to be left alone', async () => {
    if (!it.askToWait) return;
    it.askToWait();
    expect(await it.destination.deliver(reportContent(), context())).toMatchObject({
      outcome: 'retry',
      afterMs: 7000,
      posted: 'no',
    });
  });

  test('D7: a dead other side is a retry that posted nothing', async () => {
    if (!it.answer) return;
    await it.close();
    expect(await it.destination.deliver(reportContent(), context())).toMatchObject({ outcome: 'retry', posted: 'no' });
  });

  test('honours the signal', async () => {
    if (!it.answer) return;
    const result = await it.destination.deliver(reportContent(), context({ signal: AbortSignal.abort() }));
    expect(result).toMatchObject({ outcome: 'retry' });
    expect(await it.visibleReports()).toBe(0);
  });

  test('tells that an incident is resolved', async () => {
    const report = await it.destination.deliver(reportContent(), context());
    const handle = report.outcome === 'ok' ? report.handle : undefined;
    const result = await it.destination.deliver(resolvedContent(), context({ marker: 'rn-resolved', handle }));
    expect(result).toMatchObject({ outcome: 'ok' });
  });

  test('check posts nothing and shows what was seen', async () => {
    const result = await it.destination.check(new AbortController().signal);
    expect(result).toMatchObject({ name });
    expect(result.value.length).toBeGreaterThan(5);
    if (it.answer) expect(await it.visibleReports()).toBe(0);
  });
});

describe('file', () => {
  test('a report is whole, private and named by its id', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rn-reports-'));
    const destination = createFileDestination(folder);
    await destination.deliver(reportContent(), context());
    await destination.deliver(resolvedContent(), context());
    expect(await readdir(folder)).toEqual(['rep_7f3a9c.json', 'rep_7f3a9c.resolved.json']);
    const path = join(folder, 'rep_7f3a9c.json');
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(reportContent().report);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await rm(folder, { recursive: true });
  });

  test('an id that is no file name is refused; a folder that cannot be is a failing check', async () => {
    const destination = createFileDestination('/dev/null/reports');
    const content = reportContent({ id: '../../etc/passwd' });
    expect(await destination.deliver(content, context())).toMatchObject({ outcome: 'give-up' });
    expect(await destination.deliver(reportContent(), context())).toMatchObject({ outcome: 'retry', posted: 'no' });
    expect(await destination.check(new AbortController().signal)).toMatchObject({ status: 'fail' });
  });
});

describe('webhook', () => {
  test('body and id are the same over all retries', async () => {
    const receiver = await startWebhookReceiver();
    const destination = createWebhookDestination({ url: receiver.url, secret: receiver.secret, allowPrivate: true });
    receiver.answerWith(500);
    await destination.deliver(reportContent(), context());
    await destination.deliver(reportContent(), context({ mayHavePosted: true }));
    await destination.deliver(resolvedContent(), context({ marker: 'rn-2' }));
    const [first, second, resolved] = receiver.requests;
    expect(first).toEqual(second);
    expect(first?.body).toMatchObject({
      schemaVersion: 1,
      type: 'report.created',
      data: { report: { id: 'rep_7f3a9c' } },
    });
    expect(resolved?.body).toMatchObject({ type: 'incident.resolved', data: { reportId: 'rep_7f3a9c' } });
    await receiver.close();
  });

  test('410 means that the receiver is gone for good', async () => {
    const receiver = await startWebhookReceiver();
    const destination = createWebhookDestination({ url: receiver.url, secret: receiver.secret, allowPrivate: true });
    receiver.answerWith(410);
    expect(await destination.deliver(reportContent(), context())).toMatchObject({ outcome: 'give-up' });
    await receiver.close();
  });

  test.each(['127.0.0.1', 'localhost', '[::1]'])('a private address (%s) is never connected to', async (host) => {
    const receiver = await startWebhookReceiver();
    const url = receiver.url.replace('127.0.0.1', host);
    const destination = createWebhookDestination({ url, secret: receiver.secret, allowPrivate: false });
    expect(await destination.deliver(reportContent(), context())).toMatchObject({ outcome: 'give-up' });
    expect(receiver.requests).toEqual([]);
    expect(await destination.check(new AbortController().signal)).toMatchObject({
      status: 'fail',
      remedy: expect.stringContaining('REPORT_WEBHOOK_ALLOW_PRIVATE'),
    });
    await receiver.close();
  });
});
