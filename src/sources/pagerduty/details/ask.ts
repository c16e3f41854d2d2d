import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { httpRequest, HttpRequestError, type HttpAnswer } from '../../../platform/http-request.ts';
import { PAGERDUTY_PROBLEMS, pagerDutyHeaders, untilReset } from '../../../platform/pagerduty-api.ts';

export interface PagerDutyAccess {
  readonly apiUrl: string;
  readonly token: string;
}

/** What was asked for, or why it could not be read, in words for a report. */
export type Asked<T> = { readonly value: T } | { readonly problem: string };

const ATTEMPTS = 3;
const REQUEST_TIMEOUT_MS = 4000;
const MAX_BYTES = 4_194_304;
const FIRST_WAIT_MS = 500;
/** Of no use to an investigation that wants to begin. */
const LONGEST_WAIT_MS = 4000;
const PROBLEMS: Readonly<Record<number, string>> = {
  ...PAGERDUTY_PROBLEMS,
  403: 'PAGERDUTY_API_TOKEN may not read it',
};

/**
 * One GET of PagerDuty's REST API. Asks again after 429, 5xx and broken connections, as long as what the server asks to wait fits. Never rejects:
 * when `signal` aborts, that is a problem like any other.
 */
export async function ask<T>(
  path: string,
  shape: z.ZodType<T>,
  { apiUrl, token }: PagerDutyAccess,
  signal: AbortSignal,
): Promise<Asked<T>> {
  const headers = pagerDutyHeaders(token);
  let problem = '';
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const answer = await tryOnce({ url: `${apiUrl}${path}`, headers, signal });
    if (answer instanceof HttpRequestError) problem = answer.message;
    else if (answer.status === 200) return read(answer.body, shape);
    else problem = PROBLEMS[answer.status] ?? `PagerDuty answered HTTP ${answer.status}`;
    const waitMs = waitBefore(answer, attempt);
    if (waitMs === undefined || attempt === ATTEMPTS || !(await waited(waitMs, signal))) break;
  }
  return { problem };
}

function tryOnce(request: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}): Promise<HttpAnswer | HttpRequestError> {
  return httpRequest({ ...request, timeoutMs: REQUEST_TIMEOUT_MS, maxBytes: MAX_BYTES }).catch((error: unknown) => {
    if (error instanceof HttpRequestError) return error;
    throw error;
  });
}

function read<T>(body: string, shape: z.ZodType<T>): Asked<T> {
  try {
    const parsed = shape.safeParse(JSON.parse(body));
    if (parsed.success) return { value: parsed.data };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { problem: 'the answer is not one of the PagerDuty API (PAGERDUTY_API_URL)' };
}

/** How long to wait before asking again; undefined when there is no use in that. */
function waitBefore(answer: HttpAnswer | HttpRequestError, attempt: number): number | undefined {
  const backOffMs = FIRST_WAIT_MS * 2 ** (attempt - 1);
  if (answer instanceof HttpRequestError) return answer.failure === 'network' ? backOffMs : undefined;
  if (answer.status !== 429 && answer.status < 500) return undefined;
  // `Retry-After` by the book; `ratelimit-reset` is what PagerDuty documents.
  const retryAfter = answer.headers['retry-after'];
  const askedMs = retryAfter === undefined ? untilReset(answer) : Number(retryAfter) * 1000;
  const waitMs = Math.max(backOffMs, askedMs !== undefined && Number.isFinite(askedMs) ? askedMs : 0);
  return waitMs <= LONGEST_WAIT_MS ? waitMs : undefined;
}

/** False when `signal` aborts first. */
async function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}
