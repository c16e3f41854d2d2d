import { Agent, createServer, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface RelayedRequest {
  readonly method: string;
  readonly path: string;
  readonly params: URLSearchParams;
  /** Of the answer, once there is one. */
  status?: number;
}

export interface KubeRelay {
  readonly url: string;
  readonly seen: readonly RelayedRequest[];
  stop(): Promise<void>;
}

/**
 * Stands between Rootnote and the API server, shows the same certificate, and keeps what was asked. `before` may change a question (its parameters) or do
 * something to the cluster before it is passed on.
 */
export async function startRelay(
  target: { readonly url: string; readonly certificate: string; readonly key: string },
  before: (asked: RelayedRequest) => Promise<void> | void = () => undefined,
): Promise<KubeRelay> {
  const seen: RelayedRequest[] = [];
  const agent = new Agent({ ca: target.certificate, keepAlive: true });
  const server = createServer({ cert: target.certificate, key: target.key }, (incoming, outgoing) => {
    const url = new URL(incoming.url ?? '/', target.url);
    const asked: RelayedRequest = { method: incoming.method ?? '', path: url.pathname, params: url.searchParams };
    seen.push(asked);
    const { host: _, ...headers } = incoming.headers;
    const passOn = () => {
      const request = httpsRequest(url, { agent, method: asked.method, headers }, (answer) => {
        asked.status = answer.statusCode ?? 0;
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      request.on('error', () => outgoing.destroy());
      incoming.pipe(request);
    };
    Promise.resolve(before(asked)).then(passOn, () => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    stop: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
