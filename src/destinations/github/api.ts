import { z } from 'zod';
import type { HttpAnswer } from '../../platform/http-request.ts';
import { classifyAnswer } from '../classify.ts';
import { createJsonApi, parseJson, saidBy, type Failure, type JsonApi } from '../json-api.ts';

/** GitHub asks for at least a minute's rest where it names no time. */
const REST_MS = 60_000;
const LONGEST_REST_MS = 3_600_000;

const ErrorBody = z.looseObject({ message: z.string().optional() });

export interface GitHubAccess {
  readonly apiUrl: string;
  readonly token: string;
}

export function createGitHubApi({ apiUrl, token }: GitHubAccess): JsonApi {
  return createJsonApi({
    name: 'GitHub',
    baseUrl: apiUrl,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
      'user-agent': 'rootnote',
    },
    explain: explainGitHub,
  });
}

const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'GitHub does not take GITHUB_ISSUES_TOKEN; set it to a valid one',
  403: 'GITHUB_ISSUES_TOKEN may not write here: it needs Issues: read and write on the repository, and the issue must not be locked',
  404: 'there is no such repository or issue, or GITHUB_ISSUES_TOKEN cannot see it: check GITHUB_ISSUES_REPOSITORY and the token’s repositories',
  410: 'issues are disabled in the repository, or the issue was deleted; enable issues or change GITHUB_ISSUES_REPOSITORY',
};
const MOVED = 'the repository or issue has moved; set GITHUB_ISSUES_REPOSITORY to its new name';

/** 403 means two things at GitHub: not allowed, and too fast. */
function explainGitHub(answer: HttpAnswer): Failure {
  const { status } = answer;
  const said = saidBy(ErrorBody.safeParse(parseJson(answer.body)).data?.message);
  const verdict = classifyAnswer(answer, Date.now());
  if (status === 429 || (status === 403 && isRateLimit(answer, said))) {
    const afterMs = waitMs(answer);
    return { outcome: 'retry', reason: `HTTP ${status}: GitHub’s rate limit${said}`, afterMs, posted: 'no' };
  }
  if (verdict.outcome === 'retry') return { ...verdict, reason: `HTTP ${status}${said}` };
  const why = status >= 300 && status < 400 ? MOVED : BY_STATUS[status];
  return { outcome: 'give-up', reason: `HTTP ${status}${why ? `: ${why}` : ''}${said}` };
}

function isRateLimit({ headers }: HttpAnswer, said: string): boolean {
  return (
    headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0' || /rate limit|abuse/i.test(said)
  );
}

/** `Retry-After` first; with no requests left, the moment at which there are again (epoch seconds); else a minute. */
function waitMs(answer: HttpAnswer): number {
  const asked = classifyAnswer({ ...answer, status: 429 }, Date.now());
  if (asked.outcome === 'retry' && asked.afterMs !== undefined) return asked.afterMs;
  const resetMs = Number(answer.headers['x-ratelimit-reset'] ?? NaN) * 1000 - Date.now();
  const isSpent = answer.headers['x-ratelimit-remaining'] === '0' && Number.isFinite(resetMs);
  return isSpent ? Math.min(Math.max(resetMs, 1000), LONGEST_REST_MS) : REST_MS;
}
