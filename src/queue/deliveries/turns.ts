import type { Redis } from 'ioredis';
import type { Turns } from '../../domain/delivery.ts';
import { turnKey } from './keys.ts';

/**
 * The key of a place stands for as long as it is taken, and says how long that is (ms): where Redis's clock was set back, nobody waits longer.
 * ARGV[1] ms. Returns the ms that are left of another's turn, 0 when it is ours.
 */
const TAKE = `
if redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[1], 'NX') then return 0 end
local left, most = redis.call('PTTL', KEYS[1]), tonumber(redis.call('GET', KEYS[1]))
if left > most then
  left = most
  redis.call('PEXPIRE', KEYS[1], left)
end
return math.max(left, 1)
`;

/** ARGV[1] ms. A pause that is asked for while a longer one holds shortens nothing. */
const PAUSE = `
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[1]) end
`;

/** Turns that hold over all workers, by Redis's clock. The caller owns the connection. */
export function createTurns(redis: Redis, prefix: string): Turns {
  const run = (script: string, place: string, ms: number) =>
    redis.eval(script, 1, turnKey(prefix, place), Math.ceil(ms));
  return {
    take: async (place, everyMs) => (everyMs === 0 ? 0 : Number(await run(TAKE, place, everyMs))),
    pause: async (place, forMs) => {
      if (forMs > 0) await run(PAUSE, place, forMs);
    },
  };
}
