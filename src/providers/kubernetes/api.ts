import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { HttpRequestError, httpRequest, type HttpAnswer } from '../../platform/http-request.ts';
import { whyUnreadable } from '../../platform/settings-file.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import { parseJson } from '../backend/ask-backend.ts';
import type { KubernetesAccess } from './access.ts';
import { brokenConnection, KubernetesError, refusal, retryAfterMs, statusOf, userIn, type Right } from './api-error.ts';

/** One request and the right that it takes, for the message when that is missing. */
export interface Question {
  /** Path and query, from the end of the server's address on. */
  readonly path: string;
  readonly accept?: string;
  /** Sent with POST. Only reviews of our own rights have one: nothing else is ever written. */
  readonly review?: unknown;
  readonly right?: Right;
}

export interface KubernetesApi {
  readonly access: KubernetesAccess;
  /** The body of a successful answer. Throws `KubernetesError`. */
  ask(question: Question, signal: AbortSignal): Promise<string>;
  /** The same, as the JSON that it is. */
  read(question: Question, signal: AbortSignal): Promise<JsonAnswer>;
  /** The same, of a list: JSON without one is the answer of something else, and not that there is nothing. */
  readList(question: Question, signal: AbortSignal): Promise<JsonAnswer>;
}

export interface JsonAnswer {
  readonly value: unknown;
  readonly characters: number;
}

export interface ApiLimits {
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
}

/** Requests to one server that says it has too many are sent so often. */
const MOST_ATTEMPTS = 4;
const RECOVERY_MS = 300;
/** No server is waited for longer than this at once. */
const LONGEST_WAIT_MS = 30_000;
const MOST_WORDS = 300;
/** Where every Kubernetes says what it is. */
export const VERSION_PATH = '/version';

/**
 * Client of the API: one request with deadline and size cap, follows no redirects, waits as long as the server asks for under load (priority and fairness), and
 * reads the token anew before every request, for Kubernetes replaces it.
 */
export function createKubernetesApi(access: KubernetesAccess, limits: ApiLimits): KubernetesApi {
  /** A token may have been replaced between reading and using it. */
  const sendAuthorized = async (question: Question, signal: AbortSignal): Promise<HttpAnswer> => {
    const authorization = await authorizationOf(access, question);
    const answer = await sendOnce(access, limits, question, authorization, signal);
    if (answer.status !== 401) return answer;
    const renewed = await authorizationOf(access, question);
    return renewed === authorization ? answer : sendOnce(access, limits, question, renewed, signal);
  };

  const ask = async (question: Question, signal: AbortSignal): Promise<string> => {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await sendAuthorized(question, signal);
      if (answer.status >= 200 && answer.status < 300) return answer.body;
      // One that fails once, as while etcd elects its leader, has mostly recovered a moment later.
      const waitMs = retryAfterMs(answer) ?? (answer.status >= 500 && attempt === 1 ? RECOVERY_MS : undefined);
      if (waitMs === undefined || waitMs > LONGEST_WAIT_MS || attempt === MOST_ATTEMPTS)
        throw explain(answer, question, access);
      await wait(waitMs, undefined, { signal }).catch((cause: unknown) => {
        const problem = 'The server is busy and asked to wait.';
        const remedy = 'The time for the investigation ran out meanwhile.';
        throw new KubernetesError({ problem, remedy, answered: true }, askedIn(question), { cause });
      });
    }
  };

  const readJson = async (question: Question, isMeant: (value: object) => boolean, signal: AbortSignal) => {
    const body = await ask(question, signal);
    const value = parseJson(body);
    if (typeof value === 'object' && value !== null && isMeant(value)) return { value, characters: body.length };
    throw notKubernetes(200, body, question);
  };

  return {
    access,
    ask,
    read: (question, signal) => readJson(question, () => true, signal),
    readList: (question, signal) => readJson(question, isList, signal),
  };
}

/** Some servers say `null` for nothing. */
function isList(value: object): boolean {
  const { kind, items } = value as { readonly kind?: unknown; readonly items?: unknown };
  return Array.isArray(items) || (!items && typeof kind === 'string' && kind.endsWith('List'));
}

async function sendOnce(
  access: KubernetesAccess,
  { timeoutMs, maxResponseBytes: maxBytes }: ApiLimits,
  question: Question,
  authorization: string | undefined,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const { path, accept = 'application/json', review } = question;
  const headers = { accept, ...(authorization === undefined ? {} : { authorization }) };
  const posted = review === undefined ? {} : ({ method: 'POST', body: JSON.stringify(review) } as const);
  const typed = review === undefined ? headers : { ...headers, 'content-type': 'application/json' };
  const url = `${access.server}${path}`;
  const request = () => httpRequest({ url, timeoutMs, maxBytes, signal, ...access.tls, ...posted, headers: typed });
  try {
    // A server that restarts resets the connections that were kept for later.
    return await request().catch((error: unknown) => (wasReset(error) ? request() : Promise.reject(error)));
  } catch (cause) {
    if (!(cause instanceof HttpRequestError)) throw cause;
    throw brokenConnection(cause, askedIn(question));
  }
}

function wasReset(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
  return error instanceof HttpRequestError && error.failure === 'network' && code === 'ECONNRESET';
}

async function authorizationOf({ credential }: KubernetesAccess, question: Question): Promise<string | undefined> {
  if (credential.kind === 'none') return undefined;
  if (credential.kind === 'token') return `Bearer ${credential.token}`;
  if (credential.kind === 'basic') {
    const pair = `${credential.user}:${credential.password}`;
    return `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  try {
    return `Bearer ${(await readFile(credential.file, 'utf8')).trim()}`;
  } catch (cause) {
    const problem = `The token file ${credential.file} ${whyUnreadable(cause)}.`;
    const remedy = 'Mount the service account token, or set KUBERNETES_KUBECONFIG.';
    throw new KubernetesError({ problem, remedy, answered: false }, askedIn(question), { cause });
  }
}

function askedIn({ path, review }: Question): string {
  return `${review === undefined ? 'GET' : 'POST'} ${clip(path, MOST_WORDS)}`;
}

/** The error for an answer that is no success. */
function explain(answer: HttpAnswer, question: Question, access: KubernetesAccess): KubernetesError {
  const status = statusOf(answer);
  const asked = askedIn(question);
  const code = answer.status;
  const said = { status: code, continueToken: status?.metadata?.continue, user: userIn(status) };
  // Who is not known hears the same whatever is asked.
  if (code === 401 || code === 403)
    return new KubernetesError(refusal(code, status, question.right, access), code === 401 ? '' : asked, said);
  if (code >= 300 && code < 400) {
    const target = clip(oneLine(answer.headers.location ?? 'nowhere'), 200);
    const remedy = 'Name the final address of the API server: credentials are not sent elsewhere.';
    return new KubernetesError(
      { problem: `HTTP ${code} redirects to ${target}.`, remedy, answered: false },
      asked,
      said,
    );
  }
  // Of a group of kinds that it does not have a real one says so as plain text; its version it always has.
  const mayBeMissing = code === 404 && question.path !== VERSION_PATH;
  if (status === undefined && code < 500 && !mayBeMissing && code !== 429)
    return notKubernetes(code, answer.body, question);
  const words = status?.message ? `: ${clip(oneLine(status.message), MOST_WORDS)}` : '';
  const busy = code === 429;
  const problem = busy ? 'The server has too many requests (HTTP 429).' : `The server answered HTTP ${code}${words}.`;
  const remedy = busy
    ? 'Look at its priority and fairness, or ask for less.'
    : code >= 500
      ? 'Look at the log of the API server.'
      : 'Check what is asked.';
  return new KubernetesError({ problem, remedy, answered: true }, asked, said);
}

function notKubernetes(code: number, body: string, question: Question): KubernetesError {
  const looks = /^\s*</.test(body) ? 'an HTML page' : 'no JSON of its kind';
  const problem = `This is not a Kubernetes API (HTTP ${code} with ${looks}).`;
  const remedy = 'Check the server in the kubeconfig.';
  return new KubernetesError({ problem, remedy, answered: false }, askedIn(question), { status: code });
}
