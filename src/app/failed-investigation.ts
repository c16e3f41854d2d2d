import { addTokens } from '../agent/model.ts';
import type { Brief } from '../domain/brief.ts';
import type { Incident } from '../domain/incident.ts';
import type { Conclusion, Report } from '../domain/report.ts';
import { NO_USAGE, type ModelUsage } from '../domain/session.ts';
import { NO_TELEMETRY } from '../domain/telemetry.ts';
import { investigate, type Investigation } from '../investigate/investigate.ts';
import { STATE_VERSION, type InvestigationState } from '../investigate/journal.ts';
import type { InvestigationParts } from '../investigate/run.ts';
import { sessionId, usageInReport, writeReport } from '../investigate/write-report.ts';
import type { GivenUp } from '../queue/investigation-worker.ts';
import type { UsedSoFar } from '../sessions/resume-store.ts';

const GIVEN_UP = 'given_up';

/** What its earlier starts have left. */
export interface LeftBehind {
  readonly state: InvestigationState | undefined;
  readonly used: UsedSoFar;
  /** What may have been told already. */
  readonly firstLook: Report | undefined;
}

/**
 * The report of an incident whose investigation is given up. When an earlier start had read and distilled the telemetry, the analyst reports on that;
 * else a first look that was told stands; without one nothing is claimed. Why is said either way, and what its agents had used until then. Never rejects.
 */
export async function failedInvestigation(
  incident: Incident,
  givenUp: GivenUp,
  parts: InvestigationParts,
  { state, used, firstLook }: LeftBehind,
): Promise<Pick<Investigation, 'report' | 'session'>> {
  const { report, session } = await analysedOrKnown(incident, reasonOf(givenUp), parts, { state, firstLook });
  const usage = {
    ...report.usage,
    ...usageInReport(totalOf(used)),
    sub_agents: used.subAgents.length,
    termination_reason: GIVEN_UP,
  };
  const { result } = session;
  const whole = result ? { result: { ...result, subAgents: usage.sub_agents, costUsd: usage.cost_usd } } : {};
  return {
    report: { ...report, usage },
    session: { ...session, usage: used.main, terminationReason: GIVEN_UP, ...whole },
  };
}

/** Turns are those of the main agent. */
function totalOf({ main, subAgents }: UsedSoFar): ModelUsage {
  return { turns: main.turns, ...subAgents.reduce(addTokens, main) };
}

async function analysedOrKnown(
  incident: Incident,
  why: string,
  parts: InvestigationParts,
  { state, firstLook }: Pick<LeftBehind, 'state' | 'firstLook'>,
): Promise<Pick<Investigation, 'report' | 'session'>> {
  if (state?.version === STATE_VERSION) {
    try {
      return await analysed(incident, why, parts, state.brief);
    } catch {
      // What was given up for a bug may meet it again: the short report cannot.
    }
  }
  const short = nothingKnown(incident, why, parts);
  return firstLook ? { ...short, report: standing(firstLook, short.report) } : short;
}

/** A verdict that people have read is not taken back because nothing followed it. */
function standing({ stage: _stage, ...firstLook }: Report, { generatedAt, gaps }: Report): Report {
  return { ...firstLook, generatedAt, gaps: [...firstLook.gaps, ...gaps] };
}

function reasonOf({ reason, error }: GivenUp): string {
  const what =
    reason === 'poison'
      ? 'the investigation ended its worker process every time it was started'
      : `the investigation failed every time: ${error.message}`;
  return `${what}; Rootnote's log names the job`;
}

function analysed(incident: Incident, why: string, parts: InvestigationParts, brief: Brief) {
  return investigate(
    incident,
    {
      ...parts,
      model: { off: why },
      gather: () => Promise.resolve(NO_TELEMETRY),
      distil: () => Promise.resolve(brief),
    },
    new AbortController().signal,
  );
}

function nothingKnown(
  incident: Incident,
  why: string,
  { now, redact }: Pick<InvestigationParts, 'now' | 'redact'>,
): Pick<Investigation, 'report' | 'session'> {
  const nowMs = now();
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
      gaps: [why],
      usage: NO_USAGE,
      subAgents: 0,
      model: null,
      briefTokens: 0,
      rawTokens: 0,
      stages: {},
      durationMs: 0,
      terminationReason: GIVEN_UP,
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
      terminationReason: GIVEN_UP,
    },
  };
}
