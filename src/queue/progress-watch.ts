import type { Redis } from 'ioredis';
import type { Logger } from '../platform/logger.ts';
import { watchQueue } from './queue-status.ts';

/** A worker that can tell whether it could take more, and how many jobs it has started. */
export interface WatchedWorker {
  readonly queue: string;
  hasFreePlace(): boolean;
  started(): number;
}

export interface ProgressWatchDeps {
  /** For looking only. The caller owns and closes it after the watch. */
  readonly redis: Redis;
  readonly prefix: string;
  readonly workers: readonly WatchedWorker[];
  readonly log: Logger;
  /** For metrics: told at every look. */
  readonly onLook: (queue: string, isStuck: boolean) => void;
  readonly everyMs?: number;
  /** A job that has waited so long should have been taken by whoever has a free place. */
  readonly limitMs?: number;
}

export interface ProgressWatch {
  /** Queues whose worker takes nothing although jobs wait and it has places. */
  stuck(): readonly string[];
  stop(): Promise<void>;
}

const EVERY_MS = 15_000;
const LIMIT_MS = 60_000;

/**
 * Judges workers by progress, not by connections: a blocked read on a connection that died silently looks alive and takes no job ever again. A
 * worker is stuck when at two looks in a row jobs had waited too long, it had a free place, and it started nothing in between.
 */
export function watchProgress(deps: ProgressWatchDeps): ProgressWatch {
  const { everyMs = EVERY_MS, limitMs = LIMIT_MS } = deps;
  const watched = deps.workers.map((worker) => new WorkerWatch(worker, deps, limitMs));
  const timer = setInterval(() => {
    for (const watch of watched) void watch.look();
  }, everyMs);
  return {
    stuck: () => watched.filter((watch) => watch.isStuck).map((watch) => watch.queue),
    stop: async () => {
      clearInterval(timer);
      await Promise.all(watched.map((watch) => watch.close()));
    },
  };
}

class WorkerWatch {
  readonly queue: string;
  isStuck = false;
  readonly #worker: WatchedWorker;
  readonly #deps: ProgressWatchDeps;
  readonly #limitMs: number;
  readonly #status;
  #isLooking = false;
  /** Jobs started by the last look that found it idle beside work. */
  #idleAt: number | undefined;

  constructor(worker: WatchedWorker, deps: ProgressWatchDeps, limitMs: number) {
    this.queue = worker.queue;
    this.#worker = worker;
    this.#deps = deps;
    this.#limitMs = limitMs;
    this.#status = watchQueue(deps.redis, deps.prefix, worker.queue, deps.log);
  }

  /** Never rejects. While Redis is away nothing can be said. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const { oldestAgeMs } = await this.#status.status();
      this.#judge(oldestAgeMs);
    } catch (error) {
      this.#deps.log.debug(
        { err: error instanceof Error ? error.message : String(error) },
        'a queue was not looked at',
      );
    } finally {
      this.#isLooking = false;
    }
  }

  close(): Promise<void> {
    return this.#status.close();
  }

  #judge(oldestAgeMs: number): void {
    const started = this.#worker.started();
    const isIdle = oldestAgeMs > this.#limitMs && this.#worker.hasFreePlace();
    const isStuck = isIdle && this.#idleAt === started;
    this.#idleAt = isIdle ? started : undefined;
    if (isStuck !== this.isStuck) {
      const about = { queue: this.queue, oldestAgeMs };
      if (isStuck) this.#deps.log.error(about, 'jobs wait and this worker takes none; restart it if this lasts');
      else this.#deps.log.info(about, 'this worker takes jobs again');
    }
    this.isStuck = isStuck;
    this.#deps.onLook(this.queue, isStuck);
  }
}
