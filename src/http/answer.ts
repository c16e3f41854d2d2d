import type { ServerResponse } from 'node:http';

type Headers = Readonly<Record<string, string>>;

/** Answers with small JSON. Does nothing when the answer has begun or the sender is gone. */
export function answerJson(response: ServerResponse, status: number, body: unknown, headers: Headers = {}): void {
  if (sendJson(response, status, body, headers)) response.end();
}

/** Sends the whole answer and leaves it to the caller to end it. False, with nothing sent, when it has begun or the sender is gone. */
export function sendJson(response: ServerResponse, status: number, body: unknown, headers: Headers = {}): boolean {
  if (response.headersSent || response.destroyed) return false;
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...headers,
  });
  response.write(text);
  return true;
}
