import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from '../platform/logger.ts';

/** BullMQ notes every step of every job in a stream that nothing of ours reads; without a bound it is 10,000 entries a queue. */
const MOST_EVENTS = 1000;

/** The near side of a queue: adds jobs and looks at them. The caller owns the connection and closes the queue first. */
export function openQueue<Data, Name extends string>(
  name: string,
  redis: Redis,
  prefix: string,
  log: Logger,
): Queue<Data, void, Name> {
  const queue: Queue<Data, void, Name> = new Queue(name, {
    connection: redis,
    prefix,
    streams: { events: { maxLen: MOST_EVENTS } },
  });
  // Without a listener an error event ends the process. The connection reports its own loss (platform/redis.ts).
  queue.on('error', (error) => log.debug({ err: error.message, queue: name }, 'queue error'));
  return queue;
}
