import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { flawOfWords } from './words.ts';

export interface Call {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: unknown;
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How a write goes wrong. */
export type Fault =
  | ({ readonly kind: 'answer' } & Answer)
  /** Takes the write and cuts the connection: the caller cannot know. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'never-answer' };

export interface StandIn {
  readonly url: string;
  readonly calls: readonly Call[];
  /** Of the next writes, one each. */
  fail(...faults: Fault[]): void;
  close(): Promise<void>;
}

export interface StandInOptions {
  readonly answer: (call: Call) => Answer;
  readonly isWrite: (call: Call) => boolean;
}

export async function startStandIn({ answer, isWrite }: StandInOptions): Promise<StandIn> {
  const calls: Call[] = [];
  const faults: Fault[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stand-in');
      const text = Buffer.concat(chunks).toString('utf8');
      const call: Call = {
        method: request.method ?? '',
        path: pathname,
        query: searchParams,
        headers: request.headers,
        text,
        body: text === '' ? undefined : JSON.parse(text),
      };
      calls.push(call);
      const flaw = flawOfWords(call);
      if (flaw !== undefined) return send(response, { status: 400, body: { message: flaw, error: { message: flaw } } });
      const fault = isWrite(call) ? faults.shift() : undefined;
      if (fault?.kind === 'never-answer') return;
      if (fault?.kind === 'answer') return send(response, fault);
      const given = answer(call);
      if (fault?.kind === 'lost') response.destroy();
      else send(response, given);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    fail: (...next) => void faults.push(...next),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body === undefined ? '' : JSON.stringify(body));
}
