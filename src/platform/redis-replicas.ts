import type { Redis } from 'ioredis';
import { findNode } from './redis-nodes.ts';

/** For so long replicas may take to have what was written: far longer than they need, and within the time of a request. */
const WAIT_MS = 1000;

/** Fewer replicas have it than are asked for: it would be lost with its master. */
export class NotReplicated extends Error {
  override readonly name = 'NotReplicated';
  constructor() {
    super('too few replicas of Redis have taken it (REDIS_MIN_REPLICAS)');
  }
}

/** What is being written, and whether it would outlive its master. */
export interface Writing {
  /** True when so many replicas have all that was written on this connection since, and the connection is still the same. */
  isKept(): Promise<boolean>;
}

/** Redis tells a client that something is written before any replica has it; a failover in between loses it. This asks for more (`WAIT`). */
export interface Replicas {
  /** To be called before the write. */
  begin(): Promise<Writing>;
}

const KEPT: Writing = { isKept: () => Promise.resolve(true) };

/** With `count` 0 nothing is asked. `key`: any in the slot of all keys. */
export function createReplicas(redis: Redis, key: string, count: number): Replicas {
  if (count === 0) return { begin: () => Promise.resolve(KEPT) };
  return {
    begin: async () => {
      const node = await findNode(redis, key);
      const watch = node && watchOf(node);
      const cuts = watch?.cuts;
      // A new connection, or another node, knows nothing of what was written before and would say that all have it.
      const isSame = async () => watch !== undefined && watch.cuts === cuts && (await findNode(redis, key)) === node;
      return {
        isKept: async () => {
          if (!watch || !(await isSame())) return false;
          // Who could not be asked has to be taken for one that has nothing.
          const have = await watch.wait(count).catch(() => 0);
          return have >= count && (await isSame());
        },
      };
    },
  };
}

const watches = new WeakMap<Redis, NodeWatch>();

function watchOf(node: Redis): NodeWatch {
  const known = watches.get(node);
  if (known) return known;
  const watch = new NodeWatch(node);
  watches.set(node, watch);
  return watch;
}

/** One node's connection. `WAIT` holds up whatever else is asked on it, so that those who ask while one is on its way share the next. */
class NodeWatch {
  /** How often the connection was lost. */
  cuts = 0;
  readonly #node: Redis;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<number> | undefined;

  constructor(node: Redis) {
    this.#node = node;
    node.on('close', () => (this.cuts += 1));
  }

  /** How many replicas have what was written on the connection before. */
  wait(count: number): Promise<number> {
    return (this.#next ??= this.#askNext(count));
  }

  async #askNext(count: number): Promise<number> {
    await this.#running.catch(() => undefined);
    this.#next = undefined;
    const asked = this.#node.wait(count, WAIT_MS);
    this.#running = asked;
    return asked;
  }
}
