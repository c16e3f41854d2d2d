import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { CheckResult } from '../../domain/check-result.ts';
import type { DeliveryContext, DeliveryResult, Destination } from '../../domain/delivery.ts';
import { httpRequest } from '../../platform/http-request.ts';
import { isPublicAddress } from '../../platform/public-address.ts';
import { classifyAnswer, classifyFailure } from '../classify.ts';
import { payloadOf, stormPayloadOf, type WebhookPayload } from './payload.ts';
import { signWebhook } from './sign.ts';

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 65_536;
const GONE = 'HTTP 410: the receiver wants no more reports; take REPORT_WEBHOOK_URL out, or set it to one that does';

export interface WebhookOptions {
  readonly url: string;
  /** `whsec_<base64>`; several while the receiver changes its secret. */
  readonly secret: string | readonly string[];
  /** Allow private and loopback addresses. */
  readonly allowPrivate: boolean;
}

/**
 * A signed POST of every content (Standard Webhooks). A repeat carries the same `webhook-id`, so an attempt of unknown outcome is simply
 * sent again and dropped by the receiver.
 */
export function createWebhookDestination(options: WebhookOptions): Destination {
  return {
    name: 'webhook',
    tells: ['first-look', 'report', 'update', 'resolved'],
    deliver: (content, context) => post(options, payloadOf(content), context),
    deliverStorm: (storm, context) => post(options, stormPayloadOf(storm), context),
    check: (signal) => checkAddress(options, signal),
  };
}

async function post(
  { url, secret, allowPrivate }: WebhookOptions,
  payload: WebhookPayload,
  { marker, signal }: DeliveryContext,
): Promise<DeliveryResult> {
  const body = JSON.stringify(payload);
  try {
    const answer = await httpRequest({
      url,
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'rootnote',
        ...signWebhook([secret].flat(), `msg_${marker}`, Date.now(), body),
      },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      signal,
      ...(allowPrivate ? {} : { allowAddress: isPublicAddress }),
    });
    if (answer.status === 410) return { outcome: 'give-up', reason: GONE };
    return classifyAnswer(answer, Date.now());
  } catch (error) {
    return classifyFailure(error);
  }
}

/** Resolves the host and judges its addresses. Posts nothing: a test message would be taken for a report. */
async function checkAddress({ url, allowPrivate }: WebhookOptions, signal: AbortSignal): Promise<CheckResult> {
  const name = 'webhook';
  const { host, hostname } = new URL(url);
  const literal = hostname.replace(/^\[|\]$/g, '');
  try {
    const addresses = isIP(literal) ? [literal] : await resolveAll(literal, signal);
    const refused = allowPrivate ? undefined : addresses.find((address) => !isPublicAddress(address));
    if (refused === undefined) {
      return { name, status: 'ok', value: `${host} resolves to ${addresses.join(', ')}; nothing was posted` };
    }
    const remedy = 'set REPORT_WEBHOOK_ALLOW_PRIVATE=true when this receiver is meant to be inside your network';
    return { name, status: 'fail', value: `${host} resolves to ${refused}, which is not a public address`, remedy };
  } catch (error) {
    const reason = error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error);
    return { name, status: 'fail', value: `${host} does not resolve: ${reason}`, remedy: 'check REPORT_WEBHOOK_URL' };
  }
}

async function resolveAll(hostname: string, signal: AbortSignal): Promise<readonly string[]> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the look-up took too long')), { once: true });
  });
  const entries = await Promise.race([lookup(hostname, { all: true }), aborted]);
  return entries.map((entry) => entry.address);
}
