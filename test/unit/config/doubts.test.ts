import { describe, expect, test } from '@jest/globals';
import { doubtsAbout } from '../../../src/config/doubts.ts';
import { examineConfig } from '../../../src/config/load-config.ts';

/** `!` before what ends the start. */
const doubts = (environment: Readonly<Record<string, string>>) =>
  doubtsAbout(examineConfig(environment).config).map(
    ({ setting, message, isFatal }) => `${isFatal ? '!' : ''}${setting} ${message}`,
  );
const SLACK = { SLACK_BOT_TOKEN: 'xoxb-1-2-abc', SLACK_CHANNEL: 'C01ABCDEF23' };
const JIRA = { JIRA_TOKEN: 't', JIRA_PROJECT: 'OPS', JIRA_EMAIL: 'a@acme.test' };
const FLOW = 'https://prod-9.westeurope.logic.azure.com/workflows/a/triggers/manual/paths/invoke?api-version=1';

describe('settings whose vendor will not take them are told before anybody is asked', () => {
  test.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ['the token of another app', { ...SLACK, SLACK_BOT_TOKEN: 'abc' }, /^!SLACK_BOT_TOKEN must begin with xoxb-/],
    ['an app-level token', { ...SLACK, SLACK_BOT_TOKEN: 'xapp-1-A' }, /^!SLACK_BOT_TOKEN must begin with xoxb-/],
    ['a refresh token', { ...SLACK, SLACK_BOT_TOKEN: 'xoxe-1-A' }, /^!SLACK_BOT_TOKEN must begin with xoxb-/],
    ['the token of a person', { ...SLACK, SLACK_BOT_TOKEN: 'xoxp-1-A' }, /^SLACK_BOT_TOKEN is the token of a person/],
    ['a name for an id', { ...SLACK, SLACK_CHANNEL: '#ops' }, /^!SLACK_CHANNEL must be the id of a channel/],
    ['a name behind a proxy', { ...SLACK, SLACK_CHANNEL: 'ops', SLACK_API_URL: 'https://slack.proxy.test/api' }, /^SLACK_CHANNEL must be the id/],
    ['a page of Slack', { SLACK_WEBHOOK_URL: 'https://acme.slack.com/archives/C1' }, /^!SLACK_WEBHOOK_URL must be an incoming webhook/],
    ['a workflow of Slack', { SLACK_WEBHOOK_URL: 'https://hooks.slack.com/triggers/T1/2/abc' }, /^!SLACK_WEBHOOK_URL must be/],
    ['a webhook of another program', { SLACK_WEBHOOK_URL: 'https://chat.acme.test/hooks/x' }, /^SLACK_WEBHOOK_URL leads to chat.acme.test and not to hooks.slack.com/],
    ['a retired connector', { TEAMS_WORKFLOW_URL: 'https://acme.webhook.office.com/x' }, /^!TEAMS_WORKFLOW_URL is an Office 365 connector/],
    ['a URL that a shell has cut', { TEAMS_WORKFLOW_URL: FLOW }, /^!TEAMS_WORKFLOW_URL ends before its signature/],
    ['another host for Teams', { TEAMS_WORKFLOW_URL: 'https://flows.acme.test/x' }, /^TEAMS_WORKFLOW_URL leads to flows.acme.test/],
    ['an integration key', { PAGERDUTY_API_TOKEN: 'a'.repeat(32) }, /^!PAGERDUTY_API_TOKEN is an integration key/],
    ['a key of another length', { PAGERDUTY_API_TOKEN: 'abc' }, /^PAGERDUTY_API_TOKEN does not look like/],
    ['the Events API', { PAGERDUTY_API_URL: 'https://events.pagerduty.com/v2' }, /^!PAGERDUTY_API_URL is not the REST API/],
    ['Jira Cloud as Data Center', { ...JIRA, JIRA_URL: 'https://acme.atlassian.net', JIRA_DEPLOYMENT: 'datacenter' }, /^!JIRA_DEPLOYMENT must be cloud/],
    ['a page of Jira', { ...JIRA, JIRA_URL: 'https://acme.atlassian.net/jira/software' }, /^!JIRA_URL must end after the host: https:\/\/acme.atlassian.net$/],
    ['Data Center as Jira Cloud', { ...JIRA, JIRA_URL: 'https://jira.acme.test' }, /^JIRA_DEPLOYMENT is cloud, but JIRA_URL leads to jira.acme.test/],
    ['Jira Cloud without a user', { ...JIRA, JIRA_EMAIL: '', JIRA_URL: 'https://acme.atlassian.net' }, /^JIRA_EMAIL is not set/],
    ['the web site of GitHub', { GITHUB_API_URL: 'https://github.com' }, /^!GITHUB_API_URL is the web site/],
    ['an Enterprise Server without its path', { GITHUB_API_URL: 'https://git.acme.test' }, /^GITHUB_API_URL does not end in \/api\/v3/],
    ['a token of another form', { GITHUB_ISSUES_TOKEN: 'abc', GITHUB_ISSUES_REPOSITORY: 'a/b' }, /^GITHUB_ISSUES_TOKEN does not look like/],
    ['a key of another vendor', { ANTHROPIC_API_KEY: 'sk-proj-1' }, /^ANTHROPIC_API_KEY does not look like/],
  ])('%s', (_what, environment, expected) => {
    const told = doubts(environment);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(expected);
  }); // prettier-ignore

  test('what is right, and what stands on this machine, is not doubted', () => {
    expect(
      doubts({
        ...SLACK,
        ...JIRA,
        JIRA_URL: 'https://acme.atlassian.net',
        SLACK_WEBHOOK_URL: 'https://hooks.slack.com/services/T01AB/B02CD/abcdef',
        TEAMS_WORKFLOW_URL: `${FLOW}&sig=abc`,
        PAGERDUTY_API_TOKEN: 'y_NbAkKc66ryYTWUXYEu',
        GITHUB_ISSUES_TOKEN: 'github_pat_11A',
        GITHUB_ISSUES_REPOSITORY: 'a/b',
        ANTHROPIC_API_KEY: 'sk-ant-api03-x',
      }),
    ).toEqual([]);
    const here = 'http://127.0.0.1:9';
    expect(
      doubts({
        SLACK_API_URL: here,
        SLACK_BOT_TOKEN: 'any',
        SLACK_CHANNEL: '#any',
        SLACK_WEBHOOK_URL: here,
        TEAMS_WORKFLOW_URL: here,
        PAGERDUTY_API_URL: here,
        PAGERDUTY_API_TOKEN: 'a'.repeat(32),
        ...JIRA,
        JIRA_URL: here,
        GITHUB_API_URL: here,
        GITHUB_ISSUES_TOKEN: 'any',
        ANTHROPIC_BASE_URL: here,
        ANTHROPIC_API_KEY: 'any',
      }),
    ).toEqual([]);
  });

  test.each([
    'xoxb-…',
    '…',
    'xoxb-...',
    'your-token',
    'xoxb-your-token-here',
    '<token>',
    'changeme',
    'CHANGE_ME',
    'xoxb-xxxxxxxx',
    '${SLACK_TOKEN}',
    '$SLACK_TOKEN',
  ])('%s is the placeholder of an example, and not set yet', (value) => {
    const told = '!SLACK_BOT_TOKEN is not set yet: it holds the placeholder of an example';
    expect(doubts({ ...SLACK, SLACK_BOT_TOKEN: value })).toEqual([told]);
    expect(examineConfig({ ...SLACK, SLACK_BOT_TOKEN: value }).problems).toHaveLength(1);
  });

  test.each([
    ['SLACK_CHANNEL', { ...SLACK, SLACK_CHANNEL: 'C0123456789' }],
    ['SLACK_WEBHOOK_URL', { SLACK_WEBHOOK_URL: 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXX' }],
    ['SLACK_WEBHOOK_URL', { SLACK_WEBHOOK_URL: 'https://example.com' }],
    ['ANTHROPIC_API_KEY', { ANTHROPIC_API_KEY: 'sk-ant-...' }],
  ])('%s of an example', (setting, environment) => {
    expect(doubts(environment)).toEqual([`!${setting} is not set yet: it holds the placeholder of an example`]);
  });

  test('where both sides may have the placeholder, it works and is warned of', () => {
    expect(doubts({ ALERTMANAGER_BEARER_TOKENS: 'good-token,changeme' })).toEqual([
      'ALERTMANAGER_BEARER_TOKENS is not set yet: it holds the placeholder of an example',
    ]);
  });

  test.each(['a-b-c', 'xoxb-1-2-abc', 'todo-list-reader', 'e3b0c44298fc1c14', 'token', 'Xk9…'.slice(0, 3)])(
    '%s is no placeholder',
    (value) => expect(doubts({ ALERTMANAGER_BEARER_TOKENS: value })).toEqual([]),
  );
});
