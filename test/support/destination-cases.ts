import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { createFileDestination } from '../../src/destinations/file/file-destination.ts';
import { createGitHubDestination } from '../../src/destinations/github/github-destination.ts';
import { createJiraDestination } from '../../src/destinations/jira/jira-destination.ts';
import { createPagerDutyDestination } from '../../src/destinations/pagerduty/pagerduty-destination.ts';
import { createIncomingWebhookDestination } from '../../src/destinations/slack/incoming-webhook.ts';
import { createSlackDestination } from '../../src/destinations/slack/slack-destination.ts';
import { createTeamsDestination } from '../../src/destinations/teams/teams-destination.ts';
import { createWebhookDestination } from '../../src/destinations/webhook/webhook-destination.ts';
import type { DeliveryContext, Destination, Turns } from '../../src/domain/delivery.ts';
import type { Incident } from '../../src/domain/incident.ts';
import { PAGERDUTY_INCIDENT_LABEL } from '../../src/domain/pagerduty.ts';
import { startGitHub } from './github/server.ts';
import { startJira } from './jira/server.ts';
import { startPagerDuty } from './pagerduty/server.ts';
import { startSlackApi, type SlackApiServer } from './slack-api.ts';
import type { StandIn } from './stand-in/server.ts';
import { startTeams } from './teams/server.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

/** A destination with its other side on loopback. */
export interface DestinationCase {
  readonly destination: Destination;
  /** What an incident has that is told there. */
  readonly incident: Partial<Incident>;
  /** Posts of reports a reader sees, repeats dropped where the other side drops them. */
  visibleReports(): Promise<number>;
  /** Requests so far. */
  requests(): number;
  /** The next attempts are answered so. Absent where nobody answers. */
  readonly answer?: (...statuses: (number | 'lost')[]) => void;
  /** Retry-After of 7 s on the next answer. */
  readonly askToWait?: () => void;
  /** False: a post of unknown outcome cannot be found again. */
  readonly findsItsPosts: boolean;
  /** What may stand in no reason and no check. */
  readonly secrets: readonly string[];
  close(): Promise<void>;
}

/** A place that takes whatever comes. */
const alwaysFree: Turns = { take: () => Promise.resolve(0), pause: () => Promise.resolve() };

export const context = (overrides: Partial<DeliveryContext> = {}): DeliveryContext => ({
  marker: 'rn-0123456789abcdef',
  handle: undefined,
  mayHavePosted: false,
  turns: alwaysFree,
  signal: new AbortController().signal,
  ...overrides,
});

function answerSlack(api: SlackApiServer, method: string, statuses: readonly (number | 'lost')[]): void {
  for (const status of statuses) {
    api.fail(method, status === 'lost' ? { kind: 'close-after-accepting' } : { kind: 'status', status });
  }
}

async function slackBot(): Promise<DestinationCase> {
  const api = await startSlackApi();
  const options = { apiUrl: api.apiUrl, botToken: api.token, channel: api.channel };
  return {
    destination: createSlackDestination(options),
    incident: {},
    visibleReports: () => Promise.resolve(api.roots().length),
    requests: () => api.calls.length,
    answer: (...statuses) => answerSlack(api, 'chat.postMessage', statuses),
    askToWait: () => api.fail('chat.postMessage', { kind: 'status', status: 429, retryAfterSeconds: 7 }),
    findsItsPosts: true,
    secrets: [api.token],
    close: () => api.close(),
  };
}

async function slackWebhook(): Promise<DestinationCase> {
  const api = await startSlackApi();
  return {
    destination: createIncomingWebhookDestination(api.webhookUrl),
    incident: {},
    visibleReports: () => Promise.resolve(api.roots().length),
    requests: () => api.calls.length,
    answer: (...statuses) => answerSlack(api, 'webhook', statuses),
    askToWait: () => api.fail('webhook', { kind: 'status', status: 429, retryAfterSeconds: 7 }),
    findsItsPosts: false,
    secrets: [new URL(api.webhookUrl).pathname],
    close: () => api.close(),
  };
}

async function webhook(): Promise<DestinationCase> {
  const receiver = await startWebhookReceiver();
  return {
    destination: createWebhookDestination({ url: receiver.url, secret: receiver.secret, allowPrivate: true }),
    incident: {},
    visibleReports: () => {
      expect(receiver.requests.every((request) => request.isSigned)).toBe(true);
      return Promise.resolve(receiver.visible().length);
    },
    requests: () => receiver.requests.length,
    answer: (...statuses) => receiver.answerWith(...statuses.map((s) => (s === 'lost' ? ('close' as const) : s))),
    askToWait: () => receiver.answerWith({ status: 429, headers: { 'retry-after': '7' } }),
    findsItsPosts: true,
    secrets: [receiver.secret],
    close: () => receiver.close(),
  };
}

async function file(): Promise<DestinationCase> {
  const folder = await mkdtemp(join(tmpdir(), 'rn-reports-'));
  return {
    destination: createFileDestination(join(folder, 'deep', 'reports')),
    incident: {},
    visibleReports: async () => (await readdir(join(folder, 'deep', 'reports'))).length,
    requests: () => 0,
    findsItsPosts: true,
    secrets: [],
    close: () => rm(folder, { recursive: true }),
  };
}

/** What all cases have in common whose other side is a stand-in. */
function ofStandIn(server: StandIn) {
  return {
    incident: {},
    requests: () => server.calls.length,
    answer: (...statuses: (number | 'lost')[]) =>
      server.fail(
        ...statuses.map((status) => (status === 'lost' ? { kind: status } : { kind: 'answer' as const, status })),
      ),
    askToWait: () => server.fail({ kind: 'answer', status: 429, headers: { 'retry-after': '7' } }),
    findsItsPosts: true,
    close: () => server.close(),
  };
}

async function pagerduty(): Promise<DestinationCase> {
  const server = await startPagerDuty();
  return {
    ...ofStandIn(server),
    destination: createPagerDutyDestination({ apiUrl: server.url, token: server.token, from: server.userEmail }),
    incident: { source: 'pagerduty', labels: { [PAGERDUTY_INCIDENT_LABEL]: server.incidentId } },
    visibleReports: () => Promise.resolve(server.notes.length),
    secrets: [server.token],
  };
}

const jira = (deployment: 'cloud' | 'datacenter') => async (): Promise<DestinationCase> => {
  const server = await startJira(deployment);
  const email = deployment === 'cloud' ? server.email : undefined;
  const place = { project: server.project, issueType: 'Task', labels: ['on-call'], lookAgainAfterMs: 1 };
  return {
    ...ofStandIn(server),
    destination: createJiraDestination({ url: server.url, deployment, email, token: server.token, ...place }),
    visibleReports: () => Promise.resolve(server.issues.length),
    secrets: [server.token, Buffer.from(`${server.email}:${server.token}`).toString('base64')],
  };
};

async function github(): Promise<DestinationCase> {
  const server = await startGitHub();
  const { url: apiUrl, token, repository } = server;
  return {
    ...ofStandIn(server),
    destination: createGitHubDestination({ apiUrl, token, repository }),
    visibleReports: () => Promise.resolve(server.issues.length),
    secrets: [token],
  };
}

async function teams(): Promise<DestinationCase> {
  const server = await startTeams();
  return {
    ...ofStandIn(server),
    destination: createTeamsDestination({ url: server.workflowUrl }),
    visibleReports: () => Promise.resolve(server.cards.length),
    findsItsPosts: false,
    secrets: ['test-signature', new URL(server.workflowUrl).pathname],
  };
}

export const destinationCases: readonly (readonly [
  title: string,
  name: string,
  open: () => Promise<DestinationCase>,
])[] = [
  ['file', 'file', file],
  ['slack', 'slack', slackBot],
  ['slack-webhook', 'slack-webhook', slackWebhook],
  ['pagerduty', 'pagerduty', pagerduty],
  ['jira cloud', 'jira', jira('cloud')],
  ['jira data center', 'jira', jira('datacenter')],
  ['github', 'github', github],
  ['teams', 'teams', teams],
  ['webhook', 'webhook', webhook],
];
