import type { JobsOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { ContentName, Turns } from '../../domain/delivery.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Replicas } from '../../platform/redis-replicas.ts';
import { DeliveryChains } from './chains.ts';
import { backlogKey, deliveryId, type ChainKey } from './keys.ts';
import { isStorm } from './load-told.ts';
import { openQueue } from '../open-queue.ts';
import { createTurns } from './turns.ts';

const HOUR_SECONDS = 3600;
/** What is scheduled and this old should have a job at work. */
const SWEEP_AGE_MS = 120_000;
const SWEEP_BATCH = 1000;

/** Attempts are counted in the chain; these cover failures of our own, such as a store that does not answer. */
const JOB_OPTIONS = {
  attempts: 25,
  backoff: { type: 'exponential', delay: 1000, jitter: 0.5 },
  removeOnComplete: { age: HOUR_SECONDS, count: 1000 },
  removeOnFail: { age: 7 * 24 * HOUR_SECONDS, count: 1000 },
} as const satisfies JobsOptions;

/** `traceparent`: of the work that scheduled it. */
export interface DeliveryJobData {
  readonly subjectId: string;
  readonly traceparent?: string;
}

/** A destination may have a name that its processes alone know: queues derive from it. */
export const queueOf = (destination: string): string => `deliveries-${destination}`;

/** The near side of one destination: its queue and its chains. Needs no destination, so that a process can schedule for one that only others have. */
export class Outlet {
  readonly name: string;
  readonly chains: DeliveryChains;
  readonly turns: Turns;
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #queue: Queue<DeliveryJobData, void, ContentName>;

  /** The caller owns and closes the connection. */
  constructor(name: string, redis: Redis, prefix: string, log: Logger, replicas?: Replicas) {
    this.name = name;
    this.#redis = redis;
    this.#prefix = prefix;
    this.chains = new DeliveryChains(redis, prefix, replicas);
    this.turns = createTurns(redis, prefix);
    this.#queue = openQueue(queueOf(name), redis, prefix, log);
  }

  /** Adds the content and its job unless they were added before: at most one delivery per subject and content. */
  async schedule(subjectId: string, content: ContentName, holdMs: number, traceparent?: string): Promise<void> {
    await this.chains.open(this.#chain(subjectId), content, holdMs);
    await this.#add(subjectId, content, '', traceparent);
  }

  /** Starts again with what was given up, and returns its names. */
  async retry(subjectId: string): Promise<readonly ContentName[]> {
    const { contents, round } = await this.chains.reopen(this.#chain(subjectId));
    // The finished job still has its id, and adding it again would change nothing.
    for (const content of contents) await this.#add(subjectId, content, `-again-${round}`);
    return contents;
  }

  /** Gives a job to whatever has been waiting without one: its scheduler died in between, or its job failed for good. Returns how many. */
  async sweep(): Promise<number> {
    const until = Date.now() - SWEEP_AGE_MS;
    const waiting = await this.#redis.zrangebyscore(
      backlogKey(this.#prefix, this.name),
      '-inf',
      until,
      'LIMIT',
      0,
      SWEEP_BATCH,
    );
    let added = 0;
    for (const entry of waiting) {
      const [subjectId, content] = entry.split('|') as [string, ContentName];
      const job = await this.#queue.getJob(deliveryId({ subjectId, content, destination: this.name }));
      if (job && !job.finishedOn) continue;
      // Under the same id again: what waits for hours does not get a job at every sweep.
      await job?.remove();
      await this.#add(subjectId, content, '');
      added++;
    }
    return added;
  }

  close(): void {
    this.#queue.close().catch(() => undefined);
  }

  async #add(subjectId: string, content: ContentName, suffix: string, traceparent?: string): Promise<void> {
    const jobId = `${deliveryId({ subjectId, content, destination: this.name })}${suffix}`;
    const data = { subjectId, ...(traceparent === undefined ? {} : { traceparent }) };
    // The summary of a storm goes before all that it sums up.
    await this.#queue.add(content, data, { ...JOB_OPTIONS, jobId, lifo: isStorm(content) });
  }

  #chain(subjectId: string): ChainKey {
    return { subjectId, destination: this.name };
  }
}
