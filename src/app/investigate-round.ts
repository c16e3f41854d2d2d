import type { Incident } from '../domain/incident.ts';
import type { Look } from '../domain/look.ts';
import { investigate, type Investigation } from '../investigate/investigate.ts';
import type { InvestigationParts } from '../investigate/run.ts';
import type { McpServers } from '../mcp/servers.ts';
import type { JobContext } from '../queue/job-worker.ts';
import { journalWithProgress } from '../queue/note-progress.ts';
import type { QueuedSubAgents } from '../queue/sub-agents.ts';
import type { ResumeStore } from '../sessions/resume-store.ts';
import { withMcpTools } from './open-mcp.ts';
import type { Process } from './process.ts';
import type { Spending } from './spending.ts';

export interface RoundWork {
  readonly parts: InvestigationParts;
  readonly mcp: McpServers;
  readonly resume: ResumeStore;
  readonly subAgents: QueuedSubAgents;
  readonly spending: Spending;
}

/** One full investigation of an incident. */
export interface Round {
  readonly incident: Incident;
  /** Names session, checkpoints, orders and spending. */
  readonly workId: string;
  readonly context: JobContext;
  /** The verdict of the round before. */
  readonly earlier?: Look;
  readonly onFirstLook?: NonNullable<InvestigationParts['onFirstLook']>;
}

/** Investigates, going on where another process stopped, with the model when the day's spending allows it. Rejects as `investigate` does. */
export async function investigateRound(
  { log, redactor, tracing, watcher }: Pick<Process, 'log' | 'redactor' | 'tracing' | 'watcher'>,
  { parts, mcp, resume, subAgents, spending }: RoundWork,
  { incident, workId, context, earlier, onFirstLook }: Round,
): Promise<Investigation> {
  const jobLog = log.child({ incidentId: incident.id, jobId: context.jobId });
  const model = await spending.admit(workId, parts.model);
  jobLog.info({ workId, attempt: context.attempt }, 'investigating');
  if ('off' in model && !('off' in parts.model)) jobLog.warn({ reason: model.off }, 'investigating without the model');
  const equipped: InvestigationParts = {
    ...withMcpTools({ ...parts, model }, mcp.open, context.signal),
    workId,
    trace: tracing.trace,
    journal: journalWithProgress(resume.journal(workId), context.progress),
    runSubAgents: subAgents.runnerFor(workId),
    onProgress: (stage, line) => {
      const text = redactor.redact(line);
      jobLog.info({ stage }, text);
      watcher.onStage?.(incident, stage, text);
    },
    ...(onFirstLook ? { onFirstLook } : {}),
  };
  return investigate(incident, equipped, context.signal, earlier);
}
