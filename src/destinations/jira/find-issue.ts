import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { ApiAnswer, JsonApi } from '../json-api.ts';
import type { TicketPost } from '../ticket.ts';
import type { Deployment } from './api.ts';

const PAGE = 100;
const MAX_PAGES = 10;
/** Search lags behind what was written, as a rule by seconds. */
const LOOKS = 2;

const Found = z.looseObject({
  issues: z.array(
    z.looseObject({
      key: z.string(),
      fields: z.looseObject({ labels: z.array(z.string()).nullish(), description: z.unknown() }),
    }),
  ),
});
const Comments = z.looseObject({
  comments: z.array(z.looseObject({ id: z.string(), body: z.unknown() })),
  total: z.number().optional(),
});

/** The issue that carries the subject as a label or in its description; looked for twice, `pauseMs` apart. `isOwn`: it carries the marker, too. */
export async function findIssue(
  api: JsonApi,
  { deployment, project }: { readonly deployment: Deployment; readonly project: string },
  { subjectId, marker }: Pick<TicketPost, 'subjectId' | 'marker'>,
  pauseMs: number,
  signal: AbortSignal,
): Promise<ApiAnswer<{ readonly key: string; readonly isOwn: boolean } | undefined>> {
  const path = deployment === 'cloud' ? '/search/jql' : '/search';
  const isOurs = `labels = "${subjectId}" OR description ~ "\\"${subjectId}\\""`;
  const jql = `project = "${project}" AND (${isOurs}) ORDER BY created DESC`;
  const query = { jql, maxResults: 10, fields: ['labels', 'description'] };
  for (let look = 1; ; look++) {
    const answer = await api.post(path, query, Found, signal);
    if (!answer.ok) return answer;
    const issue = answer.body.issues.find((candidate) => carries(candidate, subjectId));
    if (issue !== undefined) return { ...answer, body: { key: issue.key, isOwn: carries(issue, marker) } };
    if (look === LOOKS) return { ...answer, body: undefined };
    await sleep(pauseMs, undefined, { signal });
  }
}

/** Search finds more than the words asked for. */
function carries({ fields }: z.infer<typeof Found>['issues'][number], word: string): boolean {
  const isWord = new RegExp(`(?<![\\w-])${word}(?![\\w-])`);
  return fields.labels?.includes(word) === true || isWord.test(JSON.stringify(fields.description ?? ''));
}

/** Whether a comment of the issue carries the marker, youngest first. The list is read from Jira's own store and does not lag. */
export async function findComment(
  api: JsonApi,
  path: string,
  marker: string,
  signal: AbortSignal,
): Promise<ApiAnswer<boolean>> {
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = `orderBy=-created&maxResults=${PAGE}&startAt=${page * PAGE}`;
    const answer = await api.get(`${path}?${query}`, Comments, signal);
    if (!answer.ok) return answer;
    const { comments, total = 0 } = answer.body;
    const isFound = comments.some(({ body }) => JSON.stringify(body).includes(marker));
    if (isFound || comments.length === 0 || (page + 1) * PAGE >= total) return { ...answer, body: isFound };
  }
  const reason = 'whether it was posted cannot be found out: the issue has too many comments';
  return { ok: false, failure: { outcome: 'give-up', reason } };
}
