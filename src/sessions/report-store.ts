import type { Redis } from 'ioredis';
import type { Incident } from '../domain/incident.ts';
import { Report } from '../domain/report.ts';
import type { Session } from '../domain/session.ts';
import { createKeptList, type KeptList } from './kept-list.ts';

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

/** What has been found out. Saving the same id again replaces: a repeated investigation never adds a second report. */
export interface ReportStore {
  /** Keeps the incident as it was reported, so that deliveries can read both long after the incident itself is forgotten. */
  saveReport(report: Report, incident: Incident): Promise<void>;
  getReport(id: string): Promise<Report | undefined>;
  /** A report with the incident it was written about. */
  getReported(id: string): Promise<Reported | undefined>;
  /** Newest first. */
  listReports(limit: number): Promise<readonly ReportSummary[]>;
  saveSession(session: Session): Promise<void>;
  getSession(id: string): Promise<Session | undefined>;
  /** Newest first. */
  listSessions(limit: number): Promise<readonly SessionSummary[]>;
}

export interface Reported {
  readonly report: Report;
  readonly incident: Incident;
}

/** The caller owns and closes the connection. */
export function createReportStore(redis: Redis, prefix: string): ReportStore {
  const reports: KeptList<Reported> = createKeptList(redis, prefix, 'report', isReported);
  const sessions: KeptList<Session> = createKeptList(redis, prefix, 'session', isSession);
  return {
    saveReport: (report, incident) => reports.save(report.id, Date.parse(report.generatedAt), { report, incident }),
    getReport: async (id) => (await reports.get(id))?.report,
    getReported: (id) => reports.get(id),
    listReports: async (limit) => (await reports.list(limit)).map(({ report }) => summarise(report)),
    saveSession: (session) => sessions.save(session.id, session.startedAtMs, session),
    getSession: (id) => sessions.get(id),
    listSessions: async (limit) =>
      (await sessions.list(limit)).map(({ entries: _entries, brief: _brief, ...summary }) => summary),
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

function isSession(value: unknown): value is Session {
  return value instanceof Object && 'entries' in value && Array.isArray(value.entries);
}
