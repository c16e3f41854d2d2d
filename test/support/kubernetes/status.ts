export type Answer = { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } & (
  { readonly json: unknown } | { readonly text: string }
);

/** A failure as the API server tells it. */
export function failure(code: number, reason: string, message: string, more: object = {}): Answer {
  const metadata = {};
  return {
    status: code,
    json: { kind: 'Status', apiVersion: 'v1', metadata, status: 'Failure', message, reason, code, ...more },
  };
}
