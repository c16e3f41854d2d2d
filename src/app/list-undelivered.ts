import type { Redis } from 'ioredis';
import { duration } from '../domain/relative-time.ts';
import { oneLine } from '../policy/untrusted.ts';
import { readBacklog, readWaiting, type Backlog, type Waiting } from '../queue/deliveries/backlog.ts';
import { readGivenUp, type GivenUp } from '../queue/deliveries/given-up.ts';
import { createIncidentStore } from '../sessions/incident-store.ts';
import { counted } from '../domain/counted.ts';
import { toJson } from './to-json.ts';

/** What no destination will be told by itself, with the command that sends it again; and what still waits. */
export async function listUndelivered(redis: Redis, prefix: string, json: boolean): Promise<string> {
  const [givenUp, backlog] = await Promise.all([readGivenUp(redis, prefix), readBacklog(redis, prefix)]);
  const incidents = createIncidentStore(redis, prefix);
  const views = await Promise.all(
    givenUp.map(async (one) => viewOf(one, (await incidents.getIncident(one.subjectId))?.title)),
  );
  const waiting = await Promise.all(
    backlog
      .filter(({ deliveries }) => deliveries > 0)
      .map(async (place) => {
        const oldest = await readWaiting(redis, prefix, place.destination, MOST_WAITING);
        return { ...place, oldest: oldest.map(waitingView) };
      }),
  );
  if (json) return toJson({ gaveUp: views, waiting });
  const none = views.length === 0 ? ['Nothing is given up.\n'] : [];
  return [...none, ...views.map(printGivenUp), ...waiting.map(printWaiting)].join('');
}

/** Of what waits at one destination: who has more has one cause. */
const MOST_WAITING = 10;

/** `dueAt`: not tried before; null when nothing holds it back. */
function waitingView({ subjectId, content, attempts, reason, dueAtMs }: Waiting) {
  const dueAt = dueAtMs === undefined ? null : new Date(dueAtMs).toISOString();
  return { id: subjectId, content, attempts, reason: reason ?? null, dueAt };
}

/** `title`: unknown for storms, and for incidents that are not kept any more. */
function viewOf({ subjectId, destination, content, attempts, reason, updatedAtMs }: GivenUp, title?: string) {
  return {
    id: subjectId,
    title: title ?? null,
    destination,
    content,
    gaveUpAt: new Date(updatedAtMs).toISOString(),
    attempts,
    reason: reason ?? null,
    retry: `rootnote deliveries retry ${subjectId} ${destination}`,
  };
}

/** Two lines: what and why, and what to do. Titles and reasons are what others said. */
function printGivenUp({
  id,
  title,
  destination,
  content,
  gaveUpAt,
  attempts,
  reason,
  retry,
}: ReturnType<typeof viewOf>) {
  const what = `${content} of ${title === null ? id : oneLine(title)}`;
  const tries = counted(attempts, 'attempt');
  return `${gaveUpAt}  ${destination}  ${what}, after ${tries}${reason === null ? '' : `: ${oneLine(reason)}`}\n    ${retry}\n`;
}

/** How many wait, and of the oldest what stands in the way. */
function printWaiting(place: Backlog & { readonly oldest: readonly ReturnType<typeof waitingView>[] }): string {
  const { destination, deliveries, oldestAgeMs, oldest } = place;
  const head = `waiting  ${destination}  ${deliveries}, the oldest for ${duration(oldestAgeMs)}; sent by itself\n`;
  const lines = oldest.map(({ id, content, attempts, reason, dueAt }) => {
    const why = reason === null ? '' : `: ${oneLine(reason)}`;
    return `    ${content} of ${id}, after ${counted(attempts, 'attempt')}${why}${dueAt === null ? '' : `; not before ${dueAt}`}\n`;
  });
  return [head, ...lines].join('');
}
