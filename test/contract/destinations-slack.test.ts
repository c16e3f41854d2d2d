import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createPacer } from '../../src/destinations/slack/pacer.ts';
import { createSlackDestination } from '../../src/destinations/slack/slack-destination.ts';
import type { DeliveryContext, Destination } from '../../src/domain/delivery.ts';
import { reportContent, resolvedContent } from '../support/delivery-content.ts';
import { startSlackApi, type SlackApiServer } from '../support/slack-api.ts';

const unpaced = () => createPacer({ intervalMs: 0, maxWaitMs: 0, now: () => 0, sleep: () => Promise.resolve() });

const context = (overrides: Partial<DeliveryContext> = {}): DeliveryContext => ({
  marker: 'rn-0123456789abcdef',
  handle: undefined,
  mayHavePosted: false,
  signal: new AbortController().signal,
  ...overrides,
});

describe('D4: Slack with a bot token', () => {
  let api: SlackApiServer;
  let slack: Destination;
  beforeEach(async () => {
    api = await startSlackApi();
    slack = createSlackDestination({ apiUrl: api.apiUrl, botToken: api.token, channel: api.channel, pacer: unpaced() });
  });
  afterEach(() => api.close());

  const long = reportContent({ gaps: Array.from({ length: 40 }, (_, index) => `gap ${index} ${'x'.repeat(800)}`) });
  const deliver = async (overrides: Partial<DeliveryContext> = {}, content = reportContent()) => {
    const result = await slack.deliver(content, context(overrides));
    return result.outcome === 'ok' ? result.handle : undefined;
  };

  test('a resolved incident edits the header of the one root and says so in the thread', async () => {
    const handle = await deliver();
    await deliver({ handle, marker: 'rn-resolved' }, resolvedContent());
    const [root, ...others] = api.roots();
    expect(others).toEqual([]);
    expect(root).toMatchObject({
      edits: 1,
      blocks: [
        { text: { text: '🟢 RESOLVED after 12 min · CheckoutErrorsHigh · checkout' } },
        {},
        {},
        {},
        {},
        {},
        {},
        {},
        {},
      ],
    });
    expect(api.repliesOf(root?.ts ?? '').map((reply) => reply.text)).toEqual([
      '🟢 RESOLVED after 12 min · CheckoutErrorsHigh · checkout',
    ]);
  });

  test('a repeated resolve adds no second reply', async () => {
    const handle = await deliver();
    api.fail('chat.postMessage', { kind: 'close-after-accepting' });
    await deliver({ handle, marker: 'rn-resolved' }, resolvedContent());
    await deliver({ handle, marker: 'rn-resolved', mayHavePosted: true }, resolvedContent());
    expect(api.messages.filter((message) => message.thread_ts)).toHaveLength(1);
  });

  test.each(['message_not_found', 'cant_update_message', 'edit_window_closed'])(
    'a root that cannot be edited (%s) still gets its reply',
    async (error) => {
      const handle = await deliver();
      api.fail('chat.update', { kind: 'error', error });
      await deliver({ handle, marker: 'rn-resolved' }, resolvedContent());
      expect(api.messages.filter((message) => message.thread_ts)).toHaveLength(1);
    },
  );

  test('what was never posted is not resolved in a message of its own', async () => {
    expect(await slack.deliver(resolvedContent(), context())).toMatchObject({ outcome: 'give-up' });
    expect(api.messages).toEqual([]);
  });

  test('a worker that dies between root and replies leaves no gap and no double', async () => {
    api.fail('chat.postMessage', { kind: 'close-after-accepting' });
    expect(await slack.deliver(long, context())).toMatchObject({ outcome: 'retry' });
    expect(api.messages).toHaveLength(1);
    await deliver({ mayHavePosted: true }, long);
    const count = api.messages.length;
    await deliver({ mayHavePosted: true }, long);
    expect(api.roots()).toHaveLength(1);
    expect(api.messages).toHaveLength(count);
    expect(JSON.stringify(api.messages)).toContain('gap 39');
  });

  test('is found again behind many younger messages, though Slack gives two a page', async () => {
    await deliver();
    for (let index = 0; index < 40; index++) await deliver({ marker: `rn-other-${index}` });
    await deliver({ mayHavePosted: true });
    expect(api.roots()).toHaveLength(41);
  });

  test('a token that may not read posts again rather than not at all', async () => {
    api.forbidReading();
    expect(await slack.deliver(reportContent(), context({ mayHavePosted: true }))).toMatchObject({ outcome: 'ok' });
  });

  test('refused blocks become plain text, so that the words arrive', async () => {
    api.fail('chat.postMessage', { kind: 'error', error: 'invalid_blocks' });
    await deliver();
    expect(api.roots()).toMatchObject([
      { blocks: [], text: expect.stringContaining('orders-db ran out of connections') },
    ]);
  });

  test.each([
    'invalid_auth',
    'token_revoked',
    'account_inactive',
    'missing_scope',
    'channel_not_found',
    'not_in_channel',
    'is_archived',
  ])('ok:false with %s is final', async (error) => {
    api.fail('chat.postMessage', { kind: 'error', error });
    expect(await slack.deliver(reportContent(), context())).toEqual({
      outcome: 'give-up',
      reason: `Slack says ${error}`,
    });
  });

  test.each([
    ['ratelimited', 'no'],
    ['service_unavailable', 'no'],
    ['internal_error', undefined],
    ['fatal_error', undefined],
  ])('ok:false with %s comes again', async (error, posted) => {
    api.fail('chat.postMessage', { kind: 'error', error });
    const reason = `Slack says ${error}`;
    expect(await slack.deliver(reportContent(), context())).toEqual({
      outcome: 'retry',
      reason,
      ...(posted ? { posted } : {}),
    });
  });

  test('check shows workspace and channel', async () => {
    expect(await slack.check(new AbortController().signal)).toEqual({
      name: 'slack',
      status: 'ok',
      value: 'rootnote in Acme, #alerts',
    });
  });

  test('check of a wrong token says what Slack said and which setting to change', async () => {
    const wrong = createSlackDestination({ apiUrl: api.apiUrl, botToken: 'wrong', channel: api.channel });
    expect(await wrong.check(new AbortController().signal)).toMatchObject({
      status: 'fail',
      value: 'invalid_auth',
      remedy: expect.stringContaining('SLACK_BOT_TOKEN'),
    });
  });

  test('check of a wrong channel names the setting', async () => {
    const lost = createSlackDestination({ apiUrl: api.apiUrl, botToken: api.token, channel: 'C9' });
    expect(await lost.check(new AbortController().signal)).toMatchObject({
      status: 'fail',
      value: expect.stringContaining('channel_not_found'),
      remedy: expect.stringContaining('SLACK_CHANNEL'),
    });
  });
});
