import { addTokens } from '../agent/model.ts';
import { redactDeep } from '../agent/tools/redact-deep.ts';
import type { WeighedHypothesis } from '../domain/hypothesis.ts';
import type { Look } from '../domain/look.ts';
import type { Report } from '../domain/report.ts';
import { NO_USAGE, type ModelUsage, type Session, type SessionResult } from '../domain/session.ts';
import type { Asked } from './ask-agent.ts';
import { checkReportOf, wantsModel, withNews } from './check-run.ts';
import { compareLooks } from './compare-looks.ts';
import type { Investigation } from './investigate.ts';
import { workIdOf, type FirstLook, type Known, type Run } from './run.ts';
import { takeLook } from './take-look.ts';
import { tellGaps } from './tell-gaps.ts';
import { gapsOfIncident } from './tell-incident.ts';
import { reportId, sessionId, writeReport, type ReportInput } from './write-report.ts';

export interface Verdict extends Pick<ReportInput, 'mode' | 'conclusion' | 'evidence'> {
  /** Of the agent: what became of each. */
  readonly hypotheses?: readonly WeighedHypothesis[];
  /** What was taken out after the checks of the agent's own result, a sentence each. */
  readonly removed?: readonly string[];
}

interface Outcome {
  readonly known: Known;
  /** Undefined when there was no model. */
  readonly agent: Asked | undefined;
  readonly verdict: Verdict;
  /** The same one when the analyst reports. */
  readonly analyst: Verdict;
}

/** What was read, and what the ranking made of it. */
type Seen = Pick<Known, 'brief' | 'seenUntilMs'>;

/** Report, session and looks of an investigation that is over. */
export function recordInvestigation(run: Run, { known, agent, verdict, analyst }: Outcome): Investigation {
  const { parts, earlier } = run;
  const finishedAtMs = parts.now();
  const look = lookOf(run, known, verdict, finishedAtMs);
  const written = writeReport(
    {
      ...factsOf(run, known, finishedAtMs),
      ...verdict,
      ...(earlier ? { revision: compareLooks(earlier, look) } : {}),
      usage: usageOf(agent),
      subAgents: agent?.subAgents.length ?? 0,
      terminationReason: terminationReasonOf(agent),
      gaps: [
        ...gapsOfIncident(run.incident),
        ...tellGaps(wantsModel(run, known.brief, verdict) ? parts.model : undefined, known.brief, agent, parts.limits),
        ...(verdict.removed ?? []).map((what) => `removed: ${what}`),
      ],
      model: agent?.result.model ?? null,
    },
    parts.redact,
  );
  const report = withNews(written, parts.check);
  const session = sessionOf(run, known, agent, finishedAtMs);
  const hypotheses = redactDeep(verdict.hypotheses, parts.redact) as Session['hypotheses'];
  return {
    report,
    session: { ...session, ...(hypotheses ? { hypotheses } : {}), result: resultOf(report) },
    subSessions: run.subSessions,
    look,
    analystLook: verdict === analyst ? look : lookOf(run, known, analyst, finishedAtMs),
  };
}

function resultOf({ incident, status, root_cause_service, confidence, usage }: Report): SessionResult {
  const verdict = { title: incident.title, status, rootCauseService: root_cause_service, confidence };
  return { ...verdict, subAgents: usage.sub_agents, costUsd: usage.cost_usd };
}

/** The analyst's report as it stands before an agent is asked. */
export function recordFirstLook(run: Run, seen: Seen, analyst: Verdict): FirstLook {
  const { redact, now, model, limits } = run.parts;
  const atMs = now();
  const report = writeReport(
    {
      ...factsOf(run, seen, atMs),
      ...analyst,
      stage: 'first_look',
      usage: NO_USAGE,
      subAgents: 0,
      terminationReason: 'first_look',
      gaps: [...gapsOfIncident(run.incident), ...tellGaps(model, seen.brief, undefined, limits)],
      model: null,
    },
    redact,
  );
  return { report, look: lookOf(run, seen, analyst, atMs) };
}

function factsOf(run: Run, { brief }: Seen, atMs: number) {
  const { incident, stages, startedAtMs } = run;
  return {
    incident,
    check: checkReportOf(brief),
    workId: workIdOf(run),
    stages,
    briefTokens: brief.tokens,
    rawTokens: brief.rawTokens,
    // A clock that was set back makes no report impossible.
    // Probes are asked before the clock of the investigation starts.
    durationMs: Math.max(0, atMs - startedAtMs) + (stages['probe'] ?? 0),
    generatedAtMs: atMs,
  };
}

function lookOf({ incident, parts }: Run, { brief, seenUntilMs }: Seen, { conclusion }: Verdict, atMs: number): Look {
  const made = { reportId: reportId(incident.id), generatedAtMs: atMs, seenUntilMs };
  return takeLook({ conclusion, ranking: brief.ranking, ...made }, parts.redact);
}

/** Everything that was paid for; turns are those of the main agent. */
function usageOf(agent: Asked | undefined): ModelUsage {
  if (!agent) return NO_USAGE;
  const { usage } = agent.result;
  return { turns: usage.turns, ...addTokens(usage, agent.subAgentUsage) };
}

function sessionOf(run: Run, { brief }: Known, agent: Asked | undefined, finishedAtMs: number): Session {
  const { incident, parts, startedAtMs } = run;
  return {
    id: sessionId(workIdOf(run)),
    incidentId: incident.id,
    subAgents: agent?.subAgents.map(({ id }) => id) ?? [],
    startedAtMs,
    finishedAtMs,
    brief: parts.redact(brief.text),
    // Redacted by the agent as they were written.
    entries: agent?.result.entries ?? [],
    usage: agent?.result.usage ?? NO_USAGE,
    ...(agent ? { toolCalls: agent.result.toolCalls, allowed: agent.allowed } : {}),
    terminationReason: terminationReasonOf(agent),
  };
}

function terminationReasonOf(agent: Asked | undefined): string {
  return agent?.result.terminationReason ?? 'no_model';
}
