import type { Redis } from 'ioredis';
import { compareSubAgents, parentOf } from '../agent/sub-agents/ids.ts';
import type { Incident } from '../domain/incident.ts';
import { Report } from '../domain/report.ts';
import type { Session } from '../domain/session.ts';
import { createKeptList, type KeptList } from './kept-list.ts';
import { REPORT_TTL_SECONDS, subSessionsKey } from './keys.ts';

/** One line of a list of reports. */
export type ReportSummary = Pick<
  Report,
  | 'id'
  | 'kind'
  | 'generatedAt'
  | 'mode'
  | 'status'
  | 'summary'
  | 'root_cause_service'
  | 'root_cause_type'
  | 'confidence'
> & { readonly title: string; readonly incidentId: string };

export type SessionSummary = Pick<
  Session,
  'id' | 'incidentId' | 'startedAtMs' | 'finishedAtMs' | 'terminationReason' | 'usage'
>;

/** What has been found out, under ids that derive from the incident: a repeated investigation never adds a second report. */
export interface ReportStore {
  /**
   * Keeps a report and its session, with the incident as it was reported: deliveries read them long after the incident itself is forgotten.
   * The first report stands with its session, since some destination may have it already; false when there was another one. All or nothing is kept.
   */
  saveFirst(report: Report, session: Session, incident: Incident): Promise<boolean>;
  getReport(id: string): Promise<Report | undefined>;
  /** A report with the incident it was written about. */
  getReported(id: string): Promise<Reported | undefined>;
  /** Newest first. */
  listReports(limit: number): Promise<readonly ReportSummary[]>;
  /** Of a main agent, or of a sub-agent by its id. */
  getSession(id: string): Promise<Session | undefined>;
  /** Keeps what a sub-agent did, as long as its parent's session is kept. One that tells less than what is kept (stopped, or lost) does not replace it. */
  saveSubSession(parentId: string, session: Session): Promise<void>;
  /** In the order in which they were ordered. */
  getSubSessions(parentId: string): Promise<readonly Session[]>;
  /** Newest first; main agents only. */
  listSessions(limit: number): Promise<readonly SessionSummary[]>;
}

export interface Reported {
  readonly report: Report;
  readonly incident: Incident;
}

/** The caller owns and closes the connection. */
export function createReportStore(redis: Redis, prefix: string): ReportStore {
  const reports: KeptList<Reported> = createKeptList(redis, prefix, 'report', isReported);
  const sessions: KeptList<Session> = createKeptList(redis, prefix, 'session', isSession, {
    companions: (id) => [subSessionsKey(prefix, id)],
  });
  return {
    saveFirst: async (report, session, incident) => {
      // Two workers may be at it: report and session are of the same one, whoever is first.
      const beside = [sessions.entry(session.id, session.startedAtMs, session)];
      const reported = { report, incident };
      const isFirst = await reports.saveFirst(report.id, Date.parse(report.generatedAt), reported, beside);
      if (isFirst) await sessions.trim();
      return isFirst;
    },
    getReport: async (id) => (await reports.get(id))?.report,
    getReported: (id) => reports.get(id),
    listReports: async (limit) => (await reports.list(limit)).map(({ report }) => summarise(report)),
    getSession: async (id) => {
      const parentId = parentOf(id);
      if (parentId === undefined) return sessions.get(id);
      return readSession(await redis.hget(subSessionsKey(prefix, parentId), id));
    },
    saveSubSession: async (parentId, session) => {
      const key = subSessionsKey(prefix, parentId);
      const kept = readSession(await redis.hget(key, session.id));
      if (kept && worthOf(kept) > worthOf(session)) return;
      const transaction = redis.multi().hset(key, session.id, JSON.stringify(session)).expire(key, REPORT_TTL_SECONDS);
      for (const [error] of (await transaction.exec()) ?? []) if (error) throw error;
    },
    getSubSessions: async (parentId) => {
      const found = await redis.hvals(subSessionsKey(prefix, parentId));
      return found.flatMap((json) => readSession(json) ?? []).sort((a, b) => compareSubAgents(a.id, b.id));
    },
    listSessions: async (limit) =>
      (await sessions.list(limit)).map(
        ({ entries: _entries, brief: _brief, hypotheses: _hypotheses, ...summary }) => summary,
      ),
  };
}

function summarise(report: Report): ReportSummary {
  const { id, kind, generatedAt, mode, status, summary, root_cause_service, root_cause_type, confidence } = report;
  const about = { title: report.incident.title, incidentId: report.incident.id };
  return { id, kind, generatedAt, mode, status, summary, root_cause_service, root_cause_type, confidence, ...about };
}

/** A report of another schema version, left by an older or newer Rootnote, is passed over. */
function isReported(value: unknown): value is Reported {
  return value instanceof Object && 'incident' in value && 'report' in value && Report.safeParse(value.report).success;
}

/** How much a sub-agent's session tells: nothing when it was given up, the beginning when it was stopped, else all. */
function worthOf({ terminationReason }: Session): number {
  if (terminationReason === 'lost') return 0;
  return terminationReason === 'aborted' ? 1 : 2;
}

function readSession(json: string | null): Session | undefined {
  if (json === null) return undefined;
  const value: unknown = JSON.parse(json);
  return isSession(value) ? value : undefined;
}

function isSession(value: unknown): value is Session {
  return value instanceof Object && 'entries' in value && Array.isArray(value.entries);
}
