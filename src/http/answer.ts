import type { ServerResponse } from 'node:http';

type Headers = Readonly<Record<string, string>>;

/** Answers with small JSON. Does nothing when the answer has begun or the sender is gone. */
export function answerJson(response: ServerResponse, status: number, body: unknown, headers?: Headers): void {
  const text = begin(response, status, body, headers);
  if (text === undefined) return;
  // Node sends what `end` is given in two parts, the second of them empty, which costs more than one. The same when it is ended before the text has left.
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
