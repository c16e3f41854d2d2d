import type { Redis } from 'ioredis';
import type { IncidentPage, IncidentQuery, IncidentReader } from '../http/app.ts';
import { isStormId, openReading, readIncident, readStorm, viewOf, type IncidentView } from './incident-view.ts';
import { readUndecided } from './watch-inbox.ts';

/** Incidents that are read at once. */
const PORTION = 100;
/** Incidents that one page looks through for a rare state; the page then names where to go on. */
const MOST_LOOKED_THROUGH = 1000;

/** What the API shows of incidents and storms. The caller owns and closes the connection. */
export function createIncidentReader(redis: Redis, prefix: string): IncidentReader {
  const reading = openReading(redis, prefix);
  const readPortion = async (kind: IncidentQuery['kind'], before: string | undefined) => {
    const { incidents } = reading;
    const ids = await (kind === 'check' ? incidents.listRunIds(PORTION, before) : incidents.listIds(PORTION, before));
    const lives = await Promise.all(ids.map((id) => reading.incidents.getLife(id)));
    return ids.map((id, at) => ({ id, life: lives[at] }));
  };
  return {
    getIncident: (id) => (isStormId(id) ? readStorm(reading, id) : readIncident(reading, id)),
    listIncidents: async ({ limit, kind, state, before }: IncidentQuery): Promise<IncidentPage> => {
      const undecided = (await readUndecided(redis, prefix)) ?? null;
      const incidents: IncidentView[] = [];
      let cursor = before;
      for (let looked = 0; looked < MOST_LOOKED_THROUGH; looked += PORTION) {
        const portion = await readPortion(kind, cursor);
        for (const { id, life } of portion) {
          cursor = id;
          if (!life || (state !== undefined && life.incident.state !== state)) continue;
          incidents.push(await viewOf(reading, life));
          if (incidents.length === limit) return { incidents, undecided, next: id };
        }
        if (portion.length < PORTION) return { incidents, undecided, next: null };
      }
      return { incidents, undecided, next: cursor ?? null };
    },
  };
}
