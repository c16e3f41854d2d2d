import type { Incident } from '../domain/incident.ts';
import { lookId } from '../domain/work-id.ts';
import { investigate, type Investigation } from '../investigate/investigate.ts';
import type { InvestigationParts } from '../investigate/run.ts';
import { tellLook, type LaterReport } from '../investigate/tell-later.ts';
import { reportId } from '../investigate/write-report.ts';
import type { JobContext } from '../queue/job-worker.ts';
import type { LaterLook } from '../queue/jobs.ts';
import type { Looks, Reported } from '../sessions/report-store.ts';
import { tellUpdate, type LaterDeps } from './later-work.ts';
import type { Process } from './process.ts';

export interface LookWork extends LaterDeps {
  readonly parts: InvestigationParts;
}

type Compared = Reported & { readonly looks: Looks };

/**
 * How later looks are done: read again, ranked, compared with what stands; without a model. Told when another service leads, else only kept. A worker that
 * dies in between leaves what a second start tidies.
 */
export function createLooker({ log, metrics, redactor }: Process, work: LookWork) {
  return async (incident: Incident, context: JobContext, look: LaterLook): Promise<void> => {
    const workId = lookId(incident.id, look.round, look.number);
    const lookLog = log.child({ incidentId: incident.id, look: workId });
    const standing = await work.reports.getReported(reportId(incident.id));
    // Its worker died before it was told.
    if (standing?.later?.workId === workId) return tellUpdate(work, incident, standing);
    const found = toCompareWith(incident, look, standing);
    if (typeof found === 'string') {
      metrics.laterLook('skipped');
      return lookLog.info({ reason: found }, 'no later look');
    }
    const investigation = await lookAgain(work.parts, { incident, standing: found, workId, signal: context.signal });
    const told = tellLook({ ...found, analystLook: found.looks.analyst }, investigation);
    if (!told) {
      await work.reports.saveSession(investigation.session);
      metrics.laterLook('unchanged');
      return lookLog.info('a later look confirms the report');
    }
    const next = nextOf(found, told, { incident, workId, investigation });
    if (!(await work.reports.replace(found, next, investigation.session))) {
      metrics.laterLook('skipped');
      return lookLog.warn('a newer report stands by now; the later look is dropped');
    }
    await tellUpdate(work, incident, next);
    metrics.laterLook('changed');
    lookLog.info({ news: redactor.redact(told.news) }, 'a later look changed the report');
  };
}

/** What to compare with, or why there is nothing to look at. */
function toCompareWith(incident: Incident, look: LaterLook, standing: Reported | undefined): Compared | string {
  if (incident.state === 'resolved') return 'the incident is resolved';
  if (!standing || standing.report.stage === 'first_look') return 'there is no report yet';
  if ((standing.round ?? 1) !== look.round) return 'the incident was investigated again meanwhile';
  const { looks } = standing;
  return looks ? { ...standing, looks } : 'the report rests on no ranking';
}

interface Again {
  readonly incident: Incident;
  readonly standing: Compared;
  readonly workId: string;
  readonly signal: AbortSignal;
}

/** Its report says of the model what the standing one says. */
async function lookAgain(
  parts: InvestigationParts,
  { incident, standing, workId, signal }: Again,
): Promise<Investigation> {
  const { journal: _journal, ...rest } = parts;
  const later = await investigate(
    incident,
    { ...rest, model: { off: 'a later look asks none' }, workId },
    signal,
    standing.looks.analyst,
  );
  const { usage: used, gaps } = standing.report;
  const aboutModel = (gap: string) => /^(no )?model: /.test(gap);
  const { duration_ms, brief_tokens, raw_tokens, stages } = later.report.usage;
  return {
    ...later,
    report: {
      ...later.report,
      gaps: [...later.report.gaps.filter((gap) => !aboutModel(gap)), ...gaps.filter(aboutModel)],
      usage: { ...used, duration_ms, brief_tokens, raw_tokens, stages },
    },
  };
}

function nextOf(
  standing: Compared,
  { report, news }: LaterReport,
  { incident, workId, investigation }: { incident: Incident; workId: string; investigation: Investigation },
): Reported {
  const verdict = report.mode === 'agent' ? standing.looks.verdict : investigation.look;
  const { round, roundEndedAtMs = Date.parse(standing.report.generatedAt) } = standing;
  return {
    report,
    incident,
    looks: { verdict, analyst: investigation.analystLook },
    later: { workId, news },
    roundEndedAtMs,
    ...(round === undefined ? {} : { round }),
  };
}
