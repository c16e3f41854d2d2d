import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createSlackDestination } from '../../src/destinations/slack/slack-destination.ts';
import type { DeliveryContent, DeliveryContext, Destination } from '../../src/domain/delivery.ts';
import type { Report } from '../../src/domain/report.ts';
import type { StormSummary } from '../../src/domain/storm.ts';
import {
  firstLookContent,
  reportContent,
  resolvedContent,
  stormSummary,
  updateContent as toldUpdate,
} from '../support/delivery-content.ts';
import { context } from '../support/destination-cases.ts';
import { startSlackApi, type SlackApiServer, type SlackMessage } from '../support/slack-api.ts';
import { effectsOf, seenText } from '../support/slack-text.ts';

const updateContent = (news: string, report: Partial<Report> = {}) =>
  ({ ...toldUpdate(report), news }) as DeliveryContent;

describe('D4: Slack with a bot token', () => {
  let api: SlackApiServer;
  let slack: Destination;
  const options = () => ({ apiUrl: api.apiUrl, botToken: api.token, channel: api.channel });
  beforeEach(async () => {
    api = await startSlackApi();
    slack = createSlackDestination(options());
  });
  afterEach(() => api.close());

  const long = reportContent({ gaps: Array.from({ length: 40 }, (_, index) => `gap ${index} ${'x'.repeat(800)}`) });
  const deliver = async (overrides: Partial<DeliveryContext> = {}, content: DeliveryContent = reportContent()) => {
    const result = await slack.deliver(content, context(overrides));
    return result.outcome === 'ok' ? result.handle : undefined;
  };
  const threadOf = (root = api.roots()[0]) => api.repliesOf(root?.ts ?? '').map((reply) => seenText(reply));
  const header = () => api.roots().map((root) => root.blocks[0]?.text?.text);

  test('a resolved incident edits the header of the one root and says so in the thread', async () => {
    const handle = await deliver();
    await deliver({ handle, marker: 'rn-resolved' }, resolvedContent());
    expect(header()).toEqual(['🟢 RESOLVED after 12 min · CheckoutErrorsHigh · checkout']);
    expect(api.roots()).toMatchObject([{ edits: 1 }]);
    expect(threadOf().at(-1)).toBe('🟢 RESOLVED after 12 min · CheckoutErrorsHigh · checkout');
  });

  describe('one incident, one thread', () => {
    test('the report takes the place of the first look, and adds its details to the thread', async () => {
      const handle = await deliver({ marker: 'rn-first' }, firstLookContent());
      expect(seenText(api.roots()[0] as SlackMessage)).toContain('First look, the agent is still investigating');
      expect(api.messages).toHaveLength(1);
      await deliver({ handle, marker: 'rn-report' });
      expect(api.roots()).toHaveLength(1);
      expect(seenText(api.roots()[0] as SlackMessage)).not.toContain('First look');
      expect(threadOf()[0]).toContain('How it unfolded');
    });

    test('an update edits the root, its news on top, and tells the followers of the thread', async () => {
      const handle = await deliver();
      const before = api.messages.length;
      const updated = await deliver({ handle, marker: 'rn-update-1' }, updateContent('cart is the suspect now'));
      expect(seenText(api.roots()[0] as SlackMessage).split('\n')[1]).toBe('🆕 Update: cart is the suspect now');
      expect(threadOf().at(-1)).toContain('Update: cart is the suspect now\nRoot cause: `orders-db`');
      // The details have not changed, so nobody has to read them again.
      expect(api.messages).toHaveLength(before + 1);
      const changed = updateContent('a new gap', { gaps: ['x'.repeat(900)] });
      await deliver({ handle: updated, marker: 'rn-update-2' }, changed);
      expect(threadOf().slice(-2)[0]).toContain('Update: a new gap');
      expect(threadOf().at(-1)).toContain('x'.repeat(600));
    });

    test('an update that finds nothing to edit is posted whole, once', async () => {
      await deliver({}, updateContent('somebody is on it'));
      expect(api.roots()).toHaveLength(1);
      expect(seenText(api.roots()[0] as SlackMessage)).toContain('Root cause');
      expect(threadOf().join()).not.toContain('somebody is on it');
    });

    test('a report finds the first look whose worker died before it could say where it was', async () => {
      api.fail('chat.postMessage', { kind: 'close-after-accepting' });
      expect(await deliver({ marker: 'rn-first' }, firstLookContent())).toBeUndefined();
      await deliver({ marker: 'rn-report', mayHavePosted: true });
      expect(header()).toEqual(['🔴 FIRING · CheckoutErrorsHigh · checkout']);
      expect(api.roots()).toMatchObject([{ edits: 1 }]);
    });

    test('the thread stays where it is when the channel is changed', async () => {
      const handle = await deliver();
      const moved = createSlackDestination({ ...options(), channel: 'C0OTHER' });
      expect(await moved.deliver(updateContent('news'), context({ handle, marker: 'rn-u' }))).toMatchObject({
        outcome: 'ok',
      });
      expect(api.roots()).toMatchObject([{ edits: 1 }]);
    });

    test.each([1, 2, 3, 4, 5])('cut off at call %i of report and update, every message is there once', async (cut) => {
      const handle = await deliver({ marker: 'rn-first' }, firstLookContent());
      const contents = [
        { marker: 'rn-report', content: long },
        { marker: 'rn-update-1', content: updateContent('news', { gaps: long.report.gaps }) },
      ];
      let known = handle;
      for (const { marker, content } of contents) {
        const posts = Array.from({ length: cut - 1 }, () => ({ kind: 'none' as const }));
        api.fail('chat.postMessage', ...posts, { kind: 'close-after-accepting' });
        const first = await slack.deliver(content, context({ handle: known, marker }));
        if (first.outcome === 'ok') api.calm();
        const again = await slack.deliver(content, context({ handle: known, marker, mayHavePosted: true }));
        expect(again).toMatchObject({ outcome: 'ok' });
        known = again.outcome === 'ok' ? again.handle : known;
      }
      expect(api.roots()).toHaveLength(1);
      const replies = threadOf();
      expect(new Set(replies).size).toBe(replies.length);
      expect(replies.filter((text) => text.includes('Update: news'))).toHaveLength(1);
      expect(replies.filter((text) => text.includes('gap 39'))).toHaveLength(1);
    });
  });

  describe('a storm', () => {
    const deliverStorm = (storm: Partial<StormSummary>, overrides: Partial<DeliveryContext> = {}) =>
      slack.deliverStorm?.(stormSummary(storm), context(overrides));

    test('is one message, kept up to date', async () => {
      const posted = await deliverStorm({});
      const handle = posted?.outcome === 'ok' ? posted.handle : undefined;
      await deliverStorm({ incidents: 80, isOver: true }, { handle, marker: 'rn-storm-2' });
      expect(api.messages).toHaveLength(1);
      expect(header()).toEqual([expect.stringMatching(/^🟡 STORM OVER · 80 incidents, /)]);
    });

    test('of hundreds of investigations with hostile names is accepted and says how many it lists not', async () => {
      const investigations = Array.from({ length: 300 }, (_, index) => ({
        incidentId: `inc_${index}`,
        title: `Alert${index} <!channel> *bold* ${'&'.repeat(60)}`,
        severity: 'critical',
        state: 'reported' as const,
        summary: '<@U0123> `code` :rotating_light: '.repeat(20),
        members: 2,
        isFiring: true,
      }));
      expect(await deliverStorm({ investigations, omitted: 5 })).toMatchObject({ outcome: 'ok' });
      const [post] = api.roots();
      const shown = (seenText(post as SlackMessage).match(/^• /gm) ?? []).length;
      expect(shown).toBeGreaterThan(5);
      expect(seenText(post as SlackMessage)).toContain(
        `+ ${305 - shown} more, see \`rootnote incidents show storm_1\``,
      );
      expect(effectsOf(post as SlackMessage)).toEqual({ pings: [], links: [], emoji: [] });
    });

    test('whose message was removed is told again', async () => {
      const posted = await deliverStorm({});
      const handle = posted?.outcome === 'ok' ? posted.handle : undefined;
      api.remove(handle?.['ts'] ?? '');
      await deliverStorm({}, { handle, marker: 'rn-storm-2' });
      expect(api.roots()).toHaveLength(1);
    });
  });

  describe('the picture', () => {
    const pictures = () => api.messages.flatMap(({ files = [] }) => files);

    test('of the timeline is in the thread of the report, with its content in words', async () => {
      await deliver();
      expect(pictures()).toMatchObject([
        {
          name: 'timeline-rep_7f3a9c.png',
          title: 'Timeline of the evidence',
          altText: expect.stringContaining('C1 150 s before'),
        },
      ]);
      expect(pictures()[0]?.bytes.subarray(1, 4).toString()).toBe('PNG');
    });

    test('comes with the report alone, and once, however often that is tried', async () => {
      const handle = await deliver({ marker: 'rn-first' }, firstLookContent());
      expect(pictures()).toEqual([]);
      await deliver({ handle });
      await deliver({ handle, mayHavePosted: true });
      await deliver({ handle, marker: 'rn-u' }, updateContent('news'));
      expect(pictures()).toHaveLength(1);
    });

    test('whose upload ended in a cut connection is not uploaded twice', async () => {
      api.fail('files.completeUploadExternal', { kind: 'close-after-accepting' });
      await deliver();
      await deliver({ mayHavePosted: true });
      expect(pictures()).toHaveLength(1);
    });

    test.each([
      ['files.getUploadURLExternal', { kind: 'status', status: 429, retryAfterSeconds: 30 }],
      ['files.getUploadURLExternal', { kind: 'error', error: 'missing_scope' }],
      ['files.completeUploadExternal', { kind: 'error', error: 'file_not_found' }],
    ] as const)('is left out when %s fails, and the report is delivered', async (method, fault) => {
      api.fail(method, fault);
      expect(await slack.deliver(reportContent(), context())).toMatchObject({ outcome: 'ok' });
      expect(pictures()).toEqual([]);
      expect(api.roots()).toHaveLength(1);
    });

    test('that cannot be drawn is left out', async () => {
      const blind = createSlackDestination({ ...options(), timeline: () => Promise.resolve(undefined) });
      expect(await blind.deliver(reportContent(), context())).toMatchObject({ outcome: 'ok' });
      expect(pictures()).toEqual([]);
    });

    test('needs a scope, which check names', async () => {
      api.removeScope('files:write');
      expect(await slack.deliver(reportContent(), context())).toMatchObject({ outcome: 'ok' });
      expect(await slack.check(new AbortController().signal)).toMatchObject({
        status: 'warn',
        remedy: expect.stringContaining('files:write'),
      });
    });
  });

  test('a repeated resolve adds no second reply', async () => {
    const handle = await deliver();
    api.fail('chat.postMessage', { kind: 'close-after-accepting' });
    await deliver({ handle, marker: 'rn-resolved' }, resolvedContent());
    await deliver({ handle, marker: 'rn-resolved', mayHavePosted: true }, resolvedContent());
    expect(threadOf().filter((text) => text.includes('RESOLVED'))).toHaveLength(1);
  });

  describe.each(['cant_update_message', 'edit_window_closed'])('a root that Slack does not let edit (%s)', (error) => {
    test.each([
      ['report', 'rn-report', () => reportContent(), 'Root cause'],
      ['update', 'rn-update-1', () => updateContent('cart is the suspect now'), 'cart is the suspect now'],
      ['resolved', 'rn-resolved', () => resolvedContent(), 'RESOLVED'],
    ] as const)('has the %s in its thread, seen in the channel, once', async (_kind, marker, content, expected) => {
      const handle = await deliver({ marker: 'rn-first' }, firstLookContent());
      api.fail('chat.update', { kind: 'error', error }, { kind: 'error', error });
      await deliver({ handle, marker }, content());
      await deliver({ handle, marker, mayHavePosted: true }, content());
      expect(api.roots()).toHaveLength(1);
      const shared = api.messages.filter(({ isShared }) => isShared);
      expect(shared.map((message) => seenText(message))).toEqual([expect.stringContaining(expected)]);
    });
  });

  test.each([
    ['report', 'rn-report', () => reportContent()],
    ['update', 'rn-update-1', () => updateContent('news')],
    ['resolved', 'rn-resolved', () => resolvedContent()],
  ] as const)('a %s whose root was removed is posted anew, once', async (_kind, marker, content) => {
    const handle = await deliver({ marker: 'rn-first' }, firstLookContent());
    api.remove(handle?.['ts'] ?? '');
    api.fail('chat.postMessage', { kind: 'close-after-accepting' });
    expect(await deliver({ handle, marker }, content())).toBeUndefined();
    expect(await deliver({ handle, marker, mayHavePosted: true }, content())).toMatchObject({ ts: api.roots()[0]?.ts });
    expect(api.roots()).toHaveLength(1);
  });

  test('what was never posted is not resolved in a message of its own', async () => {
    expect(await slack.deliver(resolvedContent(), context())).toMatchObject({ outcome: 'give-up' });
    expect(api.messages).toEqual([]);
  });

  test('a worker that dies between root and replies leaves no gap and no double', async () => {
    api.fail('chat.postMessage', { kind: 'close-after-accepting' });
    expect(await slack.deliver(long, context())).toMatchObject({ outcome: 'retry' });
    expect(api.messages).toHaveLength(1);
    await deliver({ mayHavePosted: true }, long);
    expect(api.roots()).toMatchObject([{ edits: 0 }]);
    const count = api.messages.length;
    await deliver({ mayHavePosted: true }, long);
    expect(api.roots()).toHaveLength(1);
    expect(api.messages).toHaveLength(count);
    expect(JSON.stringify(api.messages)).toContain('gap 39');
  });

  test('is found again behind many younger messages, though Slack gives two a page', async () => {
    await deliver();
    for (let index = 0; index < 40; index++) {
      await deliver({ marker: `rn-other-${index}` }, reportContent({}, { id: `inc_other_${index}` }));
    }
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
      { blocks: [{ type: 'section', text: { text: expect.stringContaining('orders-db ran out of connections') } }] },
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
  ])('ok:false with %s is final, and says what to do', async (error) => {
    api.fail('chat.postMessage', { kind: 'error', error });
    expect(await slack.deliver(reportContent(), context())).toEqual({
      outcome: 'give-up',
      reason: expect.stringMatching(new RegExp(`^Slack says ${error}; .*(SLACK_BOT_TOKEN|SLACK_CHANNEL|scope|invite)`)),
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
