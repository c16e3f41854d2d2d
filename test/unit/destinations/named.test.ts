import { describe, expect, test } from '@jest/globals';
import { parseConfig } from '../../../src/config/load-config.ts';
import { createDestinations } from '../../../src/destinations/index.ts';
import { NamedDestinationError, NamedDestinations, secretsOfNamed } from '../../../src/destinations/named.ts';

const variables: Readonly<Record<string, string>> = {
  TEAM_A_TOKEN: 'team-a-token',
  TEAM_A_FLOW: 'https://flows.example/workflows/secret-path?sig=s',
  LINE_END: 'token\n',
  CUT_FLOW: 'https://prod-1.westeurope.logic.azure.com/workflows/x?api-version=1',
  OLD_HOOK: 'https://hooks.slack.com/triggers/T1/2/abc',
  PLACEHOLDER: 'your-token',
  HOOK_SECRET: `whsec_${'a'.repeat(32)},whsec_${'b'.repeat(32)}`,
};
const read = (name: string) => variables[name];
const settings = parseConfig({ SLACK_BOT_TOKEN: 'xoxb-of-a-test', SLACK_CHANNEL: 'C1' });
const create = (input: unknown) =>
  createDestinations(settings, { named: NamedDestinations.parse(input), read }).map(({ name }) => name);

describe('destinations under names of their own', () => {
  test('every type can be named, beside those of the settings', () => {
    const names = create({
      'slack-payments': { type: 'slack', channel: 'C2' },
      'jira-payments': { type: 'jira', project: 'PAY', url: 'https://jira.example/', token_env: 'TEAM_A_TOKEN' },
      'github-payments': { type: 'github', repository: 'acme/pay', token_env: 'TEAM_A_TOKEN' },
      'teams-payments': { type: 'teams', url_env: 'TEAM_A_FLOW' },
      'hook-payments': { type: 'webhook', url: 'https://hook.example', secret_env: 'HOOK_SECRET' },
      'file-payments': { type: 'file', folder: '/var/reports' },
      'pd-payments': { type: 'pagerduty', token_env: 'TEAM_A_TOKEN' },
      'old-slack': { type: 'slack-webhook', url_env: 'TEAM_A_FLOW' },
    });
    expect(names.slice(0, 3)).toEqual(['file', 'slack', 'slack-payments']);
    expect(names).toHaveLength(10);
  });

  test('the check of a named one carries its name', async () => {
    const named = NamedDestinations.parse({ 'teams-payments': { type: 'teams', url_env: 'TEAM_A_FLOW' } });
    const destination = createDestinations(settings, { named, read }).at(-1);
    expect(await destination?.check(new AbortController().signal)).toMatchObject({ name: 'teams-payments' });
  });

  test('a secret that is not there, and a name that is taken, are told by name', () => {
    expect(() => create({ flow: { type: 'teams', url_env: 'NOT_SET' } })).toThrow(
      new NamedDestinationError('flow', ['NOT_SET is needed and not set']),
    );
    expect(() => create({ repo: { type: 'github', repository: 'acme/x' } })).toThrow(
      /destination repo: token_env or GITHUB_ISSUES_TOKEN is needed and not set/,
    );
    expect(() => create({ slack: { type: 'slack', channel: 'C2' } })).toThrow(/one of this name; choose another/);
  });

  test('all that an entry lacks is told', () => {
    expect(() => create({ pay: { type: 'jira', project: 'PAY' } })).toThrow(
      new NamedDestinationError('pay', [
        'url or JIRA_URL is needed and not set',
        'token_env or JIRA_TOKEN is needed and not set',
      ]),
    );
  });

  test('a token of the settings is not sent to another server', () => {
    const all = parseConfig({ GITHUB_ISSUES_TOKEN: 'g', GITHUB_ISSUES_REPOSITORY: 'a/b', PAGERDUTY_API_TOKEN: 'p' });
    const tryOut = (entry: object) => () =>
      createDestinations(all, { named: NamedDestinations.parse({ other: entry }), read });
    expect(tryOut({ type: 'github', repository: 'a/c' })).not.toThrow();
    expect(tryOut({ type: 'github', repository: 'a/c', api_url: 'https://git.other.example' })).toThrow(
      'destination other: token_env is needed and not set',
    );
    expect(tryOut({ type: 'pagerduty', api_url: 'https://pd.other.example' })).toThrow(/token_env is needed/);
  });

  test.each([
    [{ type: 'teams', url_env: 'TEAM_A_TOKEN' }, 'TEAM_A_TOKEN must be a URL that starts with http:// or https://'],
    [
      { type: 'webhook', url: 'https://h.example', secret_env: 'TEAM_A_TOKEN' },
      'TEAM_A_TOKEN must have the form whsec_',
    ],
    [{ type: 'github', repository: 'a/b', token_env: 'LINE_END' }, 'LINE_END must be one word'],
    [{ type: 'teams', url_env: 'CUT_FLOW' }, 'CUT_FLOW ends before its signature'],
    [{ type: 'slack-webhook', url_env: 'OLD_HOOK' }, 'OLD_HOOK must be an incoming webhook'],
    [{ type: 'slack', channel: 'C2', token_env: 'PLACEHOLDER' }, 'PLACEHOLDER is not set yet'],
  ])('%j: the variable is named, its value is not shown', (entry, problem) => {
    expect(() => create({ x: entry })).toThrow(problem);
    expect(() => create({ x: entry })).not.toThrow(/team-a-token/);
  });

  test.each([
    [{ x: { type: 'jira', project: 'OPS" OR 1' } }],
    [{ x: { type: 'teams', url_env: 'https://flows.example/secret' } }],
    [{ x: { type: 'slack', channel: 'C1', tocken_env: 'X' } }],
    [{ 'X y': { type: 'file', folder: '/x' } }],
    [{ x: { type: 'pager' } }],
    [{ x: { type: 'slack', channel: '#ops' } }],
  ])('%j is refused', (input) => {
    expect(NamedDestinations.safeParse(input).success).toBe(false);
  });

  test('secrets that are referred to are known to redaction', () => {
    const named = NamedDestinations.parse({
      a: { type: 'github', repository: 'acme/x', token_env: 'TEAM_A_TOKEN' },
      b: { type: 'teams', url_env: 'TEAM_A_FLOW' },
      c: { type: 'webhook', url: 'https://hook.example', secret_env: 'HOOK_SECRET' },
    });
    expect(secretsOfNamed(Object.values(named), read)).toEqual(
      expect.arrayContaining(['team-a-token', '/workflows/secret-path', `whsec_${'b'.repeat(32)}`]),
    );
  });
});
