import type { Incident } from '../domain/incident.ts';
import { roundId } from '../domain/work-id.ts';
import type { Investigation } from '../investigate/investigate.ts';
import { tellRound } from '../investigate/tell-later.ts';
import { reportId } from '../investigate/write-report.ts';
import type { GivenUp } from '../queue/investigation-worker.ts';
import { NotYet, type JobContext, type LostJob } from '../queue/job-worker.ts';
import type { IncidentMemory } from '../sessions/incident-memory.ts';
import type { Stage } from '../sessions/incident-store.ts';
import type { Looks, Reported } from '../sessions/report-store.ts';
import { investigateRound, type RoundWork } from './investigate-round.ts';
import { scheduleLooks, tellUpdate, type LaterDeps } from './later-work.ts';
import { measureInvestigation } from './measure-investigation.ts';
import { isToBeInvestigated, type PlaceDeps } from './place-incident.ts';
import type { Process } from './process.ts';
import { fileReport } from './work-on-incident.ts';

/** How often a grown incident asks whether its first report is there. */
const REPORT_POLL_MS = 15_000;
/** An investigation that takes longer will not end. */
const REPORT_WAIT_MS = 3_600_000;

export interface GrowthWork extends RoundWork, LaterDeps, PlaceDeps {
  readonly earlier: Pick<IncidentMemory, 'file'>;
  /** The first investigation, and what follows when that is given up. */
  readonly investigate: (incident: Incident, context: JobContext, traceparent: string | undefined) => Promise<void>;
  readonly giveUp: (givenUp: GivenUp) => Promise<void>;
  /** Least time from the end of one round to the next. */
  readonly coolDownMs: number;
}

/**
 * How an incident that grew is investigated again: in full, under an id of its own, once the cool-down is over. Whatever joins until then comes along.
 * Throws `NotYet` while it has to wait; does nothing when the incident is resolved or nothing is new by then. One that another's investigation covered, and
 * that is too grave for that now, is investigated for the first time.
 */
export function createGrowthInvestigator(running: Process, work: GrowthWork) {
  return async (incident: Incident, context: JobContext): Promise<void> => {
    const log = running.log.child({ incidentId: incident.id, jobId: context.jobId });
    const standing = await work.reports.getReported(reportId(incident.id));
    if (standing && (await mayBeUntold(work, standing, context))) await settle(work, incident, standing);
    const stage = await stageOf(work, incident, standing);
    if (await isCoveredNoMore(work, incident, stage, context)) return work.investigate(incident, context, undefined);
    const reason = nothingToDo(incident, standing, stage, context);
    if (reason !== undefined) return log.info({ reason }, 'the incident is not investigated again');
    if (!standing || standing.report.stage === 'first_look')
      throw new NotYet('its report is not there yet', REPORT_POLL_MS);
    const waitMs = endOf(standing) + work.coolDownMs - Date.now();
    if (waitMs > 0) throw new NotYet('the cool-down since the last investigation', waitMs);

    const round = (standing.round ?? 1) + 1;
    const workId = roundId(incident.id, round);
    // Each growth is a job of its own: one does the work of all, and the others find nothing new then.
    if (!(await work.updates.takeRound(workId, context.jobId)))
      throw new NotYet('another job investigates it again', REPORT_POLL_MS);
    await work.incidents.noteProgress(incident.id, 'investigating', Date.now(), `again, round ${round}`, round);
    const earlier = standing.looks?.verdict;
    const investigation = await investigateRound(running, work, {
      incident,
      workId,
      context,
      ...(earlier ? { earlier } : {}),
    });
    // A later look may have replaced what stood when the round began.
    const current = (await work.reports.getReported(reportId(incident.id))) ?? standing;
    const next = nextOf(current, incident, { round, workId, investigation });
    if ((current.round ?? 1) >= round) return log.warn('another worker investigated it again; its report stands');
    if (!(await work.reports.replace(current, next, investigation.session)))
      throw new Error('what stands changed in the moment of replacing it');
    measureInvestigation(incident, investigation, running.metrics);
    await settle(work, incident, next);
    await fileReport(incident, next.report, { earlier: work.earlier, log });
    log.info({ round, status: next.report.status, service: next.report.root_cause_service }, 'reported again');
  };
}

/** How it is told that a grown incident could not be investigated again: what stands is from before. */
export function createGrowthLoss({ metrics }: Pick<Process, 'metrics'>, work: GrowthWork) {
  return async (incident: Incident, { jobId, reason, error }: LostJob): Promise<void> => {
    const standing = await work.reports.getReported(reportId(incident.id));
    const { id: incidentId } = incident;
    if (isWaitedFor(standing) && (await work.updates.jobOf(roundId(incidentId, 1))) === jobId)
      return work.giveUp({ incidentId, jobId, reason, error });
    metrics.investigationFailed('given_up');
    await work.incidents.noteProgress(incident.id, 'reported', Date.now(), 'could not be investigated again');
    if (!standing || standing.report.stage === 'first_look' || incident.state === 'resolved') return;
    const why = reason === 'poison' ? 'it ended its worker process every time' : error.message;
    const news = `It has grown and could not be investigated again (${why}); this is the report from before`;
    await tellUpdate(work, incident, { ...standing, later: { workId: jobId, news } });
  };
}

/** All that follows once the report of a round stands. Repeating it changes nothing. */
async function settle(work: GrowthWork, incident: Incident, standing: Reported): Promise<void> {
  const { round = 1, roundEndedAtMs = Date.now() } = standing;
  const workId = roundId(incident.id, round);
  await work.spending.settle(workId, standing.report);
  await work.resume.clear(workId);
  await tellUpdate(work, incident, standing);
  await work.incidents.noteProgress(incident.id, 'reported', roundEndedAtMs, '', round);
  await scheduleLooks(work, standing);
}

/** A round of this job, which died after its report stood. That of another job is another's to tell, while anybody knows whose it is. */
async function mayBeUntold({ updates }: GrowthWork, { incident, round }: Reported, { jobId }: JobContext) {
  return round !== undefined && ((await updates.jobOf(roundId(incident.id, round))) ?? jobId) === jobId;
}

/** Only asked where there is no report: one that is muted or joined another gets none. */
async function stageOf({ incidents }: GrowthWork, { id }: Incident, standing: Reported | undefined) {
  return standing && !isWaitedFor(standing) ? 'reported' : (await incidents.getLife(id))?.stage;
}

/** Its job takes the first round, and has it also when it starts again. */
async function isCoveredNoMore(
  work: GrowthWork,
  incident: Incident,
  stage: Stage | undefined,
  context: JobContext,
): Promise<boolean> {
  const workId = roundId(incident.id, 1);
  if (stage !== 'joined') return (await work.updates.jobOf(workId)) === context.jobId;
  if (incident.state === 'resolved' || !(await isToBeInvestigated(work, incident, context))) return false;
  return work.updates.takeRound(workId, context.jobId);
}

function isWaitedFor(standing: Reported | undefined): boolean {
  return !standing || standing.report.stage === 'first_look';
}

/** Why the incident is left alone; undefined when it is to be investigated again. */
function nothingToDo(
  incident: Incident,
  standing: Reported | undefined,
  stage: Stage | undefined,
  { waitedMs }: JobContext,
): string | undefined {
  if (incident.state === 'resolved') return 'it is resolved';
  if (stage === 'muted' || stage === 'joined') return `it is ${stage}`;
  if (!standing || standing.report.stage === 'first_look')
    return waitedMs > REPORT_WAIT_MS ? 'it has no report' : undefined;
  const { alertCount, severity } = standing.incident;
  return incident.alertCount <= alertCount && incident.severity === severity ? 'its report knows all of it' : undefined;
}

function endOf({ roundEndedAtMs, report }: Reported): number {
  return roundEndedAtMs ?? Date.parse(report.generatedAt);
}

function nextOf(
  standing: Reported,
  incident: Incident,
  { round, workId, investigation }: { round: number; workId: string; investigation: Investigation },
): Reported {
  const { report: found, look, analystLook } = investigation;
  // Of a report that rests on no ranking, as of one that was given up, nothing can be compared.
  const before = standing.looks?.analyst ?? analystLook;
  const { report, news } = tellRound({ ...standing, analystLook: before }, incident, investigation);
  const verdict = report.mode === found.mode ? look : (standing.looks?.verdict ?? look);
  const looks: Looks = { verdict, analyst: analystLook };
  return { report, incident, looks, later: { workId, news }, round, roundEndedAtMs: Date.parse(found.generatedAt) };
}
