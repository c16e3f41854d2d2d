import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Sent {
  readonly status: number;
  readonly body: string;
  readonly ms: number;
}

/** Sends webhooks to one port over kept connections. */
export class WebhookSender {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 200 });
  readonly #port: number;
  constructor(port: number) {
    this.#port = port;
  }

  /** Never rejects: what got no answer has status 0. */
  post(text: string): Promise<Sent> {
    const began = performance.now();
    return new Promise((resolve) => {
      const done = (status: number, body: string) => resolve({ status, body, ms: performance.now() - began });
      const outgoing = request(
        {
          host: '127.0.0.1',
          port: this.#port,
          path: '/webhooks/alertmanager',
          method: 'POST',
          agent: this.#agent,
          headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
        },
        (response) => {
          let body = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => (body += chunk));
          response.on('end', () => done(response.statusCode ?? 0, body));
          response.on('error', () => done(0, ''));
        },
      );
      outgoing.on('error', () => done(0, ''));
      outgoing.end(text);
    });
  }

  /** Closed loop: `lanes` senders, each sends its next body when the last is answered. Returns requests a second. */
  async saturate(bodies: readonly string[], lanes: number): Promise<number> {
    const began = performance.now();
    let next = 0;
    const lane = async () => {
      while (next < bodies.length) {
        const body = bodies[next++];
        if (body === undefined) return;
        const { status } = await this.post(body);
        if (status !== 202) throw new Error(`a webhook was answered with ${status}`);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return bodies.length / ((performance.now() - began) / 1000);
  }

  /** Open loop: bodies leave at fixed times, whatever becomes of those before. Latency counts from the time they were due. */
  async paced(bodies: readonly string[], perSecond: number): Promise<readonly Sent[]> {
    const began = performance.now();
    const answers: Promise<Sent>[] = [];
    for (const [number, body] of bodies.entries()) {
      const dueMs = (number / perSecond) * 1000;
      const waitMs = dueMs - (performance.now() - began);
      if (waitMs > 1) await sleep(waitMs);
      const lateMs = performance.now() - began - dueMs;
      answers.push(this.post(body).then((sent) => ({ ...sent, ms: sent.ms + Math.max(0, lateMs) })));
    }
    return Promise.all(answers);
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Nearest rank; 0 for an empty list. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
