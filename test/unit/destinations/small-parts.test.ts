import { describe, expect, test } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { parseConfig } from '../../../src/config/load-config.ts';
import { classifyAnswer, classifyFailure } from '../../../src/destinations/classify.ts';
import { createDestinations } from '../../../src/destinations/index.ts';
import { heedPause, takeTurn } from '../../../src/destinations/slack/take-turn.ts';
import { webLink } from '../../../src/destinations/web-link.ts';
import { isPublicAddress } from '../../../src/platform/public-address.ts';
import { signWebhook } from '../../../src/destinations/webhook/sign.ts';
import { HttpRequestError } from '../../../src/platform/http-request.ts';

const answer = (status: number, headers: Record<string, string> = {}) => ({ status, headers, body: '' });

describe('what an answer means', () => {
  test.each([200, 201, 202, 204])('%i is done', (status) => {
    expect(classifyAnswer(answer(status), 0)).toEqual({ outcome: 'ok' });
  });
  test.each([408, 425, 429])('%i comes again, and posted nothing', (status) => {
    expect(classifyAnswer(answer(status), 0)).toEqual({ outcome: 'retry', reason: `HTTP ${status}`, posted: 'no' });
  });
  test.each([500, 502, 503, 504])('%i comes again, and may have posted', (status) => {
    expect(classifyAnswer(answer(status), 0)).toEqual({ outcome: 'retry', reason: `HTTP ${status}` });
  });
  test.each([301, 302, 307, 400, 401, 403, 404, 410, 413, 422])('%i is final', (status) => {
    expect(classifyAnswer(answer(status), 0)).toMatchObject({ outcome: 'give-up' });
  });
  test.each([
    ['3', 3000],
    ['0', 0],
    [new Date(60_000).toUTCString(), 60_000],
    [new Date(-5000).toUTCString(), 0],
    ['999999999', 3_600_000],
    ['soon', undefined],
  ])('Retry-After %j is %p ms', (header, afterMs) => {
    expect(classifyAnswer(answer(429, { 'retry-after': header }), 0)).toEqual({
      outcome: 'retry',
      reason: 'HTTP 429',
      posted: 'no',
      ...(afterMs === undefined ? {} : { afterMs }),
    });
  });

  test('a refused connection posted nothing, a timeout may have', () => {
    const refused = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
    expect(classifyFailure(new HttpRequestError('network', 'n', { cause: refused }))).toMatchObject({ posted: 'no' });
    expect(classifyFailure(new HttpRequestError('timeout', 't'))).toEqual({ outcome: 'retry', reason: 't' });
    expect(classifyFailure(new HttpRequestError('refused-address', 'r'))).toMatchObject({ outcome: 'give-up' });
  });
});

describe('addresses a webhook may reach', () => {
  test.each(['93.184.216.34', '2606:2800:220:1::1', '::ffff:93.184.216.34'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
  test.each([
    '127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.100.100.200', '0.0.0.0', '224.0.0.1',
    '192.0.0.192', '168.63.129.16', '255.255.255.255', '::1', '::', 'fe80::1', 'fd00:ec2::254', '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe', '64:ff9b::7f00:1', '2002:7f00:1::', '::7f00:1', '100:0:0:1::', 'not an address',
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  }); // prettier-ignore
});

test('signatures follow Standard Webhooks: HMAC-SHA256 of id.timestamp.body under the decoded secret', () => {
  const key = Buffer.alloc(32, 7);
  const signed = signWebhook([`whsec_${key.toString('base64')}`], 'msg_1', 1_790_000_000_999, '{"a":1}');
  const expected = createHmac('sha256', key).update('msg_1.1790000000.{"a":1}').digest('base64');
  expect(signed).toEqual({
    'webhook-id': 'msg_1',
    'webhook-timestamp': '1790000000',
    'webhook-signature': `v1,${expected}`,
  });
});

test.each([
  ['https://a.example/x?y=1', 'https://a.example/x?y=1'],
  ['javascript:alert(1)', undefined],
  ['https://user:pw@a.example/', undefined],
  ['not a link', undefined],
  [null, undefined],
])('web link %j', (text, expected) => {
  expect(webLink(text)).toBe(expected);
});

describe('pacing', () => {
  const { signal } = new AbortController();
  const turns = (...waitsMs: number[]) => {
    const asked: (readonly [string, number])[] = [];
    const note = (place: string, ms: number) => {
      asked.push([place, ms]);
      return waitsMs.shift() ?? 0;
    };
    return {
      asked,
      take: (place: string, everyMs: number) => Promise.resolve(note(place, everyMs)),
      pause: (place: string, forMs: number) => Promise.resolve(void note(place, forMs)),
    };
  };

  test('whoever has to wait asks again until it is his turn', async () => {
    const shared = turns(1, 2, 0);
    expect(await takeTurn(shared, 'C1', signal)).toBeUndefined();
    expect(shared.asked).toEqual(Array.from({ length: 3 }, () => ['slack:C1', 1050]));
  });

  test('a long wait is refused with its length, and nothing was posted', async () => {
    const refused = { outcome: 'retry', afterMs: 40_000, posted: 'no' };
    expect(await takeTurn(turns(40_000), 'C1', signal)).toMatchObject(refused);
  });

  test('what Slack asks one for holds for all, and nothing else does', async () => {
    const shared = turns();
    await heedPause(shared, 'C1', { outcome: 'retry', afterMs: 7000 });
    await heedPause(shared, 'C1', { outcome: 'retry' });
    await heedPause(shared, 'C1', { outcome: 'ok' });
    expect(shared.asked).toEqual([['slack:C1', 7000]]);
  });
});

describe('destinations are made from settings', () => {
  const none = parseConfig({});
  const names = (settings: object) => createDestinations({ ...none, ...settings }).map(({ name }) => name);

  test('files always, the rest when configured', () => {
    expect(names({})).toEqual(['file']);
    const secret = `whsec_${'a'.repeat(32)}`;
    const all = parseConfig({
      SLACK_BOT_TOKEN: 'xoxb-t',
      SLACK_CHANNEL: 'C1',
      PAGERDUTY_API_TOKEN: 't',
      JIRA_URL: 'https://jira.example',
      JIRA_TOKEN: 't',
      JIRA_PROJECT: 'OPS',
      GITHUB_ISSUES_TOKEN: 't',
      GITHUB_ISSUES_REPOSITORY: 'acme/incidents',
      TEAMS_WORKFLOW_URL: 'https://flows.example/x',
      REPORT_WEBHOOK_URL: 'https://x.example',
      REPORT_WEBHOOK_SECRET: `${secret}, ${secret}`,
    });
    expect(names(all)).toEqual(['file', 'slack', 'pagerduty', 'jira', 'github', 'teams', 'webhook']);
    expect(names({ ...all, PAGERDUTY_NOTES: false })).not.toContain('pagerduty');
    expect(
      names({
        SLACK_BOT_TOKEN: 't',
        SLACK_CHANNEL: 'C1',
        REPORT_WEBHOOK_URL: 'https://x.example',
        REPORT_WEBHOOK_SECRET: ['whsec_'],
      }),
    ).toEqual(['file', 'slack', 'webhook']);
  });

  test('the incoming webhook steps back where there is a bot', () => {
    const url = 'https://hooks.example/x';
    expect(names({ SLACK_WEBHOOK_URL: url })).toEqual(['file', 'slack-webhook']);
    expect(names({ SLACK_WEBHOOK_URL: url, SLACK_BOT_TOKEN: 't', SLACK_CHANNEL: 'C1' })).toEqual(['file', 'slack']);
  });
});
