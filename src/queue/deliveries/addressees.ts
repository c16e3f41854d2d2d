import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { RoutedDestination } from '../../domain/routing.ts';
import { addresseesKey, KEEP_SECONDS } from './keys.ts';

const Addressees = z.array(z.object({ destination: z.string(), afterMs: z.number() }));

/**
 * Who is told of a subject: decided with its first content and kept, so that changed routes send no end of an incident to those who never heard of its
 * beginning, and keep none from those who did.
 */
export async function decideAddressees(
  redis: Redis,
  prefix: string,
  subjectId: string,
  decide: () => readonly RoutedDestination[],
): Promise<readonly RoutedDestination[]> {
  const known = await readAddressees(redis, prefix, subjectId);
  if (known) return known;
  const key = addresseesKey(prefix, subjectId);
  const decided = decide();
  // Another process may be first, with other settings: its decision stands.
  const isFirst = (await redis.set(key, JSON.stringify(decided), 'EX', KEEP_SECONDS, 'NX')) === 'OK';
  return isFirst ? decided : ((await readAddressees(redis, prefix, subjectId)) ?? decided);
}

/** Undefined for a subject of which nothing was scheduled. */
export async function readAddressees(
  redis: Redis,
  prefix: string,
  subjectId: string,
): Promise<readonly RoutedDestination[] | undefined> {
  const stored = await redis.get(addresseesKey(prefix, subjectId));
  return stored === null ? undefined : Addressees.parse(JSON.parse(stored));
}
