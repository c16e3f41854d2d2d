import type { Incident } from '../domain/incident.ts';
import type { Report } from '../domain/report.ts';
import type { SpanFacts } from '../domain/tracing.ts';
import { investigate } from '../investigate/investigate.ts';
import type { InvestigationParts } from '../investigate/run.ts';
import { reportId, sessionId } from '../investigate/write-report.ts';
import type { McpServers } from '../mcp/servers.ts';
import type { Deliveries } from '../queue/deliveries/deliveries.ts';
import type { JobContext } from '../queue/job-worker.ts';
import { journalWithProgress } from '../queue/note-progress.ts';
import type { QueuedSubAgents } from '../queue/sub-agents.ts';
import type { IncidentMemory } from '../sessions/incident-memory.ts';
import type { ReportStore } from '../sessions/report-store.ts';
import type { ResumeStore } from '../sessions/resume-store.ts';
import { measureInvestigation } from './measure-investigation.ts';
import { withMcpTools } from './open-mcp.ts';
import type { Process } from './process.ts';
import type { Spending } from './spending.ts';

export interface IncidentWork {
  readonly parts: InvestigationParts;
  readonly mcp: McpServers;
  readonly reports: ReportStore;
  readonly resume: ResumeStore;
  readonly earlier: Pick<IncidentMemory, 'file'>;
  readonly subAgents: QueuedSubAgents;
  readonly deliveries: Deliveries;
  readonly spending: Spending;
}

/**
 * How the investigations of this process are done: gone on with where another process stopped, stored once, delivered once. The report comes before
 * all that cleans up after it, so that a process that dies in between leaves only things that a second start tidies.
 */
export function createInvestigator(
  { log, metrics, redactor, tracing, watcher }: Process,
  { parts, mcp, reports, resume, earlier, subAgents, deliveries, spending }: IncidentWork,
) {
  const work = async (incident: Incident, context: JobContext, describe: (facts: SpanFacts) => void): Promise<void> => {
    const jobLog = log.child({ incidentId: incident.id, jobId: context.jobId });
    const known = await reports.getReport(reportId(incident.id));
    if (known) {
      // Its worker died or lost Redis before everything was scheduled: nothing is investigated or paid for twice.
      await spending.settle(known);
      await resume.clear(incident.id);
      await deliveries.schedule(incident, 'report');
      await fileReport(incident, known, { earlier, log: jobLog });
      return jobLog.info('reported before; its deliveries are scheduled');
    }
    const model = await spending.admit(incident.id, parts.model);
    jobLog.info({ attempt: context.attempt }, 'investigating');
    if ('off' in model && !('off' in parts.model))
      jobLog.warn({ reason: model.off }, 'investigating without the model');
    const investigation = await investigate(
      incident,
      {
        ...withMcpTools({ ...parts, model }, mcp.open, context.signal),
        trace: tracing.trace,
        journal: journalWithProgress(resume.journal(incident.id), context.progress),
        runSubAgents: subAgents.runnerFor(incident.id),
        onProgress: (stage, line) => {
          const text = redactor.redact(line);
          jobLog.info({ stage }, text);
          watcher.onStage?.(incident, stage, text);
        },
      },
      context.signal,
    );
    const { report, session } = investigation;
    describe({ status: report.status, mode: report.mode, terminationReason: report.usage.termination_reason });
    const isFirst = await reports.saveFirst(report, session, incident);
    await spending.settle(report);
    await resume.clear(incident.id);
    if (isFirst) measureInvestigation(incident, investigation, metrics);
    await deliveries.schedule(incident, 'report');
    if (!isFirst) return jobLog.warn('another worker reported first; its report stands');
    await fileReport(incident, report, { earlier, log: jobLog });
    jobLog.info(
      { reportId: report.id, status: report.status, service: report.root_cause_service, confidence: report.confidence },
      'reported',
    );
    watcher.onReport?.(incident, investigation);
  };
  return (incident: Incident, context: JobContext, traceparent: string | undefined): Promise<void> => {
    const { id, kind, source } = incident;
    const facts = { incident: id, session: sessionId(id), kind, source };
    // A link: who sent the alert has had its answer long since.
    const origin = traceparent === undefined ? undefined : ({ traceparent, as: 'link' } as const);
    return tracing.trace('investigation', facts, (describe) => work(incident, context, describe), origin);
  };
}

/** For later incidents like this one. The report is stored and on its way: that it cannot be found again is no failure of the investigation. */
async function fileReport(
  incident: Incident,
  report: Report,
  { earlier, log }: Pick<IncidentWork, 'earlier'> & Pick<Process, 'log'>,
): Promise<void> {
  try {
    await earlier.file(incident, report);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.warn({ reportId: report.id, reason }, 'the report could not be filed for incidents like it');
  }
}
