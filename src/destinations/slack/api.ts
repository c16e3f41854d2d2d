import { z } from 'zod';
import type { DeliveryResult } from '../../domain/delivery.ts';
import { httpRequest } from '../../platform/http-request.ts';
import { classifyAnswer, classifyFailure } from '../classify.ts';

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 8_388_608;

/** Slack answers most errors with HTTP 200 and `ok: false`. */
const Envelope = z.looseObject({ ok: z.boolean(), error: z.string().optional() });

export type SlackFailure = Exclude<DeliveryResult, { outcome: 'ok' }>;
export type SlackAnswer<T> =
  | { readonly ok: true; readonly body: T; readonly scopes: readonly string[] }
  | { readonly ok: false; readonly error: string; readonly failure: SlackFailure };

export interface SlackApi {
  /** Methods that write, as JSON. */
  post<T>(method: string, body: object, shape: z.ZodType<T>, signal: AbortSignal): Promise<SlackAnswer<T>>;
  /** Methods that read, as a form: most of them take no JSON. */
  read<T>(
    method: string,
    parameters: Readonly<Record<string, string>>,
    shape: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<SlackAnswer<T>>;
}

/** Errors that pass by themselves; every other one needs a person. `ratelimited` and `service_unavailable` posted nothing. */
const TRANSIENT: Readonly<Record<string, 'no' | 'maybe'>> = {
  ratelimited: 'no',
  rate_limited: 'no',
  service_unavailable: 'no',
  internal_error: 'maybe',
  fatal_error: 'maybe',
  request_timeout: 'maybe',
};

const NEW_TOKEN = 'give it the bot token of an app that is installed in the workspace (SLACK_BOT_TOKEN)';
/** What a person has to do about it. */
const REMEDIES: Readonly<Record<string, string>> = {
  invalid_auth: NEW_TOKEN,
  not_authed: NEW_TOKEN,
  token_revoked: NEW_TOKEN,
  token_expired: NEW_TOKEN,
  account_inactive: NEW_TOKEN,
  missing_scope: 'add the scope chat:write to the app, and install it again',
  not_in_channel: 'invite the app to the channel',
  channel_not_found: 'set the id of a channel that the app was invited to (SLACK_CHANNEL)',
  is_archived: 'set another channel (SLACK_CHANNEL)',
};

export function createSlackApi(apiUrl: string, token: string): SlackApi {
  const call = async <T>(
    method: string,
    contentType: string,
    body: string,
    shape: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<SlackAnswer<T>> => {
    try {
      const answer = await httpRequest({
        url: `${apiUrl}/${method}`,
        method: 'POST',
        headers: { 'content-type': contentType, authorization: `Bearer ${token}` },
        body,
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_ANSWER_BYTES,
        signal,
      });
      const verdict = classifyAnswer(answer, Date.now());
      if (verdict.outcome !== 'ok') return { ok: false, error: `HTTP ${answer.status}`, failure: verdict };
      const envelope = Envelope.safeParse(parseJson(answer.body));
      if (!envelope.success) return unreadable(method);
      if (!envelope.data.ok) return refused(envelope.data.error ?? 'unknown error');
      const parsed = shape.safeParse(envelope.data);
      const scopes = String(answer.headers['x-oauth-scopes'] ?? '');
      return parsed.success ? { ok: true, body: parsed.data, scopes: scopes.split(/[ ,]+/) } : unreadable(method);
    } catch (error) {
      const failure = classifyFailure(error);
      if (failure.outcome === 'ok') throw error;
      return { ok: false, error: failure.reason, failure };
    }
  };
  return {
    post: (method, body, shape, signal) =>
      call(method, 'application/json; charset=utf-8', JSON.stringify(body), shape, signal),
    read: (method, parameters, shape, signal) =>
      call(method, 'application/x-www-form-urlencoded', new URLSearchParams(parameters).toString(), shape, signal),
  };
}

function refused<T>(error: string): SlackAnswer<T> {
  const remedy = Object.hasOwn(REMEDIES, error) ? `; ${REMEDIES[error] ?? ''}` : '';
  const reason = `Slack says ${error}${remedy}`;
  const posted = TRANSIENT[error];
  if (posted === undefined) return { ok: false, error, failure: { outcome: 'give-up', reason } };
  return { ok: false, error, failure: { outcome: 'retry', reason, ...(posted === 'no' ? { posted } : {}) } };
}

/** A proxy's page or a cut answer: the request may have been carried out. */
function unreadable<T>(method: string): SlackAnswer<T> {
  const reason = `the answer of ${method} is not one of Slack`;
  return { ok: false, error: reason, failure: { outcome: 'retry', reason } };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
