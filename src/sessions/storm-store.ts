import type { Redis } from 'ioredis';
import { createHash } from 'node:crypto';
import type { Incident } from '../domain/incident.ts';
import type { Topology } from '../domain/telemetry.ts';
import { severityRank } from '../intake/alert-name.ts';
import { tiesOf } from '../intake/storm-ties.ts';
import type { Placement, StormMember, Storms } from '../intake/storm.ts';
import type { IncidentStore } from './incident-store.ts';
import { INCIDENT_TTL_SECONDS, incidentKey, membersKey, outboxKey, stormKey } from './keys.ts';
import { createStormReader, type StormReader, type StormReaderDeps } from './storm-reader.ts';
import { DETECT_STORM, leadOf, PLACE_INCIDENT } from './storm-script.ts';

/** How long an incident that was placed can be joined by others. */
const TIE_TTL_SECONDS = 3600;
/** A storm is quiet, and over, when nothing was opened for so long. */
const QUIET_MS = 300_000;
/** Incidents that are not connected with others; those of the highest severity are investigated even beyond it. */
const MOST_INVESTIGATIONS = 30;
/** Of an alert without a severity. */
const LEAST_RANK = 6;

export interface StormRules {
  /** A storm is on when more incidents than this … */
  readonly threshold: number;
  /** … were opened within this time. */
  readonly windowMs: number;
  readonly quietMs?: number;
  readonly mostInvestigations?: number;
}

export interface StormStore extends Storms, StormReader {
  /** Brings storms up to date; ids of those that are to be told, oldest first. */
  listTold(): Promise<readonly string[]>;
  /** What was last told of it; its number is 0 when nothing was. */
  getEdition(stormId: string): Promise<Edition>;
  saveEdition(stormId: string, edition: Edition): Promise<void>;
  /** True for one process at a time, at most once in the time. */
  takeTurn(everyMs: number): Promise<boolean>;
  /** It is not told any more. */
  close(stormId: string): Promise<void>;
}

export interface Edition {
  readonly number: number;
  /** Hash of what it said. */
  readonly digest: string;
}

export interface StormDeps extends StormReaderDeps {
  readonly incidents: Pick<IncidentStore, 'getIncident' | 'getLife' | 'anyFires'>;
  readonly topology: Topology;
  /** Names of those that are told of it. Only incidents that are told to the same ones join: who is told of one would not hear of the other. */
  readonly destinationsFor: (incident: Incident) => readonly string[];
  readonly rules: StormRules;
}

type Command = (outbox: string, ...args: (string | number)[]) => Promise<string>;

/** Storms in Redis, shared by all processes. The caller owns and closes the connection. */
export function createStormStore(redis: Redis, prefix: string, deps: StormDeps): StormStore {
  redis.defineCommand('rootnoteDetectStorm', { numberOfKeys: 1, lua: DETECT_STORM });
  redis.defineCommand('rootnotePlace', { numberOfKeys: 1, lua: PLACE_INCIDENT });
  const scripts = redis as unknown as { rootnoteDetectStorm: Command; rootnotePlace: Command };
  const { threshold, windowMs, quietMs = QUIET_MS, mostInvestigations = MOST_INVESTIGATIONS } = deps.rules;
  // A shorter quiet time would begin the same storm again.
  const quiet = Math.max(quietMs, windowMs);
  const place = [outboxKey(prefix), prefix, INCIDENT_TTL_SECONDS, threshold, windowMs, quiet] as const;
  const reader = createStormReader(redis, prefix, deps);
  const keyOf = (id: string) => stormKey(prefix, id);
  const turnKey = `${prefix}:storm-turn`;
  return {
    ...reader,
    place: async (incident) => {
      if (incident.kind === 'check') return { kind: 'alone' };
      const { own, reach } = tiesOf(incident, deps.topology);
      const told = deps.destinationsFor(incident).toSorted();
      const ties = [...own, ...reach].map((tie) => hash(JSON.stringify([told, tie])));
      const about = [mostInvestigations, TIE_TTL_SECONDS, incident.id, priorityOf(incident), own.length];
      return readPlacement(await scripts.rootnotePlace.call(redis, ...place, ...about, ...ties));
    },
    membersOf: async (incidentId, limit) => {
      const ids = await reader.listMembers(incidentId, limit);
      const members = await Promise.all(ids.map((id) => deps.incidents.getIncident(id)));
      return members.flatMap((incident) => (incident ? [memberOf(incident)] : []));
    },
    closedBy: async (incidentId) => {
      const placement = await redis.hget(incidentKey(prefix, incidentId), 'placement');
      if (placement === 'summary-only') return undefined;
      const leadId = leadOf(placement) ?? incidentId;
      const ids = [leadId, ...(await redis.smembers(membersKey(prefix, leadId)))];
      return (await deps.incidents.anyFires(ids)) ? undefined : leadId;
    },
    listTold: async () => {
      await scripts.rootnoteDetectStorm.call(redis, ...place);
      return redis.zrange(`${prefix}:storms`, 0, '-1');
    },
    getEdition: async (stormId) => {
      const [number, digest] = await redis.hmget(keyOf(stormId), 'edition', 'digest');
      return { number: Number(number ?? 0), digest: digest ?? '' };
    },
    saveEdition: async (stormId, { number, digest }) => {
      await redis.hset(keyOf(stormId), { edition: number, digest });
    },
    takeTurn: async (everyMs) => (await redis.set(turnKey, '', 'PX', everyMs, 'NX')) === 'OK',
    close: async (stormId) => {
      await redis.zrem(`${prefix}:storms`, stormId);
    },
  };
}

function readPlacement(text: string): Placement {
  const of = leadOf(text);
  if (of !== undefined) return { kind: 'member', of };
  return text === 'leads' || text === 'summary-only' ? { kind: text } : { kind: 'alone' };
}

function memberOf({ id, title, service, severity }: Incident): StormMember {
  return { incidentId: id, title, service, severity };
}

/** As admission makes it of an alert: that of the gravest one that fires. */
function priorityOf({ alerts }: Incident): number {
  const firing = alerts.filter(({ status }) => status === 'firing');
  return 2 * Math.min(...(firing.length > 0 ? firing : alerts).map(severityRank), LEAST_RANK);
}

/** Labels are untrusted and long; keys are neither. */
function hash(tie: string): string {
  return createHash('sha256').update(tie).digest('hex').slice(0, 24);
}
