import type { Redis } from 'ioredis';
import type { ContentName, DeliveryRecord } from '../../domain/delivery.ts';
import { readClockMs } from '../../platform/redis-nodes.ts';
import { DeliveryChains } from './chains.ts';
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
  const nowMs = await readClockMs(redis, destinationsKey(prefix));
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

/** One thing that a destination has not been told yet. */
export interface Waiting extends DeliveryRecord {
  readonly subjectId: string;
}

/** What waits at a destination, the oldest first, so many at most. The caller owns the connection. */
export async function readWaiting(
  redis: Redis,
  prefix: string,
  destination: string,
  most: number,
): Promise<readonly Waiting[]> {
  const chains = new DeliveryChains(redis, prefix);
  const entries = await redis.zrange(backlogKey(prefix, destination), 0, String(most - 1));
  const found = await Promise.all(
    entries.map(async (entry) => {
      const [subjectId, content] = entry.split('|') as [string, ContentName];
      const records = await chains.records({ subjectId, destination });
      return records.filter((record) => record.content === content).map((record) => ({ ...record, subjectId }));
    }),
  );
  return found.flat();
}
