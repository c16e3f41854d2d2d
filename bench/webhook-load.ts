import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Lane, type Answer } from './lane.ts';

const PATH = '/webhooks/alertmanager';
/** More connections would only queue in the kernel. */
const MAX_LANES = 200;

export interface Sent extends Answer {
  readonly ms: number;
}

/** Sends webhooks to one port over kept connections. */
export class WebhookSender {
  readonly #port: number;
  readonly #lanes = new Set<Lane>();
  readonly #free: Lane[] = [];
  readonly #waiting: ((lane: Lane) => void)[] = [];
  constructor(port: number) {
    this.#port = port;
  }

  /** Never rejects: what got no answer has status 0. */
  async post(text: string): Promise<Sent> {
    const began = performance.now();
    const lane = await this.#take();
    const answer = await lane.post(text);
    this.#release(lane);
    return { ...answer, ms: performance.now() - began };
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
    for (const lane of this.#lanes) lane.close();
  }

  #take(): Lane | Promise<Lane> {
    for (let lane = this.#free.pop(); lane; lane = this.#free.pop()) {
      if (lane.isOpen) return lane;
      this.#lanes.delete(lane);
    }
    if (this.#lanes.size >= MAX_LANES) return new Promise((resolve) => this.#waiting.push(resolve));
    const lane = new Lane(this.#port, PATH);
    this.#lanes.add(lane);
    return lane;
  }

  #release(lane: Lane): void {
    const next = this.#waiting.shift();
    if (next) next(lane);
    else this.#free.push(lane);
  }
}

/** Nearest rank; 0 for an empty list. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
