/** What a span says of its outcome, whichever format it came in. */
export interface SpanOutcome {
  /** By OpenTelemetry's status or its equivalent in tags. */
  readonly status: string | undefined;
  /** `server`, `client`, …; undefined when not told. */
  readonly kind: string | undefined;
  readonly tag: (name: string) => unknown;
}

const HTTP_STATUS = ['http.response.status_code', 'http.status_code'] as const;

/**
 * Whether a span failed: by its status or the tag `error`, and a server's also by an HTTP status from 500 on (older instrumentations set nothing else).
 * A client that got such a status is counted by its server.
 */
export function isFailed({ status, kind, tag }: SpanOutcome): boolean {
  if (status === 'error' || textOf(tag('error')).toLowerCase() === 'true') return true;
  if (textOf(tag('otel.status_code')).toUpperCase() === 'ERROR') return true;
  return kind === 'server' && HTTP_STATUS.some((name) => Number(textOf(tag(name))) >= 500);
}

/** A tag may hold anything: what is no scalar says nothing here, and may not even be a text. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
