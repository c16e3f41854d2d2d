import { formHypotheses } from '../agent/hypotheses/form-hypotheses.ts';
import { settleConclusion } from '../agent/hypotheses/settle-conclusion.ts';
import { weighHypotheses } from '../agent/hypotheses/weigh-hypotheses.ts';
import type { Brief } from '../domain/brief.ts';
import type { Evidence } from '../domain/evidence.ts';
import type { WeighedHypothesis } from '../domain/hypothesis.ts';
import type { Incident } from '../domain/incident.ts';
import type { Conclusion } from '../domain/report.ts';
import type { SubAgentRecord } from './journal.ts';

export interface SettledVerdict {
  readonly conclusion: Conclusion;
  readonly hypotheses: readonly WeighedHypothesis[];
}

interface AgentFindings {
  /** Verified. */
  readonly conclusion: Conclusion;
  /** Everything known at the end. */
  readonly evidence: readonly Evidence[];
  readonly subAgents: readonly Pick<SubAgentRecord, 'hypothesis' | 'stance' | 'outcome'>[];
}

/** Settles what the main agent concluded by what it and its sub-agents found: the same hypotheses that they were given, weighed. Pure. */
export function settleVerdict(
  incident: Incident,
  brief: Brief,
  { conclusion, evidence, subAgents }: AgentFindings,
): SettledVerdict {
  const tests = subAgents.flatMap(({ hypothesis, stance, outcome }) =>
    outcome.kind === 'done'
      ? [{ finding: outcome.finding, ...(hypothesis ? { hypothesis } : {}), ...(stance ? { stance } : {}) }]
      : [],
  );
  const known = new Set(brief.evidence.map(({ id }) => id));
  const hypotheses = weighHypotheses({ hypotheses: formHypotheses(incident, brief), tests, evidence, known });
  return { conclusion: settleConclusion(conclusion, { hypotheses, brief, evidence }), hypotheses };
}
