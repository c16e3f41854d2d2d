import type { CheckResult } from '../../domain/check-result.ts';
import { HttpRequestError, httpRequest, type HttpAnswer } from '../../platform/http-request.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import type { BackendAccess } from './access.ts';
import { BackendError, type BackendFailure } from './backend-error.ts';

/** Which server a provider asks, in the words of its messages. */
export interface BackendName {
  /** Of the provider: `loki`. */
  readonly provider: string;
  /** Of its settings: `LOKI`. */
  readonly prefix: string;
  /** As people call what it speaks: `a Loki API`. */
  readonly api: string;
  /** Where its URL has to end: `it ends before /loki/api/v1`. */
  readonly urlHint: string;
  /** Of what to ask for less when an answer is too large: `series`, `lines`. */
  readonly items: string;
  /** Ends of the settings that let in, where there are more than `BEARER_TOKEN` and `BASIC_AUTH`. */
  readonly credentials?: readonly string[];
}

export interface BackendRequest {
  /** Path and query, from the end of the configured URL on. */
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Backend {
  readonly name: BackendName;
  readonly access: BackendAccess;
  /** The answer, whatever its status. Throws `BackendError` when none came. `asked` is the question in words, for the message. */
  send(request: BackendRequest, asked: string, signal: AbortSignal): Promise<HttpAnswer>;
  /** Throws `BackendError` for what does not depend on the product: refused access and redirects. */
  refuse(answer: HttpAnswer, asked: string): void;
  /** The error for an answer that is no JSON of the product: a failing server, or a page of something else. */
  foreign(answer: HttpAnswer, asked: string): BackendError;
  error(failure: BackendFailure, asked: string, options?: ErrorOptions): BackendError;
}

/** Asks one server, with its deadline and size cap. Redirects are not followed: they would carry credentials elsewhere. */
export function createBackend(name: BackendName, access: BackendAccess): Backend {
  const { prefix } = name;
  const ownHeaders = requestHeaders(access);
  const error: Backend['error'] = (failure, asked, options) => new BackendError(name.provider, failure, asked, options);
  return {
    name,
    access,
    error,
    async send({ path, headers, ...request }, asked, signal) {
      const { timeoutMs, maxResponseBytes: maxBytes, ca } = access;
      const trusted = ca === undefined ? {} : { ca };
      const all = { ...headers, ...ownHeaders };
      const common = { url: `${access.url}${path}`, headers: all, timeoutMs, maxBytes, signal, ...trusted };
      try {
        return await httpRequest({ ...common, ...request });
      } catch (cause) {
        if (!(cause instanceof HttpRequestError)) throw cause;
        throw error(unanswered(name, cause), asked, { cause });
      }
    },
    refuse({ status, headers }, asked) {
      if (status === 401 || status === 403) {
        const keys = (name.credentials ?? ['BEARER_TOKEN', 'BASIC_AUTH']).map((key) => `${prefix}_${key}`);
        const remedy = `Set ${keys.join(' or ')} (and the tenant in ${prefix}_HEADERS).`;
        throw error({ problem: `Access was refused (HTTP ${status}).`, remedy, answered: false }, asked);
      }
      if (status < 300 || status >= 400) return;
      const target = clip(oneLine(headers.location ?? 'nowhere'), 200);
      const problem = `HTTP ${status} redirects to ${target}.`;
      const remedy = `Set ${prefix}_URL to the final address if that is ${name.api}; else it leads to something else (${name.urlHint}).`;
      throw error({ problem, remedy, answered: false }, asked);
    },
    foreign({ status, body }, asked) {
      if (status === 429 || status >= 500) {
        const problem = `The server failed (HTTP ${status}).`;
        return error({ problem, remedy: 'Look at its log.', answered: true }, asked);
      }
      const looks = /^\s*</.test(body) ? 'an HTML page' : 'no JSON of its kind';
      const problem = `This is not ${name.api} (HTTP ${status} with ${looks}).`;
      return error({ problem, remedy: `Check ${prefix}_URL: ${name.urlHint}.`, answered: false }, asked);
    },
  };
}

function requestHeaders(access: BackendAccess): Record<string, string> {
  const authorization = access.bearerToken
    ? `Bearer ${access.bearerToken}`
    : access.basicAuth && `Basic ${Buffer.from(access.basicAuth).toString('base64')}`;
  return { accept: 'application/json', ...access.headers, ...(authorization ? { authorization } : {}) };
}

function unanswered({ prefix, items }: BackendName, { failure, message, cause }: HttpRequestError): BackendFailure {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  const remedies = {
    timeout: `Raise ${prefix}_TIMEOUT_MS or ask for less.`,
    aborted: 'The time for the investigation ran out.',
    'too-large': `Raise ${prefix}_MAX_RESPONSE_BYTES or ask for fewer ${items}.`,
    'refused-address': `Check ${prefix}_URL.`,
    network:
      code === 'EPROTO'
        ? `Check ${prefix}_URL: the port may not speak TLS, so that it has to begin with http://.`
        : `Check ${prefix}_URL and the network (and ${prefix}_CA_FILE for TLS).`,
  };
  const timedOut = failure === 'timeout';
  return {
    // Most begin with the name of the host, which keeps its letters.
    problem: `${message.replace(/^the /, 'The ')}.`,
    remedy: remedies[failure],
    answered: timedOut || failure === 'too-large',
    timedOut,
  };
}

/** The line of `rootnote doctor` for a server whose check threw. */
export function failedCheck({ provider, prefix }: BackendName, error: unknown): CheckResult {
  if (error instanceof BackendError)
    return { name: provider, status: 'fail', value: error.problem, remedy: error.remedy };
  const value = error instanceof Error ? error.message : String(error);
  return { name: provider, status: 'fail', value, remedy: `Check ${prefix}_URL.` };
}

/** The value, or undefined when the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
