import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createIncomingWebhookDestination } from '../../src/destinations/slack/incoming-webhook.ts';
import { createSlackDestination } from '../../src/destinations/slack/slack-destination.ts';
import type { DeliveryContent, Destination } from '../../src/domain/delivery.ts';
import { makeReport, reportContent } from '../support/delivery-content.ts';
import { context } from '../support/destination-cases.ts';
import { startSlackApi, type SlackApiServer, type SlackMessage } from '../support/slack-api.ts';
import { textsOf } from '../support/slack-limits.ts';
import { effectsOf, emphasisOf, seenLines, seenText } from '../support/slack-text.ts';
import { HOSTILE, hostile, huge, minimal } from '../support/ticket-reports.ts';

/** About what a window shows without scrolling. */
const FIRST_SCREEN = 30;

describe.each(['with a bot token', 'with an incoming webhook'])('D4: Slack %s, read as a person sees it', (mode) => {
  let api: SlackApiServer;
  let slack: Destination;
  beforeEach(async () => {
    api = await startSlackApi();
    slack =
      mode === 'with a bot token'
        ? createSlackDestination({ apiUrl: api.apiUrl, botToken: api.token, channel: api.channel })
        : createIncomingWebhookDestination(api.webhookUrl);
  });
  afterEach(() => api.close());

  const post = async (content: DeliveryContent) => {
    expect(await slack.deliver(content, context())).toMatchObject({ outcome: 'ok' });
    const [root] = api.roots();
    if (!root) throw new Error('nothing was posted');
    const told = api.messages.filter(({ files }) => files === undefined);
    // What is refused comes once more as one section: nothing of that here.
    expect(root.blocks.length).toBeGreaterThan(2);
    return { root, told, all: told.map((message) => seenText(message)).join('\n') };
  };

  test('what a typical report tells stands on the first screen, in the order in which it is needed', async () => {
    const { root } = await post(reportContent());
    const text = seenText(root);
    const order = [
      'FIRING',
      'Root cause: `orders-db`',
      'Severity: critical',
      'Evidence',
      'Action plan',
      'Other suspects',
      'Gaps',
      'Report `rep_',
    ];
    const places = order.map((part) => text.indexOf(part));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(seenLines(root)).toBeLessThanOrEqual(FIRST_SCREEN);
  });

  test('cases 13 and 14: a huge report is taken, its best on the first pages, and what was left out is counted', async () => {
    const { root, told, all } = await post(huge());
    const text = seenText(root);
    expect(text).toContain('confidence high (0.86)');
    expect(text).toMatch(/Evidence \(\+ 39\d more in the (thread|stored report)\)/);
    expect(text).toMatch(/^1\. Do number 1 /m);
    expect(text).toContain(`\`kubectl get pods -n ${'n'.repeat(400)}\``);
    expect(told.length).toBeLessThanOrEqual(mode === 'with a bot token' ? 9 : 1);
    if (told.length > 1) expect(all).toMatch(/more sections are in the stored report/);
  });

  test('case 13: a long text with code fences is reachable to its end', async () => {
    const statement = `\`\`\`\n${'pool exhausted '.repeat(60)}\n\`\`\` end of text`;
    const { root, all } = await post(
      reportContent({ evidence: [{ ...makeReport().evidence[0], statement } as never] }),
    );
    expect(JSON.stringify(root.blocks)).not.toContain('```');
    if (mode === 'with a bot token') expect(all).toContain('end of text');
  });

  test('cases 15 and 16: a hostile report pings nobody, links nowhere, draws nothing and breaks nothing', async () => {
    const { told } = await post(hostile());
    for (const message of told) {
      const { pings, links, emoji } = effectsOf(message);
      expect(pings).toEqual([]);
      expect(emoji).toEqual([]);
      for (const { label, address } of links) {
        expect(new URL(address).host).toMatch(/^(prom|alerts)\.example\.com$/);
        expect(label.endsWith(new URL(address).host)).toBe(true);
      }
      expect(JSON.stringify(message)).not.toMatch(/\\u(202e|0000|001b|200b|d83d")/i);
      expectOnlyOurEmphasis(message);
    }
  });

  test('what is not code in data does not become any, and code keeps its characters', async () => {
    const [action] = makeReport().action_plan;
    const plan = [{ ...action, step: 'run `id` ```x```', command: 'grep *.log _x_ :tada: <a>' }];
    const { root } = await post(reportContent({ action_plan: plan as never }));
    expect(seenText(root)).toContain("1. run 'id' '''x'''");
    expect(seenText(root)).toContain('`grep *.log _x_ :tada: <a>`');
  });

  test('a minimal report is taken, with no empty text', async () => {
    const { root } = await post(minimal());
    expect(seenText(root)).toContain('Not determined. No lead is strong enough to name.');
    expect(seenText(root)).toContain('FIRING · alert without a name');
    expect(seenText(root)).not.toMatch(/Gaps|^• ?$|\n\n/m);
    expect(root.blocks.flatMap(textsOf).every(({ text }) => text.trim() !== '')).toBe(true);
  });

  test('the hostile text holds what it is there for', () => {
    expect(HOSTILE).toMatch(/<!channel>.*<@U.*:tada:/s);
    expect(emphasisOf('*bold* and _that_')).toHaveLength(2);
    expect(
      effectsOf({
        text: 'x',
        blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '<!here> :tada: <https://a.example|b>' } }],
      }),
    ).toEqual({
      pings: ['@here'],
      links: [{ label: 'b', address: 'https://a.example' }],
      emoji: [':tada:'],
    });
  });
});

/** Ours marks names, numbers and times: nothing that an alert says. */
function expectOnlyOurEmphasis(message: SlackMessage): void {
  for (const { text } of message.blocks.flatMap(textsOf).filter(({ type }) => type === 'mrkdwn')) {
    for (const found of emphasisOf(text)) expect(found).not.toMatch(/octocat|evil|acme|bold/);
  }
}
