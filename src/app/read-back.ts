import type { Config } from '../config/schema.ts';
import { incidentOfWork } from '../domain/work-id.ts';
import { parentOf } from '../agent/sub-agents/ids.ts';
import { reportId, sessionId } from '../investigate/write-report.ts';
import type { RedisTarget } from '../platform/redis.ts';
import { createIncidentStore, type IncidentStore } from '../sessions/incident-store.ts';
import { createReportStore, type ReportStore } from '../sessions/report-store.ts';
import { listSessions } from './list-sessions.ts';
import { incidentOf, printDelivery, readDeliveries } from './deliveries-command.ts';
import { withRedis } from './open-redis.ts';
import { printReport } from './print-report.ts';
import { printSession } from './print-session.ts';

const LIST_LIMIT = 50;

export interface ReadRequest {
  readonly what: 'reports' | 'sessions';
  readonly id?: string;
  readonly json: boolean;
  readonly colour: boolean;
}

/** What `rootnote reports` and `rootnote sessions` print; undefined when there is nothing under that id. Throws RedisUnreachable. */
export function readBack(
  config: Config,
  request: ReadRequest,
  say: (line: string) => void,
): Promise<string | undefined> {
  return withRedis(config, say, (redis, redisTarget) => {
    const store = createReportStore(redis, config.REDIS_PREFIX);
    const incidents = createIncidentStore(redis, config.REDIS_PREFIX);
    const { what, id } = request;
    if (id === undefined)
      return what === 'reports'
        ? listReports(store, incidents, request)
        : listSessions(redis, config.REDIS_PREFIX, request.json);
    return what === 'reports'
      ? showReport({ store, incidents, config, redisTarget }, id, request)
      : showSession(store, id, request);
  });
}

async function listReports(store: ReportStore, incidents: IncidentStore, { json }: ReadRequest): Promise<string> {
  const reports = await store.listReports(LIST_LIMIT);
  const rows = await Promise.all(
    reports.map(async (report) => ({ ...report, resolvedAt: await resolvedAt(incidents, report.incidentId) })),
  );
  if (json) return `${JSON.stringify(rows, null, 2)}\n`;
  if (rows.length === 0) return 'No reports yet.\n';
  return rows
    .map((row) => {
      const look = row.stage === 'first_look' ? 'first look, ' : '';
      const state = `${look}${row.status} ${row.confidence.toFixed(2)}${row.resolvedAt === null ? '' : ', resolved'}`;
      return `${row.generatedAt}  ${row.id}  ${state}  ${row.title}: ${row.summary}\n`;
    })
    .join('');
}

/** ISO 8601; null while the incident fires, and when it is forgotten. */
async function resolvedAt(incidents: IncidentStore, incidentId: string): Promise<string | null> {
  const atMs = await incidents.getResolvedAtMs(incidentId);
  return atMs === undefined ? null : new Date(atMs).toISOString();
}

/** Later rounds and looks have sessions of their own, and one report with the first. */
function reportOf(id: string): string {
  return reportId(incidentOfWork(incidentOf(id)));
}

interface ReportPlace {
  readonly store: ReportStore;
  readonly incidents: IncidentStore;
  readonly config: Config;
  readonly redisTarget: RedisTarget;
}

async function showReport(
  { store, incidents, config, redisTarget }: ReportPlace,
  id: string,
  { json, colour }: ReadRequest,
): Promise<string | undefined> {
  const report = await store.getReport(reportOf(id));
  if (!report) return undefined;
  const deliveries = await readDeliveries(config, redisTarget, report.incident.id);
  if (json) return `${JSON.stringify({ ...report, deliveries }, null, 2)}\n`;
  const [title = '', header = '', ...rest] = printReport(report, { colour }).split('\n');
  const at = await resolvedAt(incidents, report.incident.id);
  const text = [title, header, ...(at === null ? [] : [`resolved ${at}`]), ...rest].join('\n');
  return `${text}\n${deliveries.map(printDelivery).join('')}`;
}

/** Of a main agent by any of the incident's ids, with its sub-agents; or of one sub-agent by its own id. */
async function showSession(store: ReportStore, id: string, { json, colour }: ReadRequest): Promise<string | undefined> {
  const own = parentOf(id) === undefined ? sessionId(incidentOf(id)) : id;
  const session = await store.getSession(own);
  if (!session) return undefined;
  const subSessions = await store.getSubSessions(session.id);
  if (json) return `${JSON.stringify({ ...session, subSessions }, null, 2)}\n`;
  const report = await store.getReport(reportId(session.incidentId));
  return printSession({ session, subSessions, report }, colour);
}
