import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Histogram, Registry } from 'prom-client';

/** Two services on loopback, checkout → payments, with visitors. Prometheus can scrape both; payments breaks on command. */
export interface Shop {
  /** For `scrape_configs`: a service's name and its address. */
  readonly targets: Readonly<Record<string, string>>;
  /** From now on payments is slow and answers 500, and so does checkout, which needs it. */
  break(): void;
  heal(): void;
  stop(): Promise<void>;
}

const VISIT_EVERY_MS = 25;
const HEALTHY_MS = 5;
const BROKEN_MS = 300;

export async function startShop(): Promise<Shop> {
  let broken = false;
  const payments = await startService('payments', async () => {
    await sleep(broken ? BROKEN_MS : HEALTHY_MS);
    return broken ? 500 : 200;
  });
  const checkout = await startService('checkout', async (registry) => {
    callsTo('payments', registry).inc({ client: 'checkout', server: 'payments' });
    const response = await fetch(`http://${payments.address}/`);
    await response.arrayBuffer();
    return response.ok ? 200 : 500;
  });
  const visitors = setInterval(() => {
    // A visitor whose page breaks off says nothing.
    fetch(`http://${checkout.address}/`).then(
      (response) => response.arrayBuffer(),
      () => undefined,
    );
  }, VISIT_EVERY_MS);
  return {
    targets: { payments: payments.address, checkout: checkout.address },
    break: () => {
      broken = true;
    },
    heal: () => {
      broken = false;
    },
    stop: async () => {
      clearInterval(visitors);
      await Promise.all([payments, checkout].map((service) => close(service.server)));
    },
  };
}

type Work = (registry: Registry) => Promise<number>;

async function startService(name: string, work: Work): Promise<{ server: Server; address: string }> {
  const registry = new Registry();
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: `Time ${name} takes to answer.`,
    labelNames: ['status'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8],
    registers: [registry],
  });
  // Errors at zero from the start, as a careful service exports them.
  duration.zero({ status: '500' });
  const answer = async (path: string, response: ServerResponse) => {
    if (path === '/metrics') {
      response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
      return;
    }
    const end = duration.startTimer();
    const status = await work(registry).catch(() => 500);
    end({ status: String(status) });
    response.writeHead(status).end();
  };
  const server = createServer((request, response) => void answer(request.url ?? '/', response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** The edge of the service graph, under the name that tracing collectors give it. */
function callsTo(callee: string, registry: Registry): Counter {
  const name = 'traces_service_graph_request_total';
  const known = registry.getSingleMetric(name);
  if (known) return known as Counter;
  return new Counter({ name, help: `Calls to ${callee}.`, labelNames: ['client', 'server'], registers: [registry] });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
