import type { z } from 'zod';
import type { DeliveryResult } from '../domain/delivery.ts';
import { httpRequest, type HttpAnswer } from '../platform/http-request.ts';
import { clip, oneLine } from '../policy/untrusted.ts';
import { classifyFailure } from './classify.ts';

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 8_388_608;
const SHOWN = 200;

export type Failure = Exclude<DeliveryResult, { outcome: 'ok' }>;
export type ApiAnswer<T> =
  | { readonly ok: true; readonly body: T; readonly headers: HttpAnswer['headers'] }
  /** `answer` is absent when there was none, or none of the API. */
  | { readonly ok: false; readonly failure: Failure; readonly answer?: HttpAnswer };

export interface JsonApi {
  get<T>(path: string, shape: z.ZodType<T>, signal: AbortSignal): Promise<ApiAnswer<T>>;
  /** Not repeated here: whoever calls knows whether a second one would be a second post. */
  post<T>(path: string, body: object, shape: z.ZodType<T>, signal: AbortSignal): Promise<ApiAnswer<T>>;
}

export interface JsonApiOptions {
  readonly name: string;
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What an answer outside 2xx means, in words that say what to do. */
  readonly explain: (answer: HttpAnswer) => Failure;
}

/** A JSON API with bounded requests that follows no redirects. Nothing is thrown for what the other side does. */
export function createJsonApi({ name, baseUrl, headers, explain }: JsonApiOptions): JsonApi {
  const call = async <T>(
    method: 'GET' | 'POST',
    path: string,
    body: object | undefined,
    shape: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<ApiAnswer<T>> => {
    try {
      const answer = await httpRequest({
        url: `${baseUrl}${path}`,
        method,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_ANSWER_BYTES,
        signal,
      });
      if (answer.status < 200 || answer.status >= 300) return { ok: false, failure: explain(answer), answer };
      const parsed = shape.safeParse(parseJson(answer.body));
      if (parsed.success) return { ok: true, body: parsed.data, headers: answer.headers };
      // A proxy's page or a cut answer: the request may have been carried out.
      return { ok: false, failure: { outcome: 'retry', reason: `${name} gave an answer that is not one of its API` } };
    } catch (error) {
      const failure = classifyFailure(error);
      if (failure.outcome === 'ok') throw error;
      return { ok: false, failure };
    }
  };
  return {
    get: (path, shape, signal) => call('GET', path, undefined, shape, signal),
    post: (path, body, shape, signal) => call('POST', path, body, shape, signal),
  };
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a server says of an error, fit for a reason: one line, short. */
export function saidBy(message: string | undefined): string {
  const said = clip(oneLine(message ?? ''), SHOWN);
  return said === '' ? '' : ` (“${said}”)`;
}
