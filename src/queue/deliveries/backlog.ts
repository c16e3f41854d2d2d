import type { Redis } from 'ioredis';
import { backlogKey, destinationsKey } from './keys.ts';

/** What a destination has not been told yet. */
export interface Backlog {
  readonly destination: string;
  readonly deliveries: number;
  /** Of what has waited longest; 0 when nothing waits. */
  readonly oldestAgeMs: number;
}

/** Of every destination that anything was ever scheduled for, also of those that are configured no more. The caller owns the connection. */
export async function readBacklog(redis: Redis, prefix: string): Promise<readonly Backlog[]> {
  const names = (await redis.smembers(destinationsKey(prefix))).toSorted();
  const [seconds, micros] = await redis.time();
  const nowMs = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  return Promise.all(
    names.map(async (destination) => {
      const key = backlogKey(prefix, destination);
      const deliveries = await redis.zcard(key);
      const [first] = await redis.zrangebyscore(key, '-inf', '+inf', 'LIMIT', 0, 1);
      const sinceMs = first === undefined ? null : await redis.zscore(key, first);
      const oldestAgeMs = sinceMs === null ? 0 : Math.max(0, nowMs - Number(sinceMs));
      return { destination, deliveries, oldestAgeMs };
    }),
  );
}
