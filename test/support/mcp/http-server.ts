import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { oddServer } from './odd-server.ts';

export interface McpHttpServer {
  readonly url: string;
  /** Headers of every request so far. */
  readonly asked: readonly IncomingHttpHeaders[];
  stop(): Promise<void>;
}

/** The odd server over HTTP on loopback, a session for each client. `reply` may answer a request instead. */
export async function startMcpHttpServer(
  reply: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): Promise<McpHttpServer> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const asked: IncomingHttpHeaders[] = [];
  const open = async () => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await oddServer().connect(transport);
    return transport;
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    asked.push(request.headers);
    if (reply(request, response)) return;
    const known = sessions.get(String(request.headers['mcp-session-id']));
    const answer = await (known ?? (await open())).handleRequest(await toRequest(request));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.flushHeaders();
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    asked,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all([...sessions.values()].map((transport) => transport.close()));
    },
  };
}

async function toRequest(request: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  return new Request(`http://127.0.0.1${request.url ?? ''}`, {
    method: request.method ?? 'GET',
    headers: Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    ...(body.length > 0 ? { body } : {}),
  });
}
