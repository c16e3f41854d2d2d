import type { Redis } from 'ioredis';
import type { Turns } from '../../domain/delivery.ts';
import { turnKey } from './keys.ts';

/** Turns that hold over all workers: the key of a place stands for as long as it is taken, by Redis's clock. The caller owns the connection. */
export function createTurns(redis: Redis, prefix: string): Turns {
  return {
    take: async (place, everyMs) => {
      const key = turnKey(prefix, place);
      const isOurs = everyMs === 0 || (await redis.set(key, '1', 'PX', everyMs, 'NX')) === 'OK';
      // It may have become free in between.
      return isOurs ? 0 : Math.max(1, await redis.pttl(key));
    },
    pause: async (place, forMs) => {
      if (forMs > 0) await redis.set(turnKey(prefix, place), '1', 'PX', Math.ceil(forMs));
    },
  };
}
