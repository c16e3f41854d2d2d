import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export const RULES = `groups:
  - name: storefront-slo
    rules:
      - alert: StorefrontLatencyHigh
        expr: histogram_quantile(0.95, sum by (le, service) (rate(http_request_duration_seconds_bucket{service="storefront"}[20s]))) > 1.5
        for: 20s
        labels:
          severity: critical
          team: shop
        annotations:
          summary: 95th percentile latency of storefront is above 1.5 s
          description: '95 % of the requests to {{ $labels.service }} should be answered within 1.5 s; it is {{ printf "%.2f" $value }} s now.'
`;

export interface WebhookCatcher {
  readonly url: string;
  /** The first body that Alertmanager posts, as sent. */
  readonly firstBody: Promise<string>;
  stop(): void;
}

export async function catchWebhook(): Promise<WebhookCatcher> {
  let caught: (body: string) => void;
  const firstBody = new Promise<string>((resolve) => {
    caught = resolve;
  });
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      caught(body);
      response.writeHead(202).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhooks/alertmanager`,
    firstBody,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
