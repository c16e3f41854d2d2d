import { createHmac } from 'node:crypto';

export interface SignedHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/**
 * Headers of the Standard Webhooks specification: HMAC-SHA256 over `<id>.<timestamp>.<body>` under the decoded secret (`whsec_` and
 * base64). The id is the same over all retries, so that the receiver can drop repeats; the timestamp is of this attempt, in seconds.
 */
export function signWebhook(secret: string, id: string, nowMs: number, body: string): SignedHeaders {
  const timestamp = String(Math.floor(nowMs / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
