import type { Redis } from 'ioredis';
import type { DeliveryRecord } from '../../domain/delivery.ts';
import { readAddressees } from './addressees.ts';
import { DeliveryChains } from './chains.ts';

/**
 * What became of the deliveries of an incident or a storm, by destination, each in its order. Undefined when nothing was to be told yet; empty when nobody
 * is told. The caller owns the connection.
 */
export async function readRecords(
  redis: Redis,
  prefix: string,
  subjectId: string,
): Promise<readonly DeliveryRecord[] | undefined> {
  const addressees = await readAddressees(redis, prefix, subjectId);
  const chains = new DeliveryChains(redis, prefix);
  const lists = addressees?.map(({ destination }) => chains.records({ subjectId, destination }));
  return lists && (await Promise.all(lists)).flat();
}
