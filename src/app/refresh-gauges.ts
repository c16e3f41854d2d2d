import type { Redis } from 'ioredis';
import { readBacklog } from '../queue/deliveries/backlog.ts';
import { INCIDENT_QUEUE, SUB_AGENT_QUEUE } from '../queue/jobs.ts';
import { watchQueue } from '../queue/queue-status.ts';
import { readInbox } from '../sessions/admission/inbox.ts';
import type { Process } from './process.ts';

/**
 * Brings up to date what every process shows alike: inbox, queues, backlogs. Looks with the connection of the caller, which closes it. While Redis does not
 * tell, none of it is shown.
 */
export function createGaugeRefresh(
  { config, log, metrics, lifetime }: Pick<Process, 'config' | 'log' | 'metrics' | 'lifetime'>,
  redis: Redis,
): () => Promise<void> {
  const prefix = config.REDIS_PREFIX;
  const queues = [INCIDENT_QUEUE, SUB_AGENT_QUEUE].map((name) => ({
    name,
    queue: watchQueue(redis, prefix, name, log),
  }));
  lifetime.onStop('watched queues', async () => {
    for (const { queue } of queues) await queue.close();
  });
  const refresh = async () => {
    const { waiting, oldestAgeMs, aside } = await readInbox(redis, prefix);
    metrics.inbox(waiting, oldestAgeMs, aside);
    for (const { name, queue } of queues) {
      const status = await queue.status();
      metrics.queue(name, status.depth, status.oldestAgeMs);
    }
    for (const { destination, deliveries, oldestAgeMs: ageMs } of await readBacklog(redis, prefix))
      metrics.deliveryBacklog(destination, deliveries, ageMs);
  };
  return async () => {
    try {
      await refresh();
    } catch (error) {
      metrics.inboxUnknown();
      metrics.queuesUnknown();
      throw error;
    }
  };
}
