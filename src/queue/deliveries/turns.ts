import type { Redis } from 'ioredis';
import type { Turns } from '../../domain/delivery.ts';
import { turnKey } from './keys.ts';

/** ARGV[1] ms. A pause that is asked for while a longer one holds shortens nothing. */
const PAUSE = `
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '1', 'PX', ARGV[1]) end
`;

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
      if (forMs > 0) await redis.eval(PAUSE, 1, turnKey(prefix, place), Math.ceil(forMs));
    },
  };
}
