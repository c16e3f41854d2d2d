import type { Redis } from 'ioredis';
import type { DeliveryRecord } from '../../domain/delivery.ts';
import { DeliveryChains } from './chains.ts';
import { destinationsKey, gaveUpKey } from './keys.ts';

/** Of one destination; who has more has one cause, and retries by incident. */
const MOST_SUBJECTS = 200;

/** Something that a destination was not told, and will not be unless somebody asks for it. */
export interface GivenUp extends DeliveryRecord {
  readonly subjectId: string;
}

/** What was given up and can be retried, at every destination, newest first. The caller owns the connection. */
export async function readGivenUp(redis: Redis, prefix: string): Promise<readonly GivenUp[]> {
  const chains = new DeliveryChains(redis, prefix);
  const destinations = (await redis.smembers(destinationsKey(prefix))).toSorted();
  const found = await Promise.all(
    destinations.map(async (destination) => {
      const subjects = await redis.zrevrange(gaveUpKey(prefix, destination), 0, MOST_SUBJECTS - 1);
      const lists = await Promise.all(
        subjects.map(async (subjectId) =>
          retriable(await chains.records({ subjectId, destination })).map((record) => ({ ...record, subjectId })),
        ),
      );
      return lists.flat();
    }),
  );
  return found.flat().toSorted((a, b) => b.updatedAtMs - a.updatedAtMs);
}

/** What was given up and not overtaken by something newer: what a retry tells. `records`: one chain, in its order. */
export function retriable(records: readonly DeliveryRecord[]): readonly DeliveryRecord[] {
  const told = records.findLastIndex(({ state }) => state === 'delivered');
  return records.slice(told + 1).filter(({ state }) => state === 'gave-up');
}
