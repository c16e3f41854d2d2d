import type { Config } from '../config/schema.ts';
import { incidentOfWork } from '../domain/work-id.ts';
import { parentOf } from '../agent/sub-agents/ids.ts';
import { reportId, sessionId } from '../investigate/write-report.ts';
import { oneLine } from '../policy/untrusted.ts';
import type { IncidentLife, IncidentStore } from '../sessions/incident-store.ts';
import { findId, incidentOf } from './find-id.ts';
import { membersOf, openReading, type MemberView, type Reading } from './incident-view.ts';
import { listSessions } from './list-sessions.ts';
import { withRedis } from './open-redis.ts';
import { printDeliveries } from './print-deliveries.ts';
import { printReport } from './print-report.ts';
import { printSession } from './print-session.ts';
import { untoldOf } from './untold.ts';
import { counted } from '../domain/counted.ts';
import { toJson } from './to-json.ts';

const LIST_LIMIT = 50;
/** Of those that are investigated with an incident: in JSON, and by name in words. */
const MOST_MEMBERS = 100;
const MOST_NAMED = 5;

export interface ReadRequest {
  readonly what: 'reports' | 'sessions';
  readonly id?: string;
  /** Of reports: those of scheduled checks, instead of those of alerts. */
  readonly checks?: boolean;
  readonly json: boolean;
  readonly colour: boolean;
}

export interface ReadAnswer {
  readonly text: string;
  /** False: `text` says in a sentence why there is nothing to show. */
  readonly isFound: boolean;
}

/** What `rootnote reports` and `rootnote sessions` print. Throws RedisUnreachable and AmbiguousId. */
export function readBack(config: Config, request: ReadRequest, say: (line: string) => void): Promise<ReadAnswer> {
  return withRedis(config, say, async (redis) => {
    const reading = openReading(redis, config.REDIS_PREFIX);
    const { what, id } = request;
    if (id !== undefined)
      return what === 'reports' ? showReport(reading, id, request) : showSession(reading, id, request);
    return found(
      what === 'reports'
        ? await listReports(reading, request)
        : await listSessions(redis, config.REDIS_PREFIX, request.json),
    );
  });
}

async function listReports({ reports, incidents }: Reading, { checks, json }: ReadRequest): Promise<string> {
  const latest = await reports.listReports(LIST_LIMIT, checks ? 'check' : 'incident');
  const rows = await Promise.all(
    latest.map(async (report) => ({ ...report, resolvedAt: await resolvedAt(incidents, report.incidentId) })),
  );
  if (json) return toJson(rows);
  if (rows.length === 0) return checks ? 'No reports of checks yet.\n' : 'No reports yet.\n';
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

/** The one report of an incident, whatever work of it the id names; of one that is investigated with another, that one's. */
async function showReport(place: Reading, given: string, { json, colour }: ReadRequest): Promise<ReadAnswer> {
  const asked = incidentOfWork(await findId(place, given));
  const life = await place.incidents.getLife(asked);
  const own = await place.reports.getReport(reportId(asked));
  const report =
    own ?? (life?.coveredBy === undefined ? undefined : await place.reports.getReport(reportId(life.coveredBy)));
  if (!report) return missing(whyNoReport(asked, life));
  const { id } = report.incident;
  const [records, covers, members, resolved, standing] = await Promise.all([
    place.recordsOf(id),
    place.storms.countMembers(id),
    membersOf(place, id, MOST_MEMBERS),
    resolvedAt(place.incidents, id),
    place.incidents.getLife(id),
  ]);
  const storm = standing?.stormId ?? null;
  const deliveries = records ?? [];
  // Where a first look is not told the report may be.
  const untold = (report.stage === 'first_look' ? undefined : untoldOf(records, standing?.decisions ?? [])) ?? null;
  if (json)
    return found(
      toJson({ ...report, ...(own ? {} : { askedFor: asked }), storm, covers, members, untold, deliveries }),
    );
  const [title = '', header = '', ...rest] = printReport(report, { colour }).split('\n');
  const notes = [
    ...(resolved === null ? [] : [`resolved ${resolved}`]),
    ...(untold === null ? [] : [oneLine(untold)]),
    ...(covers === 0 ? [] : [togetherWith(id, covers, members)]),
    ...(storm === null ? [] : [`part of ${storm} (rootnote incidents show ${storm})`]),
  ];
  const covered = own
    ? []
    : [`${asked} (${life?.incident.title ?? ''}) is investigated with ${id}, whose report this is:`, ''];
  const lines = [...covered.map(oneLine), title, header, ...notes, ...rest, ...printDeliveries(deliveries)];
  return found(`${lines.join('\n')}\n`);
}

/** In a storm a report is for others, too: nobody should look for theirs. */
function togetherWith(id: string, covers: number, members: readonly MemberView[]): string {
  const titles = members.map(({ title }) => title);
  const named = [...new Set(titles)].slice(0, MOST_NAMED);
  const names = named.map((title) => {
    const times = titles.filter((one) => one === title).length;
    return times === 1 ? oneLine(title) : `${oneLine(title)} (${times})`;
  });
  const left = covers - titles.filter((title) => named.includes(title)).length;
  const more = left > 0 ? ` and ${left} more` : '';
  const what = counted(covers, 'connected incident');
  return `for ${what}, too: ${names.join(', ')}${more} (rootnote incidents show ${id})`;
}

/** Of an incident without a report: what becomes of it. */
function whyNoReport(id: string, life: IncidentLife | undefined): string {
  if (!life) return `nothing is stored under ${id}; see rootnote reports list`;
  const { stage, coveredBy, stormId, decisions } = life;
  const reason = decisions.at(-1)?.reason;
  if (coveredBy !== undefined)
    return `${id} is investigated with ${coveredBy}, whose report is not there yet; see rootnote incidents show ${coveredBy}`;
  if (stage === 'joined' && stormId !== undefined)
    return `${id} is only a line of the summary of its storm; see rootnote incidents show ${stormId}`;
  if (stage === 'muted')
    return `${id} is muted${reason ? ` (${reason})` : ''}: there is no report; see rootnote incidents show ${id}`;
  if (stage === 'investigating')
    return `${id} is being investigated: there is no report yet; see rootnote sessions list`;
  return `${id} has no report, it is ${stage}; see rootnote incidents show ${id}`;
}

/** Of a main agent by any of the incident's ids, with its sub-agents; or of one sub-agent by its own id. */
async function showSession(reading: Reading, given: string, { json, colour }: ReadRequest): Promise<ReadAnswer> {
  const { reports } = reading;
  const own = parentOf(given) === undefined ? sessionId(incidentOf(given)) : given;
  const session =
    (await reports.getSession(own)) ?? (await reports.getSession(sessionId(await findId(reading, given))));
  if (!session) return missing(await whyNoSession(reading, await findId(reading, given)));
  const subSessions = await reports.getSubSessions(session.id);
  if (json) return found(toJson({ ...session, subSessions }));
  const report = await reports.getReport(reportId(session.incidentId));
  return found(printSession({ session, subSessions, report }, colour));
}

async function whyNoSession({ incidents }: Reading, id: string): Promise<string> {
  const life = await incidents.getLife(id);
  if (!life) return `nothing is stored under ${id}; see rootnote sessions list`;
  const { coveredBy } = life;
  if (coveredBy === undefined) return whyNoReport(id, life);
  return `${id} is investigated with ${coveredBy}; see rootnote sessions show ${coveredBy}`;
}

function found(text: string): ReadAnswer {
  return { text, isFound: true };
}

function missing(text: string): ReadAnswer {
  return { text, isFound: false };
}
