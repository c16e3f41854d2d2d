import { mkdtemp, readFile, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createFileDestination } from '../../src/destinations/file/file-destination.ts';
import { createWebhookDestination } from '../../src/destinations/webhook/webhook-destination.ts';
import type { ContentKind, DeliveryContent, DeliveryHandle } from '../../src/domain/delivery.ts';
import {
  ALERT_AT,
  firstLookContent,
  reportContent,
  resolvedContent,
  stormSummary,
  updateContent,
} from '../support/delivery-content.ts';
import { context, destinationCases, type DestinationCase } from '../support/destination-cases.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

describe.each(destinationCases)('D4: destination %s', (_title, name, open) => {
  let it: DestinationCase;
  beforeEach(async () => {
    it = await open();
  });
  afterEach(() => it.close());
  const report = () => reportContent({}, it.incident);
  const deliver = (content: DeliveryContent, overrides = {}) => it.destination.deliver(content, context(overrides));

  test('has its name', () => {
    expect(it.destination.name).toBe(name);
  });

  test('delivers a report', async () => {
    expect(await deliver(report())).toMatchObject({ outcome: 'ok' });
    expect(await it.visibleReports()).toBe(1);
  });

  test('a handle is plain text, so that it can be stored', async () => {
    const result = await deliver(report());
    const handle = result.outcome === 'ok' ? (result.handle ?? {}) : {};
    expect(Object.values(handle).every((value) => typeof value === 'string')).toBe(true);
  });

  test('after an attempt of unknown outcome the report is visible once', async () => {
    if (!it.findsItsPosts) return;
    it.answer?.('lost');
    const first = await deliver(report());
    if (it.answer) expect(first).toMatchObject({ outcome: 'retry' });
    if (it.answer) expect(first).not.toHaveProperty('posted');
    expect(await deliver(report(), { mayHavePosted: true })).toMatchObject({ outcome: 'ok' });
    expect(await deliver(report(), { mayHavePosted: true })).toMatchObject({ outcome: 'ok' });
    expect(await it.visibleReports()).toBe(1);
  });

  test('what was not posted after all is posted by the attempt that looked for it', async () => {
    expect(await deliver(report(), { mayHavePosted: true })).toMatchObject({ outcome: 'ok' });
    expect(await it.visibleReports()).toBe(1);
  });

  test('D7: retries what passes by itself, gives up what does not, throws for no answer', async () => {
    if (!it.answer) return;
    it.answer(500, 503, 429, 403, 302);
    const outcomes: string[] = [];
    for (let attempt = 0; attempt < 5; attempt++) outcomes.push((await deliver(report())).outcome);
    expect(outcomes).toEqual(['retry', 'retry', 'retry', 'give-up', 'give-up']);
  });

  test('a final answer costs one request, and its reason holds no secret', async () => {
    if (!it.answer) return;
    for (const status of [400, 401, 403, 404, 410]) {
      const before = it.requests();
      it.answer(status);
      const result = await deliver(report());
      expect(result).toMatchObject({ outcome: 'give-up', reason: expect.stringContaining(`HTTP ${status}`) });
      expect(it.requests() - before).toBe(1);
      for (const secret of it.secrets) expect(JSON.stringify(result)).not.toContain(secret);
    }
  });

  test('passes on how long the other side wants to be left alone', async () => {
    if (!it.askToWait) return;
    it.askToWait();
    expect(await deliver(report())).toMatchObject({ outcome: 'retry', afterMs: 7000, posted: 'no' });
  });

  test('D7: a dead other side is a retry that posted nothing', async () => {
    if (!it.answer) return;
    await it.close();
    const result = await deliver(report());
    expect(result).toMatchObject({ outcome: 'retry', posted: 'no' });
    for (const secret of it.secrets) expect(JSON.stringify(result)).not.toContain(secret);
  });

  test('honours the signal', async () => {
    if (!it.answer) return;
    expect(await deliver(report(), { signal: AbortSignal.abort() })).toMatchObject({ outcome: 'retry' });
    expect(await it.visibleReports()).toBe(0);
  });

  test('what follows a report is told, once, and makes no second report', async () => {
    const first = await deliver(report());
    let handle: DeliveryHandle | undefined = first.outcome === 'ok' ? first.handle : undefined;
    const follows: Partial<Record<ContentKind, DeliveryContent>> = {
      update: updateContent({ root_cause_service: 'payments' }, it.incident),
      resolved: resolvedContent({}, it.incident),
    };
    for (const kind of ['update', 'resolved'] as const) {
      const content = follows[kind];
      if (content === undefined || !it.destination.tells.includes(kind)) continue;
      if (it.findsItsPosts) it.answer?.('lost');
      const lost = await deliver(content, { marker: `rn-${kind}`, handle });
      const result =
        lost.outcome === 'ok' ? lost : await deliver(content, { marker: `rn-${kind}`, handle, mayHavePosted: true });
      expect(result).toMatchObject({ outcome: 'ok' });
      if (result.outcome === 'ok') handle = result.handle;
    }
  });

  test('check posts nothing, shows what was seen, and no secret', async () => {
    const result = await it.destination.check(new AbortController().signal);
    expect(result).toMatchObject({ name });
    expect(result.value.length).toBeGreaterThan(5);
    if (result.status !== 'ok') expect(result.remedy).toBeTruthy();
    for (const secret of it.secrets) expect(JSON.stringify(result)).not.toContain(secret);
    if (it.answer) expect(await it.visibleReports()).toBe(0);
  });
});

test('a destination whose other side is silent holds up no other', async () => {
  const cases = await Promise.all(destinationCases.map(([, , open]) => open()));
  const [silent, ...others] = cases.filter(({ answer }) => answer !== undefined);
  await silent?.close();
  const results = await Promise.all(
    [...others, ...(silent ? [silent] : [])].map((it) =>
      it.destination.deliver(reportContent({}, it.incident), context()),
    ),
  );
  expect(results.map(({ outcome }) => outcome)).toEqual([...others.map(() => 'ok'), 'retry']);
  await Promise.all(cases.map((it) => it.close().catch(() => undefined)));
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

  test('a first look gives way to the report; updates keep their history; a storm is one file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rn-reports-'));
    const destination = createFileDestination(folder);
    await destination.deliver(firstLookContent(), context());
    expect(await readdir(folder)).toEqual(['inc_7f3a9c.first-look.json']);
    await destination.deliver(reportContent(), context());
    expect(await readdir(folder)).toEqual(['rep_7f3a9c.json']);
    await destination.deliver(updateContent({ confidence: 0.5 }), context({ marker: 'rn-u1' }));
    await destination.deliver(updateContent({ confidence: 0.9 }), context({ marker: 'rn-u2' }));
    await destination.deliverStorm?.(stormSummary(), context({ marker: 'rn-s1' }));
    await destination.deliverStorm?.(
      stormSummary({ isOver: true, overAtMs: ALERT_AT + 390_000 }),
      context({ marker: 'rn-s2' }),
    );
    const read = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8')) as object;
    expect(await readdir(folder)).toEqual([
      'rep_7f3a9c.json',
      'rep_7f3a9c.rn-u1.update.json',
      'rep_7f3a9c.rn-u2.update.json',
      'storm_1.json',
    ]);
    expect(await read('rep_7f3a9c.json')).toMatchObject({ confidence: 0.9 });
    expect(await read('rep_7f3a9c.rn-u1.update.json')).toMatchObject({ report: { confidence: 0.5 } });
    expect(await read('storm_1.json')).toMatchObject({
      isOver: true,
      startedAt: '2026-11-29T10:00:00.000Z',
      overAt: '2026-11-29T10:06:30.000Z',
      incidents: 40,
      firing: 38,
    });
    await rm(folder, { recursive: true });
  });

  test('what it wrote long ago is removed, and nothing that others keep there', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rn-reports-'));
    const [dayMs, startMs] = [86_400_000, Date.now()];
    let nowMs = startMs;
    const destination = createFileDestination(folder, 90, () => nowMs);
    const old = ['rep_1.json', 'rep_1.rn-u1.update.json', 'inc_1.first-look.json', 'storm_1.json', '.rep_1.rn-1.tmp'];
    const others = ['check_disk.json', 'notes.json', 'rep_1.txt', 'report.json'];
    for (const name of [...old, ...others, 'rep_2.json']) await writeFile(join(folder, name), '{}');
    const age = (name: string, days: number) =>
      utimes(join(folder, name), (startMs - days * dayMs) / 1000, (startMs - days * dayMs) / 1000);
    for (const name of [...old, ...others]) await age(name, 91);
    await age('rep_2.json', 89.5);
    await symlink('notes.json', join(folder, 'rep_link.json'));
    await createFileDestination(folder).deliver(reportContent(), context());
    expect(await readdir(folder)).toEqual(expect.arrayContaining(old));
    await destination.deliver(reportContent(), context());
    expect((await readdir(folder)).toSorted()).toEqual(
      [...others, 'rep_2.json', 'rep_7f3a9c.json', 'rep_link.json'].toSorted(),
    );
    nowMs += dayMs;
    await destination.deliver(reportContent(), context());
    expect(await readdir(folder)).not.toContain('rep_2.json');
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

  test('every content has a type of its own in version 1', async () => {
    const receiver = await startWebhookReceiver();
    const destination = createWebhookDestination({ url: receiver.url, secret: receiver.secret, allowPrivate: true });
    const contents = [firstLookContent(), reportContent(), updateContent(), resolvedContent()];
    for (const [index, content] of contents.entries()) {
      await destination.deliver(content, context({ marker: `rn-${index}` }));
    }
    await destination.deliverStorm?.(stormSummary(), context({ marker: 'rn-storm' }));
    const bodies = receiver.requests.map(({ body }) => body as { schemaVersion: number; type: string; data: object });
    expect(bodies.map(({ schemaVersion, type }) => `${schemaVersion} ${type}`)).toEqual([
      '1 incident.first_look',
      '1 report.created',
      '1 incident.updated',
      '1 incident.resolved',
      '1 storm.updated',
    ]);
    expect(bodies[2]?.data).toMatchObject({ news: 'the leading suspect changed', report: { id: 'rep_7f3a9c' } });
    expect(bodies[4]?.data).toMatchObject({ storm: { id: 'storm_1', incidents: 40, overAt: null } });
    await receiver.close();
  });

  test('while a receiver changes its secret, the old one and the new one verify', async () => {
    const receiver = await startWebhookReceiver();
    const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    for (const secret of [[other, receiver.secret], [receiver.secret, other], [other]]) {
      await createWebhookDestination({ url: receiver.url, secret, allowPrivate: true }).deliver(
        reportContent(),
        context(),
      );
    }
    expect(receiver.requests.map(({ isSigned }) => isSigned)).toEqual([true, true, false]);
    await receiver.close();
  });

  test('410 means that the receiver is gone for good', async () => {
    const receiver = await startWebhookReceiver();
    const destination = createWebhookDestination({ url: receiver.url, secret: receiver.secret, allowPrivate: true });
    receiver.answerWith(410);
    expect(await destination.deliver(reportContent(), context())).toMatchObject({
      outcome: 'give-up',
      reason: expect.stringContaining('REPORT_WEBHOOK_URL'),
    });
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
