import { z } from 'zod';
import type { DeliveryHandle, Destination } from '../../domain/delivery.ts';
import { parseJson, type ApiAnswer, type JsonApi } from '../json-api.ts';
import { tellIncident, tellStorm, type TicketPost, type Tracker } from '../ticket.ts';
import { createJiraApi, ErrorBody, type JiraAccess } from './api.ts';
import { checkJira } from './check.ts';
import { findComment, findIssue } from './find-issue.ts';
import { jiraSummary, jiraText } from './jira-text.ts';

const LABEL = 'rootnote';
const LOOK_AGAIN_AFTER_MS = 8000;

const Created = z.looseObject({ key: z.string() });
const Commented = z.looseObject({ id: z.string() });

export interface JiraOptions extends JiraAccess {
  /** Key, such as `OPS`. */
  readonly project: string;
  readonly issueType: string;
  /** Beside our own; without blanks. */
  readonly labels: readonly string[];
  /** Jira's search shows what was written only after a while. */
  readonly lookAgainAfterMs?: number;
}

/**
 * An issue an incident; what comes later is commented on it. It is never moved on: that is for people to decide. POST is not idempotent, so
 * the incident's id and the marker are labels (and stand in the text), which are looked for before a post of unknown outcome is made again.
 */
export function createJiraDestination(options: JiraOptions): Destination {
  const api = createJiraApi(options);
  const tracker = createTracker(api, options);
  return {
    name: 'jira',
    tells: ['report', 'update', 'resolved'],
    deliver: (content, context) => tellIncident(tracker, content, context),
    deliverStorm: (storm, context) => tellStorm(tracker, storm, context),
    check: (signal) => checkJira(api, options, signal),
  };
}

function createTracker(api: JsonApi, options: JiraOptions): Tracker {
  const { url, deployment, project, lookAgainAfterMs = LOOK_AGAIN_AFTER_MS } = options;
  const handleOf = (key: string): DeliveryHandle => ({ key, url: `${url}/browse/${key}` });
  const commentsOf = ({ key = '' }: DeliveryHandle) => `/issue/${encodeURIComponent(key)}/comment`;
  return {
    open: async (post, signal) => {
      const opened = await openIssue(api, options, post, signal);
      return opened.ok ? { ...opened, body: handleOf(opened.body.key) } : opened;
    },
    comment: (ticket, post, signal) =>
      api.post(commentsOf(ticket), { body: jiraText(post, deployment) }, Commented, signal),
    find: async (post, _sinceMs, signal) => {
      const found = await findIssue(api, { deployment, project }, post, lookAgainAfterMs, signal);
      if (!found.ok || found.body === undefined) return { ...found, body: undefined };
      return { ...found, body: { handle: handleOf(found.body.key), isOwn: found.body.isOwn } };
    },
    hasComment: (ticket, post, _sinceMs, signal) => findComment(api, commentsOf(ticket), post.marker, signal),
  };
}

async function openIssue(
  api: JsonApi,
  { project, issueType, labels, deployment }: JiraOptions,
  post: TicketPost,
  signal: AbortSignal,
): Promise<ApiAnswer<z.infer<typeof Created>>> {
  const fields = {
    project: { key: project },
    issuetype: { name: issueType },
    summary: jiraSummary(post),
    description: jiraText(post, deployment),
  };
  const ours = [LABEL, post.subjectId, post.marker];
  const opened = await api.post('/issue', { fields: { ...fields, labels: [...ours, ...labels] } }, Created, signal);
  // Not on the project's create screen. What the labels say stands in the description, too.
  return refusesLabels(opened) ? api.post('/issue', { fields }, Created, signal) : opened;
}

function refusesLabels(answer: ApiAnswer<unknown>): boolean {
  if (answer.ok || answer.answer?.status !== 400) return false;
  const { errors = {} } = ErrorBody.safeParse(parseJson(answer.answer.body)).data ?? {};
  return 'labels' in errors;
}
