import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that came by, and what the receiver behind answered. */
export interface Relayed {
  readonly path: string;
  readonly body: { readonly externalURL?: string; readonly status?: string };
  readonly answer: { readonly id?: string };
}

export interface WebhookRelay {
  readonly url: string;
  readonly relayed: readonly Relayed[];
  /** Takes nothing more; returns when all that came by is among `relayed`. Safe to call twice. */
  close(): Promise<void>;
}

/** Stands before a receiver: hands requests on at once, keeps them, and holds answers back until `release` settles. */
export async function startWebhookRelay(
  target: () => string,
  release: (relayed: readonly Relayed[]) => Promise<void> = () => Promise.resolve(),
): Promise<WebhookRelay> {
  const relayed: Relayed[] = [];
  const relay = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request as AsyncIterable<Buffer>) body += chunk.toString('utf8');
    const path = request.url ?? '/';
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${target()}${path}`, { method: 'POST', headers, body });
    const text = await answer.text();
    relayed.push({ path, body: JSON.parse(body) as Relayed['body'], answer: JSON.parse(text) as Relayed['answer'] });
    await release(relayed);
    response.writeHead(answer.status, headers).end(text);
  };
  const underWay = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const relaying = relay(request, response)
      .catch(() => void response.destroy())
      .finally(() => underWay.delete(relaying));
    underWay.add(relaying);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    relayed,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await Promise.all(underWay);
    },
  };
}
