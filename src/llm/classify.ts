import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from '@anthropic-ai/sdk';
import type { ModelError, ModelErrorKind, TokenUsage } from '../agent/model.ts';
import { modelError } from './model-error.ts';

const KIND_OF_TYPE: Readonly<Record<string, ModelErrorKind>> = {
  invalid_request_error: 'invalid_request',
  authentication_error: 'auth',
  billing_error: 'billing',
  permission_error: 'permission',
  not_found_error: 'unknown_model',
  request_too_large: 'overflow',
  rate_limit_error: 'rate_limited',
  timeout_error: 'timeout',
  api_error: 'server',
  overloaded_error: 'overloaded',
};

/** One failed attempt, with what the other side said about trying again. */
export interface AttemptFailure {
  readonly error: ModelError;
  /** The server asks not to come back earlier. */
  readonly retryAfterMs: number | undefined;
  /** The server says that trying again is pointless (an exhausted quota, for example). */
  readonly pointless: boolean;
}

/**
 * Sorts what the SDK threw. The SDK's own messages are not passed on: they hold the body of the answer. `usage` is what the
 * attempt had used until then.
 */
export function classify(error: unknown, usage: TokenUsage): AttemptFailure {
  const fail = (kind: ModelErrorKind, detail = ''): AttemptFailure => ({
    error: modelError(kind, usage, detail, error),
    retryAfterMs: error instanceof APIError ? retryAfterMs(error.headers) : undefined,
    pointless: error instanceof APIError && error.headers?.get('x-should-retry') === 'false',
  });
  if (error instanceof APIUserAbortError) return fail('aborted');
  if (error instanceof APIConnectionTimeoutError) return fail('timeout');
  if (error instanceof APIConnectionError) return fail('network', networkCode(error));
  if (error instanceof APIError) return fail(kindOf(error), detailOf(error));
  // A stream that ended early, a line that is no JSON, tool input that is no JSON: all plain errors of the SDK.
  return fail('malformed');
}

function kindOf(error: APIError): ModelErrorKind {
  // There is no type of its own for "the prompt is too long", so this one text is looked at.
  if (error.status === 413 || (error.status === 400 && /too long|context window/i.test(error.apiMessage ?? ''))) {
    return 'overflow';
  }
  const byType = error.type ? KIND_OF_TYPE[error.type] : undefined;
  return byType ?? kindOfStatus(error.status);
}

/** For answers of proxies, which know no `error.type`. */
function kindOfStatus(status: number | undefined): ModelErrorKind {
  if (status === undefined) return 'malformed';
  if (status === 401) return 'auth';
  if (status === 402) return 'billing';
  if (status === 403) return 'permission';
  if (status === 404) return 'unknown_model';
  if (status === 408) return 'timeout';
  if (status === 429) return 'rate_limited';
  if (status === 529) return 'overloaded';
  if (status === 409 || status >= 500) return 'server';
  return 'invalid_request';
}

function detailOf(error: APIError): string {
  return [error.status, error.type].filter(Boolean).join(' ');
}

/** `ECONNREFUSED`, `ENOTFOUND`, …: what fetch hides a cause or two below its own error. */
function networkCode(error: { readonly cause?: unknown }): string {
  let cause = error.cause as { readonly code?: unknown; readonly cause?: unknown } | undefined;
  for (let depth = 0; cause && depth < 5; depth++) {
    if (typeof cause.code === 'string') return cause.code;
    cause = cause.cause as typeof cause;
  }
  return '';
}

/** `retry-after-ms`, else `retry-after` in seconds or as an HTTP date (RFC 9110, 10.2.3). */
function retryAfterMs(headers: Headers | undefined): number | undefined {
  const ms = Number(headers?.get('retry-after-ms') ?? NaN);
  if (ms >= 0) return ms;
  const after = headers?.get('retry-after');
  if (!after) return undefined;
  const seconds = Number(after);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(after) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
