import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface KubeletServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Which log to read: the path's parts, and whether of the container before. */
export interface AskedLog {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly previous: boolean;
}

/**
 * The part of a kubelet's HTTPS server from which the API server reads container logs: `/containerLogs/<namespace>/<pod>/<container>`, with `previous`,
 * `tailLines` and `limitBytes`. `read` gives all lines, or undefined where there is no such container.
 */
export async function startKubeletServer(
  identity: { readonly certificate: string; readonly key: string },
  read: (asked: AskedLog) => readonly string[] | undefined,
): Promise<KubeletServer> {
  const server = createServer({ cert: identity.certificate, key: identity.key }, (request, response) => {
    const url = new URL(request.url ?? '/', 'https://kubelet');
    const [, call, namespace, pod, container] = url.pathname.split('/');
    const previous = url.searchParams.get('previous') === 'true';
    const lines =
      call === 'containerLogs' && namespace && pod && container
        ? read({ namespace, pod, container, previous })
        : undefined;
    if (!lines) return void response.writeHead(404).end('not found');
    const tail = Number(url.searchParams.get('tailLines') ?? lines.length);
    const text = lines
      .slice(Math.max(0, lines.length - tail))
      .map((line) => (url.searchParams.get('timestamps') === 'true' ? line : line.replace(/^\S+ /, '')))
      .map((line) => `${line}\n`)
      .join('');
    response.writeHead(200, { 'content-type': 'text/plain' }).end(text.slice(0, limitOf(url)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function limitOf(url: URL): number | undefined {
  const limit = url.searchParams.get('limitBytes');
  return limit === null ? undefined : Number(limit);
}
