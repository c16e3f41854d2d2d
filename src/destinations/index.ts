import type { Destination } from '../domain/delivery.ts';
import { createFileDestination } from './file/file-destination.ts';
import { createGitHubDestination } from './github/github-destination.ts';
import { createJiraDestination } from './jira/jira-destination.ts';
import { createNamed, NamedDestinationError, type NamedDestinations, type ReadVariable } from './named.ts';
import { createPagerDutyDestination } from './pagerduty/pagerduty-destination.ts';
import type { DestinationSettings } from './settings.ts';
import { createIncomingWebhookDestination } from './slack/incoming-webhook.ts';
import { createSlackDestination } from './slack/slack-destination.ts';
import { createTeamsDestination } from './teams/teams-destination.ts';
import { createWebhookDestination } from './webhook/webhook-destination.ts';

export type { DestinationSettings } from './settings.ts';

/** Each from the settings, undefined where they say nothing of it. */
const makers: readonly ((settings: DestinationSettings) => Destination | undefined)[] = [
  file,
  slack,
  slackWebhook,
  pagerduty,
  jira,
  github,
  teams,
  webhook,
];

/** Those of a settings file, under names of their own. */
export interface FurtherDestinations {
  readonly named: NamedDestinations;
  readonly read: ReadVariable;
}

/**
 * Every destination that is configured. Files always: a report exists even where no chat is. Names are unique. Throws NamedDestinationError for
 * a further one whose name is taken, or that lacks a secret.
 */
export function createDestinations(
  settings: DestinationSettings,
  further: FurtherDestinations = { named: {}, read: () => undefined },
): readonly Destination[] {
  const usual = makers.map((make) => make(settings)).filter((destination) => destination !== undefined);
  const named = Object.entries(further.named).map(([name, entry]) => {
    if (usual.some((destination) => destination.name === name)) {
      throw new NamedDestinationError(name, ['the settings have one of this name; choose another']);
    }
    return createNamed(name, entry, settings, further.read);
  });
  return [...usual, ...named];
}

function file(settings: DestinationSettings): Destination {
  return createFileDestination(settings.REPORT_DIR ?? `${settings.STATE_DIR}/reports`, settings.REPORT_KEEP_DAYS);
}

function slack({ SLACK_BOT_TOKEN, SLACK_CHANNEL, SLACK_API_URL }: DestinationSettings): Destination | undefined {
  if (!SLACK_BOT_TOKEN || !SLACK_CHANNEL) return undefined;
  return createSlackDestination({ apiUrl: SLACK_API_URL, botToken: SLACK_BOT_TOKEN, channel: SLACK_CHANNEL });
}

/** Not beside the bot: both would post to the same people. */
function slackWebhook({ SLACK_WEBHOOK_URL, SLACK_BOT_TOKEN }: DestinationSettings): Destination | undefined {
  if (!SLACK_WEBHOOK_URL || SLACK_BOT_TOKEN) return undefined;
  return createIncomingWebhookDestination(SLACK_WEBHOOK_URL);
}

function pagerduty(settings: DestinationSettings): Destination | undefined {
  const { PAGERDUTY_API_TOKEN: token, PAGERDUTY_API_URL: apiUrl, PAGERDUTY_FROM: from } = settings;
  return token && settings.PAGERDUTY_NOTES ? createPagerDutyDestination({ apiUrl, token, from }) : undefined;
}

function jira(settings: DestinationSettings): Destination | undefined {
  const { JIRA_URL: url, JIRA_TOKEN: token, JIRA_PROJECT: project } = settings;
  if (!url || !token || !project) return undefined;
  return createJiraDestination({
    url,
    deployment: settings.JIRA_DEPLOYMENT,
    email: settings.JIRA_EMAIL,
    token,
    project,
    issueType: settings.JIRA_ISSUE_TYPE,
    labels: settings.JIRA_LABELS ?? [],
  });
}

function github(settings: DestinationSettings): Destination | undefined {
  const { GITHUB_ISSUES_TOKEN: token, GITHUB_ISSUES_REPOSITORY: repository, GITHUB_API_URL: apiUrl } = settings;
  return token && repository ? createGitHubDestination({ apiUrl, token, repository }) : undefined;
}

function teams({ TEAMS_WORKFLOW_URL: url }: DestinationSettings): Destination | undefined {
  return url ? createTeamsDestination({ url }) : undefined;
}

function webhook(settings: DestinationSettings): Destination | undefined {
  const { REPORT_WEBHOOK_URL: url, REPORT_WEBHOOK_SECRET: secret } = settings;
  if (!url || !secret) return undefined;
  return createWebhookDestination({ url, secret, allowPrivate: settings.REPORT_WEBHOOK_ALLOW_PRIVATE });
}
