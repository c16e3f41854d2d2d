import { z } from 'zod';
import type {
  DeliveryContent,
  DeliveryContext,
  DeliveryHandle,
  DeliveryResult,
  Destination,
} from '../../domain/delivery.ts';
import { clip } from '../../policy/untrusted.ts';
import { AT_A_GLANCE, fitOutline } from '../fit-outline.ts';
import type { ApiAnswer, JsonApi } from '../json-api.ts';
import { outlineOf, subjectOf } from '../outline.ts';
import { writeOutline } from '../write-outline.ts';
import { createGitHubApi, type GitHubAccess } from './api.ts';
import { checkGitHub } from './check.ts';
import { markdown } from './markdown.ts';

/** GitHub answers 422 above 65,536 characters. Counted in bytes, which are never fewer. */
const MAX_BYTES = 65_000;
const MAX_TITLE = 250;
const LABEL = 'rootnote';
/** Clocks differ; a post is looked for from a little before the report was written. */
const CLOCK_SKEW_MS = 300_000;
const PAGE = 100;
const MAX_PAGES = 10;

const Issue = z.looseObject({ number: z.number(), html_url: z.string().optional() });
const Comment = z.looseObject({ id: z.number() });
const Issues = z.array(z.looseObject({ number: z.number(), created_at: z.string(), body: z.string().nullish() }));
const Comments = z.array(z.looseObject({ id: z.number(), body: z.string().nullish() }));

export interface GitHubOptions extends GitHubAccess {
  /** `owner/name` */
  readonly repository: string;
}

/**
 * An issue an incident; what comes later is commented on it. It is never closed: that is for people to decide. POST is not idempotent, and
 * GitHub's search lags behind, so a post of unknown outcome is looked for in the list of the youngest issues (or comments) by its marker, the
 * comment that ends its text.
 */
export function createGitHubDestination({ repository, ...access }: GitHubOptions): Destination {
  const api = createGitHubApi(access);
  const path = `/repos/${repository}`;
  return {
    name: 'github',
    tells: ['report', 'update', 'resolved'],
    deliver: (content, context) => deliver(api, path, content, context),
    check: (signal) => checkGitHub(api, repository, signal),
  };
}

function deliver(
  api: JsonApi,
  path: string,
  content: DeliveryContent,
  context: DeliveryContext,
): Promise<DeliveryResult> {
  const issue = context.handle?.['issue'];
  if (content.kind !== 'report' && issue !== undefined) return comment(api, path, issue, content, context);
  if (content.kind === 'resolved') {
    return Promise.resolve({
      outcome: 'give-up',
      reason: 'the report was not posted here, so there is no issue to comment on',
    });
  }
  return openIssue(api, path, content, context);
}

async function openIssue(
  api: JsonApi,
  path: string,
  content: DeliveryContent,
  { marker, mayHavePosted, signal }: DeliveryContext,
): Promise<DeliveryResult> {
  if (mayHavePosted) {
    const since = Date.parse(content.report.generatedAt) - CLOCK_SKEW_MS;
    const found = await findIssue(api, path, marker, since, signal);
    if (!found.ok) return found.failure;
    if (found.body !== undefined) return { outcome: 'ok', handle: handleOf(found.body) };
  }
  const issue = {
    title: clip(subjectOf(content.report), MAX_TITLE),
    body: writeIssue(content, marker),
    // Without the right to push, GitHub leaves labels out and says nothing.
    labels: [LABEL],
  };
  const posted = await api.post(`${path}/issues`, issue, Issue, signal);
  return posted.ok ? { outcome: 'ok', handle: handleOf(posted.body) } : posted.failure;
}

function handleOf({ number, html_url: url }: z.infer<typeof Issue>): DeliveryHandle {
  return { issue: String(number), ...(url === undefined ? {} : { url }) };
}

async function comment(
  api: JsonApi,
  path: string,
  issue: string,
  content: DeliveryContent,
  { marker, handle = {}, mayHavePosted, signal }: DeliveryContext,
): Promise<DeliveryResult> {
  const comments = `${path}/issues/${issue}/comments`;
  if (mayHavePosted) {
    const since = Date.parse(content.report.generatedAt) - CLOCK_SKEW_MS;
    const found = await findComment(api, comments, marker, since, signal);
    if (!found.ok) return found.failure;
    if (found.body) return { outcome: 'ok', handle };
  }
  const posted = await api.post(comments, { body: writeIssue(content, marker, AT_A_GLANCE) }, Comment, signal);
  return posted.ok ? { outcome: 'ok', handle } : posted.failure;
}

export function writeIssue(content: DeliveryContent, marker: string, from = 0): string {
  const end = `\n\n${endOf(marker)}`;
  const write = (outline: Parameters<typeof writeOutline>[0]) => writeOutline(outline, markdown);
  return `${fitOutline(outlineOf(content), write, (text) => Buffer.byteLength(text) <= MAX_BYTES - end.length, from)}${end}`;
}

/** On a line of its own: neither a quotation nor data, which is one line and escaped, is taken for it. */
const endOf = (marker: string): string => `<!-- rootnote ${marker} -->`;

function isMarked(body: string | null | undefined, marker: string): boolean {
  return body?.split(/\r?\n/).includes(endOf(marker)) === true;
}

/** Youngest first, back to `sinceMs`. Without our label in the query: GitHub may have left it out. */
async function findIssue(
  api: JsonApi,
  path: string,
  marker: string,
  sinceMs: number,
  signal: AbortSignal,
): Promise<ApiAnswer<z.infer<typeof Issue> | undefined>> {
  const query = `state=all&sort=created&direction=desc&per_page=${PAGE}`;
  for (let page = 1; page <= MAX_PAGES; page++) {
    const answer = await api.get(`${path}/issues?${query}&page=${page}`, Issues, signal);
    if (!answer.ok) return answer;
    const found = answer.body.find(({ body }) => isMarked(body, marker));
    const isLast = answer.body.length < PAGE || answer.body.some((issue) => Date.parse(issue.created_at) < sinceMs);
    if (found !== undefined || isLast) return { ...answer, body: found };
  }
  return tooMany('issues');
}

/** Oldest first, as GitHub lists them, from `sinceMs` on. */
async function findComment(
  api: JsonApi,
  comments: string,
  marker: string,
  sinceMs: number,
  signal: AbortSignal,
): Promise<ApiAnswer<boolean>> {
  const query = `since=${new Date(sinceMs).toISOString()}&per_page=${PAGE}`;
  for (let page = 1; page <= MAX_PAGES; page++) {
    const answer = await api.get(`${comments}?${query}&page=${page}`, Comments, signal);
    if (!answer.ok) return answer;
    const isFound = answer.body.some(({ body }) => isMarked(body, marker));
    if (isFound || answer.body.length < PAGE) return { ...answer, body: isFound };
  }
  return tooMany('comments');
}

/** Posting again could make a second one; where so much is written, a person sees what is missing. */
function tooMany(what: string): ApiAnswer<never> {
  const reason = `whether it was posted cannot be found out: more than ${MAX_PAGES * PAGE} ${what} since then`;
  return { ok: false, failure: { outcome: 'give-up', reason } };
}
