import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedWebhook {
  readonly id: string;
  readonly body: unknown;
  readonly isSigned: boolean;
}

export interface WebhookReceiver {
  readonly url: string;
  readonly secret: string;
  /** Every request, repeats included. */
  readonly requests: readonly ReceivedWebhook[];
  /** What a receiver that drops repeats by id has seen. */
  visible(): readonly ReceivedWebhook[];
  /** Statuses of the next answers; 204 after that. `close` takes the request and cuts the connection. */
  answerWith(
    ...answers: (number | 'close' | { readonly status: number; readonly headers: Record<string, string> })[]
  ): void;
  close(): Promise<void>;
}

/** A receiver of Standard Webhooks on loopback that checks signatures. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const key = Buffer.from('a receiver secret of 32 bytes !!');
  const requests: ReceivedWebhook[] = [];
  const answers: (number | 'close' | { status: number; headers: Record<string, string> })[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const header = (name: string) => String(request.headers[name] ?? '');
      const signed = `${header('webhook-id')}.${header('webhook-timestamp')}.${body}`;
      const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
      const isSigned = header('webhook-signature')
        .split(' ')
        .some(
          (given) => given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected)),
        );
      requests.push({ id: header('webhook-id'), body: JSON.parse(body), isSigned });
      const answer = answers.shift() ?? 204;
      if (answer === 'close') response.destroy();
      else if (typeof answer === 'number') response.writeHead(answer).end();
      else response.writeHead(answer.status, answer.headers).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/reports`,
    secret: `whsec_${key.toString('base64')}`,
    requests,
    visible: () => requests.filter(({ id }, index) => requests.findIndex((other) => other.id === id) === index),
    answerWith: (...next) => void answers.push(...next),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
