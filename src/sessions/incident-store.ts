import type { Redis } from 'ioredis';
import type { Alert } from '../domain/alert.ts';
import type { Incident } from '../domain/incident.ts';
import type { IncidentHeader } from '../intake/admission.ts';
import { composeIncident } from '../intake/compose-incident.ts';
import { INCIDENT_TTL_SECONDS, incidentKey, incidentsKey } from './keys.ts';

export interface IncidentStore {
  /** The incident with all that has joined it by now; undefined when unknown or forgotten. */
  getIncident(id: string): Promise<Incident | undefined>;
  /** Keeps the incident of a scheduled check, which no alert opened. Saving it again changes nothing but its time to live. */
  saveCheck(incident: Incident): Promise<void>;
  /** When its last alert resolved; undefined while it fires. */
  getResolvedAtMs(id: string): Promise<number | undefined>;
  /** Ids of the incidents and checks that were opened last, newest first. */
  listIds(limit: number): Promise<readonly string[]>;
}

export function createIncidentStore(redis: Redis, prefix: string): IncidentStore {
  return {
    getIncident: async (id) => {
      const fields = await redis.hgetall(incidentKey(prefix, id));
      if (fields['check'] !== undefined) return JSON.parse(fields['check']) as Incident;
      return fields['header'] === undefined ? undefined : readIncident(id, fields, fields['header']);
    },
    saveCheck: async (incident) => {
      const key = incidentKey(prefix, incident.id);
      const answers = await redis
        .multi()
        .hset(key, 'check', JSON.stringify(incident))
        .expire(key, INCIDENT_TTL_SECONDS)
        .zadd(incidentsKey(prefix), incident.startsAtMs, incident.id)
        .zremrangebyscore(incidentsKey(prefix), '-inf', incident.startsAtMs - INCIDENT_TTL_SECONDS * 1000)
        .exec();
      for (const [error] of answers ?? []) if (error) throw error;
    },
    getResolvedAtMs: async (id) => {
      const value = await redis.hget(incidentKey(prefix, id), 'resolvedAtMs');
      return value === null ? undefined : Number(value);
    },
    listIds: async (limit) => (limit < 1 ? [] : redis.zrevrange(incidentsKey(prefix), 0, limit - 1)),
  };
}

function readIncident(id: string, fields: Readonly<Record<string, string>>, header: string): Incident {
  const alerts = Object.entries(fields)
    .filter(([name]) => name.startsWith('alert:'))
    .map(([, json]) => JSON.parse(json) as Alert);
  return composeIncident({
    id,
    header: JSON.parse(header) as IncidentHeader,
    state: fields['state'] === 'resolved' ? 'resolved' : 'firing',
    startsAtMs: Number(fields['startsAtMs']),
    alerts,
    alertCount: Number(fields['alertCount']),
    truncatedAlerts: Number(fields['truncatedAlerts']),
  });
}
