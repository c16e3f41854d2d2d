import { headerOf } from '../authorization.ts';
import { matchesHmac } from '../hmac.ts';
import type { SourceAuth } from '../source.ts';

const HEADER = 'x-pagerduty-signature';
/** During a rotation there are two. A header of thousands is an attempt to keep us busy. */
const MAX_ENTRIES = 10;

/**
 * `X-PagerDuty-Signature: v1=<hex>[,v1=<hex>…]`, each the HMAC-SHA256 of the raw body under a secret of the subscription
 * (developer.pagerduty.com, "Verifying Signatures"). One match is enough; other versions are ignored. `secrets`: several while one is replaced.
 */
export function pagerDutyAuth(secrets: readonly string[]): SourceAuth {
  const count = secrets.length === 1 ? 'a secret' : `${secrets.length} secrets`;
  return {
    kind: 'signature',
    how: `signature X-PagerDuty-Signature under ${count}`,
    accepts: ({ headers, bytes }) => matchesHmac(bytes, signaturesIn(headerOf(headers, HEADER) ?? ''), secrets),
  };
}

/** The version 1 entries of the header. */
function signaturesIn(header: string): readonly string[] {
  return header
    .split(',', MAX_ENTRIES)
    .map((entry) => entry.trim())
    .filter((entry) => entry.startsWith('v1='))
    .map((entry) => entry.slice(3));
}
