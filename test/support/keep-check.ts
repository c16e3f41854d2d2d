import type { Redis } from 'ioredis';
import type { Incident } from '../../src/domain/incident.ts';
import { checkRunsKey, incidentKey } from '../../src/sessions/keys.ts';

/** Keeps an incident that no alert opened, as a scheduler does, and without its place in the outbox. */
export async function keepCheck(redis: Redis, prefix: string, incident: Incident): Promise<void> {
  await redis.hset(incidentKey(prefix, incident.id), 'check', JSON.stringify(incident));
  await redis.zadd(checkRunsKey(prefix), incident.startsAtMs, incident.id);
}
