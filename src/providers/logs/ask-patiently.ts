import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import type { HttpAnswer } from '../../platform/http-request.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import { parseJson, type Backend, type BackendRequest } from '../backend/ask-backend.ts';

const MOST_TRIES = 4;
const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 5000;

/** The answer. When the server has too much to do (429, 503) it is asked again after the time it names, a few times. Throws `BackendError`. */
export async function askPatiently(
  backend: Backend,
  request: BackendRequest,
  asked: string,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await backend.send(request, asked, signal);
    const isBusy = answer.status === 429 || answer.status === 503;
    if (!isBusy || attempt >= MOST_TRIES) return answer;
    const namedMs = Number(answer.headers['retry-after']) * 1000;
    const waitMs = Math.min(LONGEST_WAIT_MS, namedMs || FIRST_WAIT_MS * 2 ** (attempt - 1));
    // An aborted wait is told by the next request, with the question.
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Throws for an answer that is no success, with what the server says; a page of HTML is none of its own. `said` reads the reason. */
export function refuseFailure(
  backend: Backend,
  answer: HttpAnswer,
  asked: string,
  said: (body: string) => string = (body) => body,
): void {
  backend.refuse(answer, asked);
  const { status, body } = answer;
  if (status < 300) return;
  const reason = clip(oneLine(said(body)).trim(), 400);
  if (/^\s*</.test(body) || reason === '' || isNoPage(status, body)) throw backend.foreign(answer, asked);
  const { items } = backend.name;
  const remedy =
    status === 429 || status >= 500
      ? `Ask for fewer ${items}, or look at the log of the server.`
      : 'Correct the query, or the settings it is made from.';
  throw backend.error({ problem: `${reason} (HTTP ${status}).`, remedy, answered: true }, asked);
}

/** A successful answer as what it has to be. Throws `BackendError` for any other. `said` reads the reason of a refusal. */
export function readAnswer<T>(
  backend: Backend,
  schema: z.ZodType<T>,
  answer: HttpAnswer,
  asked: string,
  said?: (body: string) => string,
): T {
  refuseFailure(backend, answer, asked, said);
  const parsed = schema.safeParse(parseJson(answer.body));
  if (!parsed.success) throw backend.foreign(answer, asked);
  return parsed.data;
}

/** What web servers say of a path that they do not know. */
function isNoPage(status: number, body: string): boolean {
  return (
    (status === 404 || status === 405) &&
    /^\s*(?:404 page not found|not found|cannot (?:get|post)\b|method not allowed)/i.test(body)
  );
}
