import type { Redis } from 'ioredis';
import { compareSubAgents, parentOf } from '../agent/sub-agents/ids.ts';
import type { Incident } from '../domain/incident.ts';
import type { Look } from '../domain/look.ts';
import { Report } from '../domain/report.ts';
import type { Session } from '../domain/session.ts';
import { reportId } from '../investigate/write-report.ts';
import { createKeptList, type KeptEntry, type KeptList } from './kept-list.ts';
import { REPORT_TTL_SECONDS, subSessionsKey } from './keys.ts';

/** One line of a list of reports. */
export type ReportSummary = Pick<
  Report,
  | 'id'
  | 'kind'
  | 'generatedAt'
  | 'stage'
  | 'mode'
  | 'status'
  | 'summary'
  | 'root_cause_service'
  | 'root_cause_type'
  | 'confidence'
> & { readonly title: string; readonly incidentId: string };

export type SessionSummary = Pick<
  Session,
  'id' | 'incidentId' | 'startedAtMs' | 'finishedAtMs' | 'terminationReason' | 'usage' | 'result'
>;

/** For a later look to compare itself with: the verdict, and the analyst's on the same ranking. */
export interface Looks {
  readonly verdict: Look;
  readonly analyst: Look;
}

export interface Reported {
  readonly report: Report;
  readonly incident: Incident;
  /** Absent in a first look, and when an investigation was given up. */
  readonly looks?: Looks;
  /** What put it in the place of the first report: the id of a look or a round, and what is to be told of it. */
  readonly later?: { readonly workId: string; readonly news: string };
  /** How often the incident was investigated in full; absent: once. */
  readonly round?: number;
  /** When the last full investigation ended; absent: with this report. */
  readonly roundEndedAtMs?: number;
}

/** What has been found out, under ids that derive from the incident: an incident has one report that stands, whatever is repeated. */
export interface ReportStore {
  /**
   * Keeps what stands until the report is there. False when another first look, or the report, stands already: that one is to be told. The same one
   * again is the first.
   */
  saveFirstLook(report: Report, incident: Incident): Promise<boolean>;
  /** As it was told, also when its report stands by now. */
  getFirstLook(id: string): Promise<Reported | undefined>;
  /**
   * Keeps a report and its session, with the incident as it was reported: deliveries read them long after the incident itself is forgotten. It takes the
   * place of a first look. The first report stands with its session, since some destination may have it already; false when there was another one. All or
   * nothing is kept.
   */
  saveFirst(report: Report, session: Session, incident: Incident, looks?: Looks): Promise<boolean>;
  /** Puts what a later look or round came to, with its session, in the place of what it was compared with; false when something else stands by now. */
  replace(instead: Reported, next: Reported, session: Session): Promise<boolean>;
  /** Of a look or round whose report does not stand. */
  saveSession(session: Session): Promise<void>;
  /** The report that stands; until there is one, the first look. */
  getReport(id: string): Promise<Report | undefined>;
  /** The same with the incident it was written about. */
  getReported(id: string): Promise<Reported | undefined>;
  /** Newest first; of alerts, or of scheduled checks (`check`). */
  listReports(limit: number, kind?: Report['kind']): Promise<readonly ReportSummary[]>;
  /** Ids of reports that begin like this, at most so many. */
  idsLike(start: string, limit: number): Promise<readonly string[]>;
  /** Of a main agent, or of a sub-agent by its id. */
  getSession(id: string): Promise<Session | undefined>;
  /** Keeps what a sub-agent did, as long as its parent's session is kept. One that tells less than what is kept (stopped, or lost) does not replace it. */
  saveSubSession(parentId: string, session: Session): Promise<void>;
  /** In the order in which they were ordered. */
  getSubSessions(parentId: string): Promise<readonly Session[]>;
  /** Newest first; main agents only. */
  listSessions(limit: number): Promise<readonly SessionSummary[]>;
}

/** The caller owns and closes the connection. */
export function createReportStore(redis: Redis, prefix: string): ReportStore {
  const reports: KeptList<Reported> = createKeptList(redis, prefix, 'report', isReported);
  const firstLooks: KeptList<Reported> = createKeptList(redis, prefix, 'first-look', isReported);
  const sessions: KeptList<Session> = createKeptList(redis, prefix, 'session', isSession, {
    companions: (id) => [subSessionsKey(prefix, id)],
  });
  const withSession = async (session: Session, save: (beside: readonly KeptEntry[]) => Promise<boolean>) => {
    // Two workers may be at it: report and session are of the same one, whoever is first.
    const isKept = await save([sessions.entry(session.id, session.startedAtMs, session)]);
    if (isKept) await sessions.trim();
    return isKept;
  };
  return {
    saveFirstLook: async (report, incident) => {
      const [id, atMs, reported] = [report.id, Date.parse(report.generatedAt), { report, incident }];
      // Listed and shown under its report's id until that is there; its own copy is what is told.
      const isFirst = await reports.saveFirst(id, atMs, reported, [firstLooks.entry(id, atMs, reported)]);
      if (isFirst) await firstLooks.trim();
      return isFirst;
    },
    getFirstLook: (id) => firstLooks.get(id),
    saveFirst: (report, session, incident, looks) => {
      const reported = { report, incident, ...(looks ? { looks } : {}) };
      return withSession(session, (beside) =>
        reports.saveFirst(report.id, Date.parse(report.generatedAt), reported, beside, isFirstLook),
      );
    },
    replace: (instead, next, session) =>
      withSession(session, (beside) =>
        reports.replace(instead, Date.parse(next.report.generatedAt), next.report.id, next, beside),
      ),
    saveSession: (session) => sessions.save(session.id, session.startedAtMs, session),
    getReport: async (id) => (await reports.get(id))?.report,
    getReported: (id) => reports.get(id),
    listReports: async (limit, kind = 'incident') => {
      const found = await reports.list(limit, (id) => isCheckReport(id) === (kind === 'check'));
      return found.map(({ report }) => summarise(report));
    },
    idsLike: (start, limit) => reports.idsLike(start, limit),
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

/** By its id, which derives from that of the run: a list must not read all reports to find some. */
function isCheckReport(id: string): boolean {
  return id.startsWith(reportId('check_'));
}

function isFirstLook({ report }: Reported): boolean {
  return report.stage === 'first_look';
}

function summarise(report: Report): ReportSummary {
  const { id, kind, generatedAt, stage, mode, status, summary } = report;
  const { root_cause_service, root_cause_type, confidence } = report;
  const about = { title: report.incident.title, incidentId: report.incident.id };
  const verdict = { mode, status, summary, root_cause_service, root_cause_type, confidence };
  return { id, kind, generatedAt, ...(stage ? { stage } : {}), ...verdict, ...about };
}

/**
 * A report of another schema version, left by an older or newer Rootnote, is passed over. One of this version with fields that are not known here is not:
 * a newer worker has told it, and must not be taken for one that never reported.
 */
function isReported(value: unknown): value is Reported {
  if (!(value instanceof Object && 'incident' in value && 'report' in value)) return false;
  const { error } = Report.safeParse(value.report);
  return error === undefined || error.issues.every(({ code }) => code === 'unrecognized_keys');
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
