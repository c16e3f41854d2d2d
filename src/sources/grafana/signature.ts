import type { IncomingHttpHeaders } from 'node:http';
import { authorizationAuth, headerOf, type SenderCredentials } from '../authorization.ts';
import { matchesHmac } from '../hmac.ts';
import type { InboundRequest, SourceAuth } from '../source.ts';

export interface GrafanaAuthOptions extends SenderCredentials {
  readonly secret: string | undefined;
  readonly signatureHeader: string;
  /** When set, `<unix seconds>:` goes before the body in what is signed. */
  readonly timestampHeader: string | undefined;
  readonly now: () => number;
}

/** A signature this far from our clock is a replay. */
const MAX_SKEW_MS = 5 * 60_000;

/**
 * Grafana's webhook contact point: lower-case hex of the HMAC-SHA256 over the raw body (grafana.com, "Configure webhook notifications", HMAC
 * signature), and its `Authorization` header. What is configured is required, all of it.
 */
export function grafanaAuth(options: GrafanaAuthOptions): SourceAuth {
  const authorization = authorizationAuth(
    options,
    'Set GRAFANA_WEBHOOK_SECRET, GRAFANA_BEARER_TOKENS or GRAFANA_BASIC_AUTH',
  );
  const { secret } = options;
  if (secret === undefined) return authorization;
  const dated = options.timestampHeader === undefined ? '' : `, not older than ${MAX_SKEW_MS / 60_000} minutes`;
  const signature = `signature ${options.signatureHeader}${dated}`;
  const accepts = (request: InboundRequest) => isSigned(request, secret, options);
  if (authorization.kind === 'open') return { kind: 'signature', how: signature, accepts };
  return {
    kind: 'signature',
    how: `${signature}, and ${authorization.how}`,
    accepts: (request) => authorization.accepts(request.headers) && accepts(request),
  };
}

function isSigned({ headers, bytes }: InboundRequest, secret: string, options: GrafanaAuthOptions): boolean {
  const offered = headerOf(headers, options.signatureHeader)?.trim() ?? '';
  if (options.timestampHeader === undefined) return matchesHmac(bytes, [offered], [secret]);
  const seconds = freshSeconds(headers, options.timestampHeader, options.now());
  if (seconds === undefined) return false;
  return matchesHmac([Buffer.from(`${seconds}:`), bytes], [offered], [secret]);
}

/** The text of the timestamp; undefined when it is missing, no number, too old or too far ahead. */
function freshSeconds(headers: IncomingHttpHeaders, name: string, nowMs: number): string | undefined {
  const text = headerOf(headers, name)?.trim() ?? '';
  if (!/^\d{1,12}$/.test(text)) return undefined;
  return Math.abs(Number(text) * 1000 - nowMs) <= MAX_SKEW_MS ? text : undefined;
}
