import type { Redis } from 'ioredis';
import type { Alert } from '../domain/alert.ts';
import type { Incident, Recurrence } from '../domain/incident.ts';
import type { IncidentHeader } from '../intake/admission.ts';
import { composeIncident } from '../intake/compose-incident.ts';
import { idsLike } from './ids-like.ts';
import { INCIDENT_LUA } from './incident-lua.ts';
import { checkRunsKey, INCIDENT_TTL_SECONDS, incidentKey, incidentsKey, outboxKey } from './keys.ts';
import { leadOf } from './storm-script.ts';

/** How far the work on an incident is. `joined`: another incident's investigation covers it. `gave-up`: there is no report, or only one that says why. */
export type Stage = 'waiting' | 'investigating' | 'reported' | 'muted' | 'joined' | 'gave-up';
/** At these a run of a check is over: it has no alerts that could end. */
export const ENDED_STAGES = ['reported', 'muted', 'joined', 'gave-up'] as const satisfies readonly Stage[];

export interface IncidentStore {
  /** The incident with all that has joined it by now; undefined when unknown or forgotten. */
  getIncident(id: string): Promise<Incident | undefined>;
  /** When its last alert resolved; undefined while it fires. */
  getResolvedAtMs(id: string): Promise<number | undefined>;
  /** True when one of them fires by now; one that is forgotten does not. */
  anyFires(ids: readonly string[]): Promise<boolean>;
  /** Ids of the incidents that were opened last, newest first; with `before`, of those that were opened before that one. */
  listIds(limit: number, before?: string): Promise<readonly string[]>;
  /** The same of the runs of scheduled checks. */
  listRunIds(limit: number, before?: string): Promise<readonly string[]>;
  /** Ids of incidents and runs that begin like this, at most so many. */
  idsLike(start: string, limit: number): Promise<readonly string[]>;
  /**
   * Says how far the work is, and why, in the record of decisions. Of a forgotten incident nothing is kept, nor that a round (1, when absent) begins which has
   * ended: a worker that was overtaken comes late with that.
   */
  noteProgress(
    id: string,
    stage: Exclude<Stage, 'waiting'>,
    atMs: number,
    reason?: string,
    round?: number,
  ): Promise<void>;
  /** The incident with what was decided about it; undefined when unknown or forgotten. */
  getLife(id: string): Promise<IncidentLife | undefined>;
}

export interface IncidentLife {
  readonly incident: Incident;
  readonly stage: Stage;
  /** When it was admitted; of a check, when it was due. */
  readonly openedAtMs: number;
  /** When its last alert resolved; of a check, when its run was over. */
  readonly resolvedAtMs: number | undefined;
  /** Of one that flaps and is quiet: when it is resolved unless it fires again. */
  readonly heldUntilMs: number | undefined;
  /** The storm that it belongs to. */
  readonly stormId: string | undefined;
  /** The incident whose investigation covers it, in a storm. */
  readonly coveredBy: string | undefined;
  /** Notifications that told nothing new: retries, repeats and peers' copies. */
  readonly repeats: number;
  /** The latest 50, oldest first. */
  readonly decisions: readonly IncidentDecision[];
}

export interface IncidentDecision {
  readonly atMs: number;
  readonly decision: string;
  readonly reason: string;
}

/** Incidents that are read at once: mostly the first ones tell. */
const PORTION = 50;

/** KEYS[1] outbox. ARGV: prefix, time to live (s), incident, stage, at (ms), reason, round. */
const NOTE_PROGRESS = `${INCIDENT_LUA}
local id, stage, round = ARGV[3], ARGV[4], tonumber(ARGV[7])
if redis.call('EXISTS', incidentKey(id)) == 0 then return end
local ended = tonumber(redis.call('HGET', incidentKey(id), 'endedRound') or '0')
if stage == 'investigating' and round <= ended then return end
if (stage == 'reported' or stage == 'gave-up') and round > ended then redis.call('HSET', incidentKey(id), 'endedRound', round) end
redis.call('HSET', incidentKey(id), 'stage', stage, 'stageAtMs', ARGV[5])
-- What it is compared with when further alerts join.
if stage == 'investigating' then redis.call('HSET', incidentKey(id), 'seenFiring', redis.call('SCARD', firingKey(id))) end
trail(id, stage, ARGV[6])
`;

type Fields = Readonly<Record<string, string>>;
type NoteProgress = (outbox: string, ...args: (string | number)[]) => Promise<unknown>;

export function createIncidentStore(redis: Redis, prefix: string, now: () => number = Date.now): IncidentStore {
  redis.defineCommand('rootnoteProgress', { numberOfKeys: 1, lua: NOTE_PROGRESS });
  const { rootnoteProgress } = redis as unknown as { rootnoteProgress: NoteProgress };
  const listNewest = async (listKey: string, limit: number, before: string | undefined) => {
    if (limit < 1) return [];
    const rank = before === undefined ? -1 : await redis.zrevrank(listKey, before);
    return rank === null ? [] : redis.zrevrange(listKey, rank + 1, rank + limit);
  };
  const load = async (id: string): Promise<Fields> => redis.hgetall(incidentKey(prefix, id));
  return {
    getIncident: async (id) => readIncident(id, await load(id), now()),
    getResolvedAtMs: async (id) => {
      const [held, resolved] = await redis.hmget(incidentKey(prefix, id), 'heldUntilMs', 'resolvedAtMs');
      return resolved == null || Number(held ?? 0) > now() ? undefined : Number(resolved);
    },
    anyFires: async (ids) => {
      for (let at = 0; at < ids.length; at += PORTION) {
        const pipeline = redis.pipeline();
        for (const id of ids.slice(at, at + PORTION)) pipeline.hmget(incidentKey(prefix, id), 'state', 'heldUntilMs');
        for (const [error, values] of (await pipeline.exec()) ?? []) {
          if (error) throw error;
          const [state, held] = values as (string | null)[];
          if (isFiring(state, held, now())) return true;
        }
      }
      return false;
    },
    listIds: (limit, before) => listNewest(incidentsKey(prefix), limit, before),
    listRunIds: (limit, before) => listNewest(checkRunsKey(prefix), limit, before),
    idsLike: async (start, limit) => {
      const lists = [incidentsKey(prefix), checkRunsKey(prefix)];
      const found = await Promise.all(lists.map((listKey) => idsLike(redis, listKey, start, limit)));
      return found.flat().slice(0, limit);
    },
    noteProgress: async (id, stage, atMs, reason = '', round = 1) => {
      const place = [outboxKey(prefix), prefix, INCIDENT_TTL_SECONDS] as const;
      await rootnoteProgress.call(redis, ...place, id, stage, atMs, reason, round);
    },
    getLife: async (id) => {
      const fields = await load(id);
      const incident = readIncident(id, fields, now());
      return incident && readLife(withEnd(incident, fields), fields);
    },
  };
}

/** From the fields of an incident's hash: one that flaps is over when its quiet time is. */
export function isFiring(state: string | null | undefined, heldUntilMs: string | null | undefined, nowMs: number) {
  return state === 'firing' && !(heldUntilMs && Number(heldUntilMs) <= nowMs);
}

function readIncident(id: string, fields: Fields, nowMs: number): Incident | undefined {
  if (fields['check'] !== undefined) return JSON.parse(fields['check']) as Incident;
  if (fields['header'] === undefined) return undefined;
  const alerts = Object.entries(fields)
    .filter(([name]) => name.startsWith('alert:'))
    .map(([, json]) => JSON.parse(json) as Alert);
  return composeIncident({
    id,
    header: JSON.parse(fields['header']) as IncidentHeader,
    state: isFiring(fields['state'], fields['heldUntilMs'], nowMs) ? 'firing' : 'resolved',
    startsAtMs: Number(fields['startsAtMs']),
    alerts,
    alertCount: Number(fields['alertCount']),
    truncatedAlerts: Number(fields['truncatedAlerts']),
    history: readHistory(fields),
  });
}

function readHistory(fields: Fields): Pick<Incident, 'follows' | 'recurs' | 'flapping' | 'acknowledged'> {
  const { follows, recurs, flapping, acknowledgedBy } = fields;
  const acknowledgedAtMs = optional(fields['acknowledgedAtMs']);
  return {
    ...(follows === undefined ? {} : { follows }),
    ...(recurs === undefined ? {} : { recurs: readRecurrence(recurs) }),
    ...(flapping === undefined ? {} : { flapping: readRecurrence(flapping) }),
    ...(acknowledgedAtMs === undefined
      ? {}
      : { acknowledged: { by: acknowledgedBy || undefined, atMs: acknowledgedAtMs } }),
  };
}

function readRecurrence(text: string): Recurrence {
  const [times, sinceMs] = text.split(' ').map(Number);
  return { times: times ?? 1, sinceMs: sinceMs ?? 0 };
}

/** A run of a check is kept as it was handed in; it is over with its work. */
function withEnd(incident: Incident, { stage }: Fields): Incident {
  const isOver = incident.kind === 'check' && ENDED_STAGES.some((ended) => ended === stage);
  return isOver ? { ...incident, state: 'resolved' } : incident;
}

function readLife(incident: Incident, fields: Fields): IncidentLife {
  const isOver = incident.state === 'resolved';
  return {
    incident,
    stage: (fields['stage'] ?? 'waiting') as Stage,
    openedAtMs: optional(fields['openedAtMs']) ?? incident.startsAtMs,
    resolvedAtMs: isOver ? optional(fields[incident.kind === 'check' ? 'stageAtMs' : 'resolvedAtMs']) : undefined,
    heldUntilMs: isOver ? undefined : optional(fields['heldUntilMs']),
    stormId: fields['storm'],
    coveredBy: leadOf(fields['placement']),
    repeats: optional(fields['repeats']) ?? 0,
    decisions: readDecisions(fields),
  };
}

/** `<number> <time> <decision> <reason>`, as scripts write them. */
function readDecisions(fields: Fields): readonly IncidentDecision[] {
  return Object.entries(fields)
    .filter(([name]) => name.startsWith('decision:'))
    .map(([, text]) => {
      const [number = '0', at = '0', decision = '', ...reason] = text.split(' ');
      return { number: Number(number), atMs: Number(at), decision, reason: reason.join(' ') };
    })
    .sort((a, b) => a.number - b.number)
    .map(({ number: _number, ...rest }) => rest);
}

function optional(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
