import type { Incident } from '../domain/incident.ts';
import type { Conclusion } from '../domain/report.ts';
import { NO_USAGE } from '../domain/session.ts';
import type { Investigation } from '../investigate/investigate.ts';
import { sessionId, writeReport } from '../investigate/write-report.ts';
import type { GivenUp } from '../queue/investigation-worker.ts';

/** The short report of an incident whose investigation could not be finished: nothing is claimed, and why is said. */
export function failedInvestigation(
  incident: Incident,
  { reason, error }: GivenUp,
  nowMs: number,
  redact: (text: string) => string,
): Pick<Investigation, 'report' | 'session'> {
  const why =
    reason === 'poison'
      ? 'the investigation ended its worker process every time it was started'
      : `the investigation failed every time: ${error instanceof Error ? error.message : String(error)}`;
  const conclusion: Conclusion = {
    status: 'inconclusive',
    summary: `${incident.title} could not be investigated; a person has to look.`,
    root_cause_service: null,
    root_cause_type: 'unknown',
    confidence: 0,
    confidence_reasons: ['no evidence was read'],
    evidence: [],
    causal_chain: [],
    alternatives: [],
    action_plan: [],
  };
  const report = writeReport(
    {
      incident,
      mode: 'analyst',
      conclusion,
      evidence: [],
      gaps: [`${why}; Rootnote's log names the job`],
      usage: NO_USAGE,
      subAgents: 0,
      model: null,
      briefTokens: 0,
      rawTokens: 0,
      stages: {},
      durationMs: 0,
      terminationReason: 'given_up',
      generatedAtMs: nowMs,
    },
    redact,
  );
  return {
    report,
    session: {
      id: sessionId(incident.id),
      incidentId: incident.id,
      startedAtMs: nowMs,
      finishedAtMs: nowMs,
      brief: '',
      entries: [],
      usage: NO_USAGE,
      terminationReason: 'given_up',
    },
  };
}
