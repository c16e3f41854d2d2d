import type { Redis } from 'ioredis';
import { asideKey, inboxKey } from '../sessions/keys.ts';

/** An id that the receiver answers with: of what came in, not of what became of it. */
export function isArrivalId(id: string): boolean {
  return /^\d{13,}-\d+$/.test(id);
}

/** Where what came in under this id is now, and where to read what was decided about it. The caller owns the connection. */
export async function explainArrival(redis: Redis, prefix: string, id: string): Promise<string> {
  const what = `${id} is the id of a webhook, not of an incident`;
  if ((await redis.xrange(inboxKey(prefix), id, id)).length > 0)
    return `${what}. It waits in the inbox: no worker has decided it yet; is rootnote work running?`;
  const aside = await redis.xrange(asideKey(prefix), '-', '+');
  if (aside.some(([, fields]) => fields[0] === 'arrival' && fields[1] === id))
    return `${what}. It could not be decided and is kept aside; the worker's log says why, with arrivalId ${id}`;
  const cameIn = new Date(Number(id.split('-', 1)[0])).toISOString();
  return (
    `${what}. It does not wait any more; if it came in, at ${cameIn}, the worker's log has its decision and its incident: look for arrivalId ${id} ` +
    '(repeats only with LOG_LEVEL=debug). Incidents of that time: rootnote incidents list'
  );
}
