import type { DeliveryResult } from '../domain/delivery.ts';
import { HttpRequestError, type HttpAnswer } from '../platform/http-request.ts';

const LONGEST_RETRY_AFTER_MS = 3_600_000;
const TRANSIENT_4XX = new Set([408, 425, 429]);
/** The connection was never made, so nothing can have arrived. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/**
 * What an HTTP status means for a delivery, for all destinations: 2xx done; 408, 425, 429 and 5xx come again, not before `Retry-After`;
 * the rest needs a person. Redirects are not followed: they could lead a signed report anywhere.
 */
export function classifyAnswer(answer: HttpAnswer, nowMs: number): DeliveryResult {
  const { status } = answer;
  if (status >= 200 && status < 300) return { outcome: 'ok' };
  const reason = `HTTP ${status}`;
  if (status >= 500 || TRANSIENT_4XX.has(status)) {
    const afterMs = retryAfterMs(answer, nowMs);
    return {
      outcome: 'retry',
      reason,
      ...(afterMs === undefined ? {} : { afterMs }),
      ...(status < 500 ? { posted: 'no' } : {}),
    };
  }
  return { outcome: 'give-up', reason: status < 400 ? `${reason}: redirects are not followed` : reason };
}

/** What a request without a complete answer means. */
export function classifyFailure(error: unknown): DeliveryResult {
  if (!(error instanceof HttpRequestError)) throw error;
  if (error.failure === 'refused-address') return { outcome: 'give-up', reason: error.message };
  const neverConnected = error.failure === 'network' && NOT_CONNECTED.has(codeOf(error.cause) ?? '');
  return { outcome: 'retry', reason: error.message, ...(neverConnected ? { posted: 'no' } : {}) };
}

/** Of Node's system errors. */
function codeOf(cause: unknown): string | undefined {
  const code = cause !== null && typeof cause === 'object' && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** `Retry-After` (RFC 9110 §10.2.3) as milliseconds from now, from seconds or a date; at most an hour. */
export function retryAfterMs(answer: HttpAnswer, nowMs: number): number | undefined {
  const header = answer.headers['retry-after'];
  if (header === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS) : undefined;
}
