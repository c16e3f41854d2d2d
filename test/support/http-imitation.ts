import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as an imitation understood it. */
export interface AskedOfServer {
  readonly method: string;
  readonly path: string;
  readonly params: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface PlainReply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `hang` never answers; undefined leaves it to the rules of the product. */
export type ForcedReply = PlainReply | 'hang' | undefined;

export interface HttpImitation {
  readonly url: string;
  readonly asked: readonly AskedOfServer[];
  /** From now on this is asked first. */
  force(reply: (request: AskedOfServer) => ForcedReply): void;
  stop(): Promise<void>;
}

/** A server on a loopback port that answers by the rules of a product, but for what a test forces: what no real server does on demand. */
export async function startHttpImitation(byTheRules: (request: AskedOfServer) => PlainReply): Promise<HttpImitation> {
  const asked: AskedOfServer[] = [];
  let forced: (request: AskedOfServer) => ForcedReply = () => undefined;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const question = await readRequest(request);
    asked.push(question);
    const reply = forced(question) ?? byTheRules(question);
    if (reply !== 'hang') response.writeHead(reply.status, reply.headers).end(reply.body);
  };
  const server = createServer((request, response) => {
    void serve(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    force: (reply) => {
      forced = reply;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readRequest(request: IncomingMessage): Promise<AskedOfServer> {
  const url = new URL(request.url ?? '/', 'http://imitation');
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString('utf8');
  const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded';
  const params = new URLSearchParams(isForm ? body : url.search);
  return { method: request.method ?? '', path: url.pathname, params, headers: request.headers, body };
}

export function json(value: unknown, status = 200): PlainReply {
  return { status, body: JSON.stringify(value), headers: { 'content-type': 'application/json' } };
}

export function text(body: string, status: number): PlainReply {
  return { status, body, headers: { 'content-type': 'text/plain; charset=utf-8' } };
}
