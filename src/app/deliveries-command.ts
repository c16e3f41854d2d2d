import type { Config } from '../config/schema.ts';
import type { DeliveryHandle, DeliveryRecord } from '../domain/delivery.ts';
import { silentLogger } from '../platform/logger.ts';
import type { RedisTarget } from '../platform/redis.ts';
import { oneLine } from '../policy/untrusted.ts';
import { createDeliveries, type Deliveries } from '../queue/deliveries/deliveries.ts';
import { withRedis } from './open-redis.ts';

export interface RetryRequest {
  /** Of the incident, its report or its session; or of a storm. */
  readonly id: string;
  /** Absent: all. */
  readonly destination?: string;
}

/** `rootnote deliveries retry`: sends again what was given up, by the workers that run. Undefined when nothing was. Throws RedisUnreachable. */
export async function retryDeliveries(
  config: Config,
  { id, destination }: RetryRequest,
  say: (line: string) => void,
): Promise<string | undefined> {
  // The outbox has a connection of its own, which would wait for a Redis that is away.
  const again = await withRedis(config, say, (_redis, target) =>
    withOutbox(config, target, (deliveries) => deliveries.retry(incidentOf(id), destination)),
  );
  if (again.length === 0) return undefined;
  return again.map(({ destination: name, content }) => `${name}: ${content} is sent again\n`).join('');
}

/** What became of what was told of an incident, by destination. */
export function readDeliveries(
  config: Config,
  target: RedisTarget,
  incidentId: string,
): Promise<readonly DeliveryRecord[]> {
  return withOutbox(config, target, (deliveries) => deliveries.records(incidentId));
}

/** Ids of reports and sessions derive from the incident's, so that any of the three names them all. */
export function incidentOf(id: string): string {
  return id.replace(/^(?:rep|ses)_/, '');
}

/** One line for people. Reasons and handles are what others said. */
export function printDelivery({ destination, content, state, attempts, reason, handle }: DeliveryRecord): string {
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const why = reason === undefined ? '' : `, ${oneLine(reason)}`;
  return `${destination}: ${content} ${state} (${tries}${why})${linkOf(handle)}\n`;
}

/** Where the post can be opened; empty when the destination gives no address. */
function linkOf(handle: DeliveryHandle | undefined): string {
  const link = Object.values(handle ?? {}).find((value) => /^https?:\/\/\S+$/.test(value)) ?? handle?.['path'];
  return link === undefined ? '' : ` ${oneLine(link)}`;
}

/** An outbox that delivers nothing itself: to look at, and to give work to others. */
async function withOutbox<T>(
  config: Config,
  redisTarget: RedisTarget,
  use: (deliveries: Deliveries) => Promise<T>,
): Promise<T> {
  const deliveries = await createDeliveries({
    redisTarget,
    prefix: config.REDIS_PREFIX,
    destinations: [],
    loadContent: () => Promise.resolve(undefined),
    redact: (text) => text,
    log: silentLogger(),
  });
  try {
    return await use(deliveries);
  } finally {
    await deliveries.close(1000);
  }
}
