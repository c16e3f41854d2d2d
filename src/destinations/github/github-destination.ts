import { z } from 'zod';
import type { DeliveryHandle, Destination } from '../../domain/delivery.ts';
import { clip } from '../../policy/untrusted.ts';
import { fitOutline } from '../fit-outline.ts';
import type { ApiAnswer, JsonApi } from '../json-api.ts';
import type { Outline } from '../outline.ts';
import { tellIncident, tellStorm, type FoundTicket, type TicketPost, type Tracker } from '../ticket.ts';
import { writeOutline } from '../write-outline.ts';
import { createGitHubApi, type GitHubAccess } from './api.ts';
import { checkGitHub } from './check.ts';
import { markdown } from './markdown.ts';

/** GitHub answers 422 above 65,536 characters. Counted in bytes, which are never fewer. */
const MAX_BYTES = 65_000;
const MAX_TITLE = 250;
const LABEL = 'rootnote';
const PAGE = 100;
const MAX_PAGES = 10;

const Issue = z.looseObject({ number: z.number(), html_url: z.string().optional() });
const Comment = z.looseObject({ id: z.number() });
const Issues = z.array(Issue.extend({ created_at: z.string(), body: z.string().nullish() }));
const Comments = z.array(z.looseObject({ id: z.number(), body: z.string().nullish() }));

export interface GitHubOptions extends GitHubAccess {
  /** `owner/name` */
  readonly repository: string;
}

/**
 * An issue an incident; what comes later is commented on it. It is never closed: that is for people to decide. POST is not idempotent, and
 * GitHub's search lags behind, so a post of unknown outcome is looked for in the list of the youngest issues (or comments) by the comment
 * that ends its text.
 */
export function createGitHubDestination({ repository, ...access }: GitHubOptions): Destination {
  const api = createGitHubApi(access);
  const tracker = createTracker(api, `/repos/${repository}/issues`);
  return {
    name: 'github',
    tells: ['report', 'update', 'resolved'],
    deliver: (content, context) => tellIncident(tracker, content, context),
    deliverStorm: (storm, context) => tellStorm(tracker, storm, context),
    check: (signal) => checkGitHub(api, repository, signal),
  };
}

function createTracker(api: JsonApi, issues: string): Tracker {
  const commentsOf = ({ issue = '' }: DeliveryHandle) => `${issues}/${issue}/comments`;
  return {
    open: async (post, signal) => {
      // Without the right to push, GitHub leaves labels out and says nothing.
      const issue = { title: clip(post.title, MAX_TITLE), body: writeBody(post), labels: [LABEL] };
      const opened = await api.post(issues, issue, Issue, signal);
      return opened.ok ? { ...opened, body: handleOf(opened.body) } : opened;
    },
    comment: (ticket, post, signal) => api.post(commentsOf(ticket), { body: writeBody(post) }, Comment, signal),
    find: (post, sinceMs, signal) => findIssue(api, issues, post, sinceMs, signal),
    hasComment: (ticket, post, sinceMs, signal) => findComment(api, commentsOf(ticket), post, sinceMs, signal),
  };
}

function handleOf({ number, html_url: url }: z.infer<typeof Issue>): DeliveryHandle {
  return { issue: String(number), ...(url === undefined ? {} : { url }) };
}

function writeBody(post: TicketPost): string {
  const end = `\n\n${beginningOf(post)}${post.marker} -->`;
  const write = (outline: Outline) => writeOutline(outline, markdown);
  return `${fitOutline(post.outline, write, (text) => Buffer.byteLength(text) <= MAX_BYTES - end.length, post.from)}${end}`;
}

/** On a line of its own: neither a quotation nor data, which is one line and escaped, is taken for it. */
const beginningOf = ({ subjectId }: TicketPost): string => `<!-- rootnote ${subjectId} `;

/** The line of the body that says which subject and content it tells. */
function lineOfOurs(body: string | null | undefined, post: TicketPost): string | undefined {
  return body?.split(/\r?\n/).find((line) => line.startsWith(beginningOf(post)));
}

const isOwn = (line: string, { marker }: TicketPost) => line.endsWith(` ${marker} -->`);

/** Youngest first, back to `sinceMs`. Without our label in the query: GitHub may have left it out. */
async function findIssue(
  api: JsonApi,
  issues: string,
  post: TicketPost,
  sinceMs: number,
  signal: AbortSignal,
): Promise<ApiAnswer<FoundTicket | undefined>> {
  const query = `state=all&sort=created&direction=desc&per_page=${PAGE}`;
  for (let page = 1; page <= MAX_PAGES; page++) {
    const answer = await api.get(`${issues}?${query}&page=${page}`, Issues, signal);
    if (!answer.ok) return answer;
    for (const issue of answer.body) {
      const line = lineOfOurs(issue.body, post);
      if (line !== undefined) return { ...answer, body: { handle: handleOf(issue), isOwn: isOwn(line, post) } };
    }
    const isLast = answer.body.length < PAGE || answer.body.some((issue) => Date.parse(issue.created_at) < sinceMs);
    if (isLast) return { ...answer, body: undefined };
  }
  return tooMany('issues');
}

/** Oldest first, as GitHub lists them, from `sinceMs` on. */
async function findComment(
  api: JsonApi,
  comments: string,
  post: TicketPost,
  sinceMs: number,
  signal: AbortSignal,
): Promise<ApiAnswer<boolean>> {
  const query = `since=${new Date(sinceMs).toISOString()}&per_page=${PAGE}`;
  for (let page = 1; page <= MAX_PAGES; page++) {
    const answer = await api.get(`${comments}?${query}&page=${page}`, Comments, signal);
    if (!answer.ok) return answer;
    const lines = answer.body.flatMap(({ body }) => lineOfOurs(body, post) ?? []);
    const isFound = lines.some((line) => isOwn(line, post));
    if (isFound || answer.body.length < PAGE) return { ...answer, body: isFound };
  }
  return tooMany('comments');
}

/** Posting again could make a second one; where so much is written, a person sees what is missing. */
function tooMany(what: string): ApiAnswer<never> {
  const reason = `whether it was posted cannot be found out: more than ${MAX_PAGES * PAGE} ${what} since then`;
  return { ok: false, failure: { outcome: 'give-up', reason } };
}
