import { z } from 'zod';
import type { DeliveryContent, DeliveryContext, DeliveryResult, Destination } from '../../domain/delivery.ts';
import { parseJson, type ApiAnswer, type JsonApi } from '../json-api.ts';
import { createJiraApi, ErrorBody, type Deployment, type JiraAccess } from './api.ts';
import { checkJira } from './check.ts';
import { findComment, findIssue } from './find-issue.ts';
import { jiraText, summaryOf } from './jira-text.ts';

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
  readonly lookAgainAfterMs?: number;
}

interface Place {
  readonly project: string;
  readonly issueType: string;
  readonly labels: readonly string[];
  readonly deployment: Deployment;
  readonly url: string;
  readonly lookAgainAfterMs: number;
}

/**
 * An issue an incident; what comes later is commented on it. It is never moved on: that is for people to decide. POST is not idempotent, so
 * the marker is a label (and stands in the text), which is looked for before a post of unknown outcome is made again.
 */
export function createJiraDestination(options: JiraOptions): Destination {
  const { lookAgainAfterMs = LOOK_AGAIN_AFTER_MS, ...rest } = options;
  const api = createJiraApi(options);
  const place = { ...rest, lookAgainAfterMs };
  return {
    name: 'jira',
    tells: ['report', 'update', 'resolved'],
    deliver: (content, context) => deliver(api, place, content, context),
    check: (signal) => checkJira(api, options, signal),
  };
}

function deliver(
  api: JsonApi,
  place: Place,
  content: DeliveryContent,
  context: DeliveryContext,
): Promise<DeliveryResult> {
  const key = context.handle?.['key'];
  if (content.kind !== 'report' && key !== undefined) return comment(api, place, key, content, context);
  if (content.kind === 'resolved') {
    return Promise.resolve({
      outcome: 'give-up',
      reason: 'the report was not posted here, so there is no issue to comment on',
    });
  }
  return openIssue(api, place, content, context);
}

async function openIssue(
  api: JsonApi,
  place: Place,
  content: DeliveryContent,
  { marker, mayHavePosted, signal }: DeliveryContext,
): Promise<DeliveryResult> {
  if (mayHavePosted) {
    const found = await findIssue(api, place, marker, place.lookAgainAfterMs, signal);
    if (!found.ok) return found.failure;
    if (found.body !== undefined) return { outcome: 'ok', handle: handleOf(place, found.body) };
  }
  const fields = {
    project: { key: place.project },
    issuetype: { name: place.issueType },
    summary: summaryOf(content),
    description: jiraText(content, marker, place.deployment),
  };
  const labels = [LABEL, marker, ...place.labels];
  let posted = await api.post('/issue', { fields: { ...fields, labels } }, Created, signal);
  // Not on the project's create screen. The marker also stands in the description.
  if (refusesLabels(posted)) posted = await api.post('/issue', { fields }, Created, signal);
  return posted.ok ? { outcome: 'ok', handle: handleOf(place, posted.body.key) } : posted.failure;
}

function refusesLabels(answer: ApiAnswer<unknown>): boolean {
  if (answer.ok || answer.answer?.status !== 400) return false;
  const { errors = {} } = ErrorBody.safeParse(parseJson(answer.answer.body)).data ?? {};
  return 'labels' in errors;
}

function handleOf({ url }: Place, key: string): Readonly<Record<string, string>> {
  return { key, url: `${url}/browse/${key}` };
}

async function comment(
  api: JsonApi,
  place: Place,
  key: string,
  content: DeliveryContent,
  { marker, handle = {}, mayHavePosted, signal }: DeliveryContext,
): Promise<DeliveryResult> {
  const path = `/issue/${encodeURIComponent(key)}/comment`;
  if (mayHavePosted) {
    const found = await findComment(api, path, marker, signal);
    if (!found.ok) return found.failure;
    if (found.body) return { outcome: 'ok', handle };
  }
  const posted = await api.post(path, { body: jiraText(content, marker, place.deployment) }, Commented, signal);
  return posted.ok ? { outcome: 'ok', handle } : posted.failure;
}
