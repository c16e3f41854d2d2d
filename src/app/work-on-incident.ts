import type { Incident } from '../domain/incident.ts';
import type { Report } from '../domain/report.ts';
import type { SpanFacts } from '../domain/tracing.ts';
import { rejectAfter } from '../intake/deadline.ts';
import type { Investigation } from '../investigate/investigate.ts';
import type { FirstLook } from '../investigate/run.ts';
import { reportId, sessionId } from '../investigate/write-report.ts';
import type { JobContext } from '../queue/job-worker.ts';
import type { IncidentMemory } from '../sessions/incident-memory.ts';
import { investigateRound, type RoundWork } from './investigate-round.ts';
import { scheduleLooks, type LaterDeps } from './later-work.ts';
import { measureInvestigation } from './measure-investigation.ts';
import { isToBeInvestigated, tellMembers, type PlaceDeps } from './place-incident.ts';
import type { Process } from './process.ts';
import { toldNobody } from './untold.ts';
import { investigateCheck, noteCheck, type CheckDeps } from './work-on-check.ts';

/** The agent waits for the first look to be stored; a Redis that is away must not hold it up for long. */
const FIRST_LOOK_WAIT_MS = 2000;

export interface IncidentWork extends RoundWork, LaterDeps, PlaceDeps, CheckDeps {
  readonly earlier: Pick<IncidentMemory, 'file'>;
}

/**
 * How the investigations of this process are done: gone on with where another process stopped, stored once, delivered once. The report comes before
 * all that cleans up after it, so that a process that dies in between leaves only things that a second start tidies.
 */
export function createInvestigator(running: Process, work: IncidentWork) {
  const { tracing } = running;
  return (incident: Incident, context: JobContext, traceparent: string | undefined): Promise<void> => {
    const { id, kind, source } = incident;
    const facts = { incident: id, session: sessionId(id), kind, source };
    // A link: who sent the alert has had its answer long since.
    const origin = traceparent === undefined ? undefined : ({ traceparent, as: 'link' } as const);
    return tracing.trace(
      'investigation',
      facts,
      (describe) => workOn(running, work, incident, context, describe),
      origin,
    );
  };
}

async function workOn(
  running: Process,
  work: IncidentWork,
  incident: Incident,
  context: JobContext,
  describe: (facts: SpanFacts) => void,
): Promise<void> {
  const { reports } = work;
  const log = running.log.child({ incidentId: incident.id, jobId: context.jobId });
  const known = await reports.getReport(reportId(incident.id));
  if (known && known.stage !== 'first_look') {
    // Its worker died or lost Redis before everything was scheduled: nothing is investigated or paid for twice.
    await settle(work, incident, known);
    await fileReport(incident, known, { earlier: work.earlier, log });
    return log.info('reported before; its deliveries are scheduled');
  }
  // One whose first look is told has its place.
  if (!known && !(await isToBeInvestigated(work, incident, context))) return log.info('not investigated by itself');
  await work.incidents.noteProgress(incident.id, 'investigating', Date.now());
  const investigation = await investigateOne(running, work, incident, context);
  const { report } = investigation;
  describe({ status: report.status, mode: report.mode, terminationReason: report.usage.termination_reason });
  const isFirst = await keep(work, incident, investigation);
  if (isFirst) measureInvestigation(incident, investigation, running.metrics);
  await settle(work, incident, report);
  if (!isFirst) return log.warn('another worker reported first; its report stands');
  await fileReport(incident, report, { earlier: work.earlier, log });
  const { id, status, root_cause_service: service, confidence } = report;
  log.info({ reportId: id, status, service, confidence }, 'reported');
  running.watcher.onReport?.(incident, investigation);
}

/** Of a check nobody is told before it is known whether it found anything. */
function investigateOne(
  running: Process,
  work: IncidentWork,
  incident: Incident,
  context: JobContext,
): Promise<Investigation> {
  const round = { incident, workId: incident.id, context };
  if (incident.check) return investigateCheck(running, work, incident.check, round);
  const log = running.log.child({ incidentId: incident.id, jobId: context.jobId });
  const onFirstLook = (first: FirstLook) => tellFirstLook(work, incident, first, log);
  return investigateRound(running, work, { ...round, onFirstLook });
}

function keep({ reports }: IncidentWork, incident: Incident, investigation: Investigation): Promise<boolean> {
  const { report, session, look, analystLook } = investigation;
  return reports.saveFirst(report, session, incident, { verdict: look, analyst: analystLook });
}

/** All that follows once a report stands. Repeating it changes nothing. */
async function settle(work: IncidentWork, incident: Incident, report: Report): Promise<void> {
  await work.spending.settle(incident.id, report);
  await work.resume.clear(incident.id);
  const reason = await tellReport(work, incident, report);
  await work.incidents.noteProgress(incident.id, 'reported', Date.now(), reason);
  await tellMembers(work, incident.id);
  await scheduleLooks(work, { report, incident });
}

/** Schedules the report, that of a check when it is news; returns why nobody is told, empty when somebody is. */
export async function tellReport(work: IncidentWork, incident: Incident, report: Report): Promise<string> {
  if (incident.check) {
    // Another worker may have been first: what is told is its report, and so is what the next run is compared with.
    const standing = (await work.reports.getReport(report.id)) ?? report;
    const isNews = await noteCheck(work, incident, incident.check, standing);
    if (!isNews) return `${standing.status}, nothing new to tell`;
  }
  await work.deliveries.schedule(incident, 'report');
  const sink = work.routing.sinkOf(incident);
  return sink === undefined ? '' : toldNobody(sink);
}

/** Stored and on its way before the model is asked. Whatever goes wrong with it, the report will come. Never rejects. */
async function tellFirstLook(
  { reports, deliveries }: IncidentWork,
  incident: Incident,
  { report }: FirstLook,
  log: Process['log'],
): Promise<void> {
  const tell = async () => {
    const isFirst = await reports.saveFirstLook(report, incident);
    // Of a worker that died over it the first look stands, and is told; a report by another worker needs none.
    if (!isFirst && (await reports.getReport(report.id))?.stage !== 'first_look') return;
    await deliveries.schedule(incident, 'first-look');
  };
  try {
    await rejectAfter(tell(), FIRST_LOOK_WAIT_MS);
    log.info({ status: report.status, service: report.root_cause_service }, 'first look');
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'the first look could not be stored in time; the report comes all the same');
  }
}

/** For later incidents like this one. The report is stored and on its way: that it cannot be found again is no failure of the investigation. */
export async function fileReport(
  incident: Incident,
  report: Report,
  { earlier, log }: Pick<IncidentWork, 'earlier'> & Pick<Process, 'log'>,
): Promise<void> {
  try {
    await earlier.file(incident, report);
  } catch (error) {
    log.warn({ reportId: report.id, reason: messageOf(error) }, 'the report could not be filed for incidents like it');
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
