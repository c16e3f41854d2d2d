import type { ServerResponse } from 'node:http';

type Headers = Readonly<Record<string, string>>;

/** Answers with small JSON. Does nothing when the answer has begun or the sender is gone. */
export function answerJson(response: ServerResponse, status: number, body: unknown, headers?: Headers): void {
  const text = begin(response, status, body, headers);
  if (text === undefined) return;
  // What `end` is given goes out in two parts, which costs more than one; so does what is ended before it has left, at the next tick.
  response.write(text);
  process.nextTick(() => response.end());
}

/** Sends the whole answer and leaves it to the caller to end it. False, with nothing sent, when it has begun or the sender is gone. */
export function sendJson(response: ServerResponse, status: number, body: unknown, headers?: Headers): boolean {
  const text = begin(response, status, body, headers);
  if (text === undefined) return false;
  response.write(text);
  return true;
}

/** Returns what the answer's body has to be. */
function begin(response: ServerResponse, status: number, body: unknown, headers?: Headers): string | undefined {
  if (response.headersSent || response.destroyed) return undefined;
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...headers,
  });
  return text;
}
