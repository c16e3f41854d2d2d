import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerJson } from './answer.ts';
import { createHttpApp, type HttpDeps } from './app.ts';
import { createWebhookReceiver, WEBHOOK_PATH } from './webhook-receiver.ts';
import { createPageGuard } from './web-page.ts';

export interface HttpServer {
  readonly port: number;
  /** Takes no more connections, lets running requests end for up to 5 s, then cuts them. */
  close(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How often Node looks for requests over their time. */
const TIMEOUT_CHECK_MS = 5000;
/** Longer than the idle time of common proxies and of Alertmanager's group interval is not worth a socket. */
const KEEP_ALIVE_MS = 65_000;
const CLOSE_GRACE_MS = 5000;
const NOT_FOR_PAGES = {
  error: 'without credentials this is not open to web pages: use localhost or the address, or set credentials',
};

/** Listens; rejects when the address cannot be had. Call `assertSafeToListen` first. */
export async function startHttpServer(
  deps: HttpDeps & { readonly host: string; readonly port: number },
): Promise<HttpServer> {
  const app = createHttpApp(deps);
  const receiver = createWebhookReceiver(deps);
  const mustRefuse = createPageGuard(deps.sources, deps.authorize(undefined));
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    (request, response) => {
      if (mustRefuse(request)) answerJson(response, 403, NOT_FOR_PAGES, { connection: 'close' });
      else if (deps.receives && request.url?.startsWith(WEBHOOK_PATH)) receiver(request, response);
      else app(request, response);
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(deps.port, deps.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}
