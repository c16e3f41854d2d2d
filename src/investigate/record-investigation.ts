import { addTokens } from '../agent/model.ts';
import { redactDeep } from '../agent/tools/redact-deep.ts';
import type { WeighedHypothesis } from '../domain/hypothesis.ts';
import { NO_USAGE, type ModelUsage, type Session } from '../domain/session.ts';
import type { Asked } from './ask-agent.ts';
import { compareLooks } from './compare-looks.ts';
import type { Investigation } from './investigate.ts';
import type { Known, Run } from './run.ts';
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
}

/** Report, session and look of an investigation that is over. */
export function recordInvestigation(run: Run, { known, agent, verdict }: Outcome): Investigation {
  const { incident, parts, startedAtMs, stages, earlier } = run;
  const { brief, seenUntilMs } = known;
  const finishedAtMs = parts.now();
  const look = takeLook(
    {
      conclusion: verdict.conclusion,
      ranking: brief.ranking,
      reportId: reportId(incident.id),
      generatedAtMs: finishedAtMs,
      seenUntilMs,
    },
    parts.redact,
  );
  const report = writeReport(
    {
      ...verdict,
      ...(earlier ? { revision: compareLooks(earlier, look) } : {}),
      incident,
      usage: usageOf(agent),
      subAgents: agent?.subAgents.length ?? 0,
      stages,
      terminationReason: terminationReasonOf(agent),
      gaps: [
        ...gapsOfIncident(incident),
        ...tellGaps(parts.model, brief, agent),
        ...(verdict.removed ?? []).map((what) => `removed: ${what}`),
      ],
      model: agent?.result.model ?? null,
      briefTokens: brief.tokens,
      rawTokens: brief.rawTokens,
      // A clock that was set back makes no report impossible.
      durationMs: Math.max(0, finishedAtMs - startedAtMs),
      generatedAtMs: finishedAtMs,
    },
    parts.redact,
  );
  const session = sessionOf(run, known, agent, finishedAtMs);
  const hypotheses = redactDeep(verdict.hypotheses, parts.redact) as Session['hypotheses'];
  return { report, session: { ...session, ...(hypotheses ? { hypotheses } : {}) }, subSessions: run.subSessions, look };
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
    id: sessionId(incident.id),
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
