import { createGitHubDestination } from '../../src/destinations/github/github-destination.ts';
import { createJiraDestination } from '../../src/destinations/jira/jira-destination.ts';
import { createPagerDutyDestination } from '../../src/destinations/pagerduty/pagerduty-destination.ts';
import { createTeamsDestination } from '../../src/destinations/teams/teams-destination.ts';
import type { Destination } from '../../src/domain/delivery.ts';
import type { Incident } from '../../src/domain/incident.ts';
import { seeMarkdown } from './github/see.ts';
import { startGitHub } from './github/server.ts';
import { seeJira, startJira } from './jira/server.ts';
import { seeNote, startPagerDuty } from './pagerduty/server.ts';
import type { Seen } from './stand-in/words.ts';
import { seeCard, startTeams } from './teams/server.ts';
import { createSlackDestination } from '../../src/destinations/slack/slack-destination.ts';
import { startSlackApi } from './slack-api.ts';
import { effectsOf, seenText } from './slack-text.ts';

/** A destination, and its newest post as a person sees it. */
export interface Place {
  readonly destination: Destination;
  readonly incident: Partial<Incident>;
  /** Of the report, when it is another text than the newest post. */
  readonly title?: () => string | undefined;
  newest(): Seen;
  close(): Promise<void>;
}

async function pagerduty(): Promise<Place> {
  const server = await startPagerDuty();
  return {
    destination: createPagerDutyDestination({ apiUrl: server.url, token: server.token, from: server.userEmail }),
    incident: { source: 'pagerduty', labels: { pagerduty_incident: server.incidentId } },
    newest: () => seeNote(server.notes.at(-1) ?? { id: '', content: '' }),
    close: () => server.close(),
  };
}

const jira = (deployment: 'cloud' | 'datacenter') => async (): Promise<Place> => {
  const server = await startJira(deployment);
  const email = deployment === 'cloud' ? server.email : undefined;
  const place = { project: server.project, issueType: 'Task', labels: [], lookAgainAfterMs: 1 };
  const issue = () => server.issues.at(-1);
  return {
    destination: createJiraDestination({ url: server.url, deployment, email, token: server.token, ...place }),
    incident: {},
    title: () => issue()?.summary,
    newest: () => seeJira(issue()?.comments.at(-1)?.body ?? issue()?.description),
    close: () => server.close(),
  };
};

async function github(): Promise<Place> {
  const server = await startGitHub();
  const { url: apiUrl, token, repository } = server;
  return {
    destination: createGitHubDestination({ apiUrl, token, repository }),
    incident: {},
    title: () => server.issues.at(-1)?.title,
    newest: () => seeMarkdown(server.comments.at(-1)?.body ?? server.issues.at(-1)?.body ?? ''),
    close: () => server.close(),
  };
}

async function slack(): Promise<Place> {
  const api = await startSlackApi();
  const told = () => api.messages.filter(({ files }) => files === undefined);
  return {
    destination: createSlackDestination({ apiUrl: api.apiUrl, botToken: api.token, channel: api.channel }),
    incident: {},
    newest: () => {
      const effects = told().map(effectsOf);
      return {
        text: told().map(seenText).join('\n'),
        links: effects.flatMap(({ links }) => links.map(({ address }) => address)),
        acts: effects.flatMap(({ pings, emoji }) => [...pings, ...emoji]),
      };
    },
    close: () => api.close(),
  };
}

/** All that was told so far, replies included. */
export const slackPlace = ['slack', slack] as const;

async function teams(): Promise<Place> {
  const server = await startTeams();
  return {
    destination: createTeamsDestination({ url: server.workflowUrl }),
    incident: {},
    newest: () => seeCard(server.cards.at(-1) ?? { type: '', version: '', body: [] }),
    close: () => server.close(),
  };
}

export const places = [
  ['pagerduty', pagerduty],
  ['jira cloud', jira('cloud')],
  ['jira data center', jira('datacenter')],
  ['github', github],
  ['teams', teams],
] as const;
