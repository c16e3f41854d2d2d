import { z } from 'zod';
import {
  isPlaceholder,
  isSlackChannel,
  NOT_SET_YET,
  SLACK_CHANNEL_FORM,
  slackWebhook,
  teams,
  type Doubt,
} from '../config/doubts.ts';
import { secretsInUrl } from '../config/load-config.ts';
import { githubRepository, jiraProject, signingSecrets } from '../config/settings/destinations.ts';
import { token, url } from '../config/settings/kinds.ts';
import type { Destination } from '../domain/delivery.ts';
import { secretVariable } from '../platform/settings-file.ts';
import { parseInWords } from '../policy/explain-issues.ts';
import { createFileDestination } from './file/file-destination.ts';
import { createGitHubDestination } from './github/github-destination.ts';
import { createJiraDestination } from './jira/jira-destination.ts';
import { createPagerDutyDestination } from './pagerduty/pagerduty-destination.ts';
import type { DestinationSettings } from './settings.ts';
import { createIncomingWebhookDestination } from './slack/incoming-webhook.ts';
import { createSlackDestination } from './slack/slack-destination.ts';
import { createTeamsDestination } from './teams/teams-destination.ts';
import { createWebhookDestination } from './webhook/webhook-destination.ts';

const word = z.string().regex(/^\S+$/, 'must be one word');
/** Judged as the settings of the same kind are; what a proxy may be meant by is taken. */
const ownToken = token.refine((text) => !isPlaceholder(text), NOT_SET_YET);
const slackHook = judgedUrl((address) => slackWebhook({ SLACK_WEBHOOK_URL: address }));
const teamsWorkflow = judgedUrl((address) => teams({ TEAMS_WORKFLOW_URL: address }));

function judgedUrl(judge: (address: string) => readonly Doubt[]) {
  return url.superRefine((address, context) => {
    if (isPlaceholder(address)) return context.addIssue({ code: 'custom', message: NOT_SET_YET });
    for (const { message } of judge(address).filter(({ isFatal }) => isFatal))
      context.addIssue({ code: 'custom', message });
  });
}

/** One entry of `destinations:`. Secrets stand in environment variables, of which the entry gives the name; what is left out is as in the settings. */
export const NamedDestination = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('file'), folder: z.string().min(1) }),
  z.strictObject({
    type: z.literal('slack'),
    channel: z.string().refine(isSlackChannel, SLACK_CHANNEL_FORM),
    token_env: secretVariable.optional(),
  }),
  z.strictObject({ type: z.literal('slack-webhook'), url_env: secretVariable }),
  z.strictObject({ type: z.literal('teams'), url_env: secretVariable }),
  z.strictObject({
    type: z.literal('webhook'),
    url: url,
    secret_env: secretVariable,
    allow_private: z.boolean().default(false),
  }),
  z.strictObject({
    type: z.literal('pagerduty'),
    token_env: secretVariable.optional(),
    from: z.email('must be the e-mail address of a PagerDuty user').optional(),
    api_url: url.optional(),
  }),
  z.strictObject({
    type: z.literal('jira'),
    project: jiraProject,
    issue_type: z.string().min(1).optional(),
    labels: z.array(word).optional(),
    url: url.optional(),
    deployment: z.enum(['cloud', 'datacenter']).optional(),
    email: z.email().optional(),
    token_env: secretVariable.optional(),
  }),
  z.strictObject({
    type: z.literal('github'),
    repository: githubRepository,
    token_env: secretVariable.optional(),
    api_url: url.optional(),
  }),
]);
export type NamedDestination = z.infer<typeof NamedDestination>;

/** Under the names that routes use. A name becomes part of queue names and of labels of metrics. */
export const NamedDestinations = z.record(
  z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, 'must be 1 to 40 small letters, digits or -'),
  NamedDestination,
);
export type NamedDestinations = z.infer<typeof NamedDestinations>;

/** Value of an environment variable; undefined when unset or empty. */
export type ReadVariable = (name: string) => string | undefined;

/** A named destination cannot be made. Each problem says what is missing, never a value. */
export class NamedDestinationError extends Error {
  override readonly name = 'NamedDestinationError';
  readonly problems: readonly string[];

  constructor(destination: string, problems: readonly string[]) {
    super(problems.map((problem) => `destination ${destination}: ${problem}`).join('\n'));
    this.problems = problems;
  }
}

/** Throws NamedDestinationError, with all that is missing, when a secret or setting that it needs is not there, or cannot be one. */
export function createNamed(
  name: string,
  entry: NamedDestination,
  settings: DestinationSettings,
  read: ReadVariable,
): Destination {
  const problems: string[] = [];
  const need: Need = (value, what) => {
    if (!value) problems.push(`${what} is needed and not set`);
    return value ?? '';
  };
  const withSecret: WithSecret = (variableName, shape, make, usual) => {
    const what = variableName ?? usual?.what ?? 'token_env';
    const value = variableName === undefined ? usual?.value : read(variableName);
    const parsed = parseInWords(shape, need(value, what));
    if ('data' in parsed) return make(parsed.data);
    if (value) problems.push(...parsed.mistakes.map(({ message }) => `${what} ${message}`));
    return undefined;
  };
  const destination = create(entry, settings, withSecret, need);
  if (destination === undefined || problems.length > 0) throw new NamedDestinationError(name, problems);
  return underName(name, destination);
}

/** Both note what is missing, and the reading goes on: all of it is told at once. */
type Need = (value: string | undefined, what: string) => string;
type WithSecret = <T>(
  variableName: string | undefined,
  shape: z.ZodType<T>,
  make: (secret: T) => Destination,
  /** What stands in for it. Absent where the entry leads to another server: a token is not sent to a place it was not made for. */
  usual?: { readonly value: string | undefined; readonly what: string },
) => Destination | undefined;

/** Undefined without its secret. */
function create(
  entry: NamedDestination,
  settings: DestinationSettings,
  withSecret: WithSecret,
  need: Need,
): Destination | undefined {
  switch (entry.type) {
    case 'file':
      return createFileDestination(entry.folder, settings.REPORT_KEEP_DAYS);
    case 'slack': {
      const place = { apiUrl: settings.SLACK_API_URL, channel: entry.channel };
      const make = (botToken: string) => createSlackDestination({ ...place, botToken });
      const usual = { value: settings.SLACK_BOT_TOKEN, what: 'token_env or SLACK_BOT_TOKEN' };
      return withSecret(entry.token_env, ownToken, make, usual);
    }
    case 'slack-webhook':
      return withSecret(entry.url_env, slackHook, createIncomingWebhookDestination);
    case 'teams':
      return withSecret(entry.url_env, teamsWorkflow, (address) => createTeamsDestination({ url: address }));
    case 'webhook': {
      const place = { url: entry.url, allowPrivate: entry.allow_private };
      return withSecret(entry.secret_env, signingSecrets, (secret) => createWebhookDestination({ ...place, secret }));
    }
    case 'pagerduty':
      return pagerduty(entry, settings, withSecret);
    case 'jira':
      return jira(entry, settings, withSecret, need);
    case 'github': {
      const place = { apiUrl: entry.api_url ?? settings.GITHUB_API_URL, repository: entry.repository };
      const make = (given: string) => createGitHubDestination({ ...place, token: given });
      const usual = { value: settings.GITHUB_ISSUES_TOKEN, what: 'token_env or GITHUB_ISSUES_TOKEN' };
      return withSecret(entry.token_env, ownToken, make, entry.api_url === undefined ? usual : undefined);
    }
  }
}

type Entry<T extends NamedDestination['type']> = Extract<NamedDestination, { readonly type: T }>;

function pagerduty(entry: Entry<'pagerduty'>, settings: DestinationSettings, withSecret: WithSecret) {
  const place = {
    apiUrl: entry.api_url ?? settings.PAGERDUTY_API_URL,
    from: entry.from ?? (entry.token_env === undefined ? settings.PAGERDUTY_FROM : undefined),
  };
  const make = (given: string) => createPagerDutyDestination({ ...place, token: given });
  const usual = { value: settings.PAGERDUTY_API_TOKEN, what: 'token_env or PAGERDUTY_API_TOKEN' };
  return withSecret(entry.token_env, ownToken, make, entry.api_url === undefined ? usual : undefined);
}

function jira(entry: Entry<'jira'>, settings: DestinationSettings, withSecret: WithSecret, need: Need) {
  const place = {
    url: need(entry.url ?? settings.JIRA_URL, 'url or JIRA_URL'),
    deployment: entry.deployment ?? settings.JIRA_DEPLOYMENT,
    email: entry.email ?? (entry.token_env === undefined ? settings.JIRA_EMAIL : undefined),
    project: entry.project,
    issueType: entry.issue_type ?? settings.JIRA_ISSUE_TYPE,
    labels: entry.labels ?? settings.JIRA_LABELS ?? [],
  };
  const make = (given: string) => createJiraDestination({ ...place, token: given });
  const usual = { value: settings.JIRA_TOKEN, what: 'token_env or JIRA_TOKEN' };
  return withSecret(entry.token_env, ownToken, make, entry.url === undefined ? usual : undefined);
}

function underName(name: string, destination: Destination): Destination {
  return { ...destination, name, check: async (signal) => ({ ...(await destination.check(signal)), name }) };
}

/** Secrets that entries refer to, for exact-value redaction. */
export function secretsOfNamed(entries: readonly NamedDestination[], read: ReadVariable): readonly string[] {
  return entries.flatMap((entry) => {
    const names = [
      'token_env' in entry ? entry.token_env : undefined,
      'url_env' in entry ? entry.url_env : undefined,
      'secret_env' in entry ? entry.secret_env : undefined,
    ];
    const values = names.flatMap((name) => (name === undefined ? [] : (read(name) ?? [])));
    return values.flatMap((value) => [value, ...value.split(','), ...secretsInUrl(value, true)]);
  });
}
