import type { Redis } from 'ioredis';
import { duration } from '../domain/relative-time.ts';
import { roundId } from '../domain/work-id.ts';
import { reportId, sessionId } from '../investigate/write-report.ts';
import { silentLogger } from '../platform/logger.ts';
import { oneLine } from '../policy/untrusted.ts';
import { watchInvestigations, type InvestigationJob } from '../queue/watch-investigations.ts';
import { createIncidentStore } from '../sessions/incident-store.ts';
import { createReportStore, type SessionSummary } from '../sessions/report-store.ts';
import { createResumeStore } from '../sessions/resume-store.ts';
import { createUpdateStore } from '../sessions/update-store.ts';
import { endedInWords } from './ended-words.ts';
import { counted } from '../domain/counted.ts';
import { toJson } from './to-json.ts';

const LIST_LIMIT = 50;
/** Incidents among which those under way are looked for: a storm opens more than are listed. */
const MOST_LOOKED_THROUGH = 1000;
/** A check has one run at a time. */
const MOST_RUNS = 100;

/** An investigation without a report so far. */
interface UnderWay extends InvestigationJob {
  /** Of the session that it will have. */
  readonly id: string;
  readonly incidentId: string;
  readonly title: string;
  readonly turns: number;
  readonly subAgents: number;
}

/** What `rootnote sessions list` prints: investigations under way, then those that have ended, newest first. */
export async function listSessions(redis: Redis, prefix: string, json: boolean): Promise<string> {
  const [underWay, ended] = await Promise.all([
    findUnderWay(redis, prefix),
    createReportStore(redis, prefix).listSessions(LIST_LIMIT),
  ]);
  if (json) {
    const rows = [...underWay, ...ended.map((session) => ({ ...session, state: 'ended' }))];
    return toJson(rows);
  }
  if (underWay.length + ended.length === 0) return 'No sessions yet.\n';
  return [...underWay.map(underWayLine), ...ended.map(endedLine)].join('');
}

async function findUnderWay(redis: Redis, prefix: string): Promise<readonly UnderWay[]> {
  const log = silentLogger();
  const stores = {
    incidents: createIncidentStore(redis, prefix),
    reports: createReportStore(redis, prefix),
    resume: createResumeStore(redis, prefix, log),
    updates: createUpdateStore(redis, prefix),
  };
  const jobs = watchInvestigations(redis, prefix, log);
  const find = async (incidentId: string): Promise<UnderWay | undefined> => {
    const life = await stores.incidents.getLife(incidentId);
    if (life?.stage !== 'investigating' && life?.incident.kind !== 'check') return undefined;
    const standing = await stores.reports.getReported(reportId(incidentId));
    const isLater = standing !== undefined && standing.report.stage === undefined;
    const workId = roundId(incidentId, isLater ? (standing.round ?? 1) + 1 : 1);
    // The first investigation of what another one covered until it grew is done by the job that its growth made.
    const taken = await stores.updates.jobOf(workId);
    const job = (await jobs.find(taken)) ?? (isLater ? undefined : await jobs.find(`investigate_${incidentId}`));
    if (!job) return undefined;
    const { main, subAgents } = await stores.resume.used(workId);
    const about = { id: sessionId(workId), incidentId, title: life.incident.title };
    return { ...about, ...job, turns: main.turns, subAgents: subAgents.length };
  };
  try {
    const { incidents } = stores;
    const ids = await Promise.all([incidents.listIds(MOST_LOOKED_THROUGH), incidents.listRunIds(MOST_RUNS)]);
    const found = await Promise.all(ids.flat().map(find));
    return found.filter((one) => one !== undefined);
  } finally {
    await jobs.close();
  }
}

function underWayLine({ id, title, state, attempt, turns, subAgents, startedAtMs }: UnderWay): string {
  const soFar = [counted(turns, 'turn'), ...(subAgents > 0 ? [counted(subAgents, 'sub-agent')] : [])].join(', ');
  return `${new Date(startedAtMs).toISOString()}  ${id}  ${state}, attempt ${attempt}, ${soFar} so far  ${oneLine(title)}\n`;
}

function endedLine({ id, startedAtMs, finishedAtMs, terminationReason, usage, result }: SessionSummary): string {
  const took = duration(finishedAtMs - startedAtMs);
  const subAgents = result && result.subAgents > 0 ? [counted(result.subAgents, 'sub-agent')] : [];
  const turns = usage.turns > 0 ? [counted(usage.turns, 'turn')] : [];
  const used = [endedInWords(terminationReason), ...turns, ...subAgents, ...costOf(result), took].join(', ');
  return `${new Date(startedAtMs).toISOString()}  ${id}  ${used}${result ? `  ${verdictOf(result)}` : ''}\n`;
}

function costOf(result: SessionSummary['result']): readonly string[] {
  if (!result || result.costUsd === 0) return [];
  return [result.costUsd === null ? 'cost not known' : `$${result.costUsd.toFixed(result.costUsd < 0.1 ? 4 : 2)}`];
}

function verdictOf({ title, status, rootCauseService, confidence }: NonNullable<SessionSummary['result']>): string {
  const cause = rootCauseService === null ? '' : ` ${rootCauseService}`;
  return `${oneLine(title)}: ${status}${cause} ${confidence.toFixed(2)}`;
}
