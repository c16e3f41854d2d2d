import type { Redis } from 'ioredis';
import type { Report } from '../domain/report.ts';
import type { StormSummary } from '../domain/storm.ts';
import { composeStorm, type StormLine, type StormRow } from '../intake/storm-summary.ts';
import type { Storms } from '../intake/storm.ts';
import { reportId } from '../investigate/write-report.ts';
import { idsLike } from './ids-like.ts';
import { isFiring, type IncidentStore, type Stage } from './incident-store.ts';
import { incidentKey, incidentsKey, membersKey, stormKey } from './keys.ts';
import type { ReportStore } from './report-store.ts';
import { leadOf } from './storm-script.ts';

/** Storms as they stand, and who is investigated together; changes nothing. */
export interface StormReader {
  /** Undefined when it is forgotten. `mostListed`: default as many as a post lists. */
  getSummary(stormId: string, mostListed?: number): Promise<StormSummary | undefined>;
  /** Ids of storms that begin like this, at most so many. */
  idsLike(start: string, limit: number): Promise<readonly string[]>;
  /** How many incidents the investigation of this one covers. */
  countMembers(incidentId: string): Promise<number>;
  /** Ids of those, as of `Storms`. */
  listMembers: Storms['listMembers'];
}

export interface StormReaderDeps {
  readonly incidents: Pick<IncidentStore, 'getLife'>;
  readonly reports: Pick<ReportStore, 'getReport'>;
}

/** The caller owns and closes the connection. */
export function createStormReader(redis: Redis, prefix: string, deps: StormReaderDeps): StormReader {
  return {
    getSummary: async (stormId, mostListed) => {
      const storm = await redis.hgetall(stormKey(prefix, stormId));
      if (storm['startedAtMs'] === undefined) return undefined;
      const ids = await redis.zrange(`${stormKey(prefix, stormId)}:incidents`, 0, '-1');
      const rows = await readRows(redis, prefix, ids);
      const [startedAtMs, updatedAtMs] = [Number(storm['startedAtMs']), Number(storm['joinedAtMs'])];
      const over = storm['overAtMs'] === undefined ? {} : { overAtMs: Number(storm['overAtMs']) };
      const facts = { id: stormId, startedAtMs, updatedAtMs, isOver: 'overAtMs' in over, ...over };
      return composeStorm(facts, rows, (row) => describe(deps, row), mostListed);
    },
    idsLike: (start, limit) => idsLike(redis, `${prefix}:storm-log`, start, limit),
    countMembers: (incidentId) => redis.scard(membersKey(prefix, incidentId)),
    listMembers: async (incidentId, limit) => {
      const ids = await redis.smembers(membersKey(prefix, incidentId));
      if (ids.length === 0) return [];
      const openedAt = await redis.zmscore(incidentsKey(prefix), ...ids);
      const times = new Map(ids.map((id, at) => [id, Number(openedAt[at] ?? 0)]));
      return ids.toSorted((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0) || (a < b ? -1 : 1)).slice(0, limit);
    },
  };
}

const ROW_FIELDS = ['placement', 'alertCount', 'priority', 'placedPriority', 'state', 'heldUntilMs', 'stage'] as const;

async function readRows(redis: Redis, prefix: string, ids: readonly string[]): Promise<readonly StormRow[]> {
  const nowMs = Date.now();
  const pipeline = redis.pipeline();
  for (const id of ids) pipeline.hmget(incidentKey(prefix, id), ...ROW_FIELDS);
  const answers = (await pipeline.exec()) ?? [];
  return answers.map(([error, values], at) => {
    if (error) throw error;
    const [placement, alertCount, opened, placed, state, heldUntilMs, stage] = values as (string | null)[];
    return {
      id: ids[at] ?? '',
      memberOf: leadOf(placement),
      share: shareOf(placement, stage),
      alertCount: Number(alertCount ?? 0),
      priority: Number(placed ?? opened ?? 0),
      isFiring: isFiring(state, heldUntilMs, nowMs),
    };
  });
}

function shareOf(placement: string | null | undefined, stage: string | null | undefined): StormRow['share'] {
  // What is muted is never placed.
  if (!placement) return stage === 'muted' ? 'only-listed' : 'waiting';
  if (placement === 'summary-only') return 'only-listed';
  return leadOf(placement) === undefined ? 'investigated' : 'joined';
}

/** One line of the summary: how far its investigation is, and what it found. */
async function describe({ incidents, reports }: StormReaderDeps, row: StormRow): Promise<StormLine | undefined> {
  const life = await incidents.getLife(row.id);
  if (!life) return undefined;
  const { incident, stage } = life;
  const report = await reports.getReport(reportId(row.id));
  return {
    incidentId: row.id,
    title: incident.title,
    severity: incident.severity,
    state: stateOf(report, stage),
    summary: report ? summaryOf(report) : (WITHOUT_REPORT[stage] ?? undefined),
  };
}

/** A first look is no report: the agent's may come to something else. */
function stateOf(report: Report | undefined, stage: Stage): StormLine['state'] {
  if (report && report.stage !== 'first_look') return 'reported';
  if (stage === 'investigating') return 'investigating';
  return WITHOUT_REPORT[stage] === undefined ? 'waiting' : 'not-investigated';
}

/** Those that get no report of their own say why. */
const WITHOUT_REPORT: Partial<Record<Stage, string>> = {
  joined: 'too many incidents of this storm are not connected',
  muted: 'muted',
  'gave-up': 'could not be investigated',
};

/** A cause that was not found is no cause: members must not take it for one. */
function summaryOf({ status, summary }: Report): string {
  return status === 'inconclusive' ? `inconclusive: ${summary}` : summary;
}
