import { createHmac } from 'node:crypto';

export interface SignedHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/**
 * Headers of the Standard Webhooks specification: HMAC-SHA256 over `<id>.<timestamp>.<body>` under the decoded secret (`whsec_` and
 * base64), one signature a secret, so that a receiver can change its secret without a gap. The id is the same over all retries, so that the
 * receiver can drop repeats; the timestamp is of this attempt, in seconds.
 */
export function signWebhook(secrets: readonly string[], id: string, nowMs: number, body: string): SignedHeaders {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
