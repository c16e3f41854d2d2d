import type { Config } from '../config/schema.ts';
import type { DeliveryHandle, DeliveryRecord } from '../domain/delivery.ts';
import { silentLogger } from '../platform/logger.ts';
import type { RedisTarget } from '../platform/redis.ts';
import { oneLine } from '../policy/untrusted.ts';
import { createDeliveries, type Deliveries } from '../queue/deliveries/deliveries.ts';
import { findId } from './find-id.ts';
import { openReading } from './incident-view.ts';
import { listUndelivered } from './list-undelivered.ts';
import { withRedis } from './open-redis.ts';
import { counted } from '../domain/counted.ts';

export type DeliveriesRequest =
  | { readonly verb: 'list'; readonly json: boolean }
  | {
      readonly verb: 'retry';
      /** Of the incident, its report or its session; or of a storm. Its beginning is enough. */
      readonly id: string;
      /** Absent: all. */
      readonly destination?: string;
    };

export interface DeliveriesAnswer {
  readonly text: string;
  /** Nothing is sent again; `text` says why. */
  readonly isRefused: boolean;
}

/** What `rootnote deliveries` prints. Throws RedisUnreachable and AmbiguousId. */
export function useDeliveries(
  config: Config,
  request: DeliveriesRequest,
  say: (line: string) => void,
): Promise<DeliveriesAnswer> {
  return withRedis(config, say, async (redis, target) =>
    request.verb === 'list'
      ? { text: await listUndelivered(redis, config.REDIS_PREFIX, request.json), isRefused: false }
      : retry(config, target, { ...request, id: await findId(openReading(redis, config.REDIS_PREFIX), request.id) }),
  );
}

/** Sends again what was given up, by the workers that run. */
function retry(
  config: Config,
  target: RedisTarget,
  { id, destination }: Extract<DeliveriesRequest, { verb: 'retry' }>,
): Promise<DeliveriesAnswer> {
  // The outbox has a connection of its own, which would wait for a Redis that is away.
  return withOutbox(config, target, async (deliveries) => {
    const again = await deliveries.retry(id, destination);
    if (again.length > 0) {
      const lines = again.map(({ destination: name, content }) => `${name}: ${content} is sent again\n`);
      return { text: lines.join(''), isRefused: false };
    }
    const why = whyNothing(id, destination, await deliveries.records(id));
    return { text: `${why}; see rootnote deliveries list`, isRefused: true };
  });
}

function whyNothing(id: string, destination: string | undefined, records: readonly DeliveryRecord[]): string {
  if (records.length === 0)
    return `nothing was to be told of ${oneLine(id)}: no incident, report or storm that is known`;
  const told = new Map(records.map((record) => [record.destination, `${record.content} ${record.state}`]));
  if (destination !== undefined && !told.has(destination))
    return `nothing of ${id} was to be told at ${oneLine(destination)}; there are: ${[...told.keys()].join(', ')}`;
  const states = [...told].filter(([name]) => destination === undefined || name === destination);
  return `nothing of ${id} was given up (${states.map(([name, state]) => `${name}: ${state}`).join('; ')})`;
}

/** One line for people. Reasons and handles are what others said. */
export function printDelivery(record: DeliveryRecord, nowMs = Date.now()): string {
  const { destination, content, state, attempts, reason, handle, dueAtMs = 0 } = record;
  const tries = counted(attempts, 'attempt');
  const why = reason === undefined ? '' : `, ${oneLine(reason)}`;
  const due = dueAtMs > nowMs ? `, due at ${new Date(dueAtMs).toISOString()}` : ', due now';
  return `${destination}: ${content} ${state} (${tries}${why})${state === 'pending' ? due : ''}${linkOf(handle)}\n`;
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
