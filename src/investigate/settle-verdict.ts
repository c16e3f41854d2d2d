import { formHypotheses } from '../agent/hypotheses/form-hypotheses.ts';
import { settleConclusion } from '../agent/hypotheses/settle-conclusion.ts';
import { ownHypothesis, weighHypotheses } from '../agent/hypotheses/weigh-hypotheses.ts';
import { SYSTEM_PROMPT } from '../agent/prompts.ts';
import type { Evidence } from '../domain/evidence.ts';
import { withNames, type WeighedHypothesis } from '../domain/hypothesis.ts';
import type { Incident } from '../domain/incident.ts';
import type { Conclusion } from '../domain/report.ts';
import { withoutGuesses } from './checks/actions.ts';
import { hostOf, withoutForeignWords } from './checks/foreign-words.ts';
import type { SubAgentRecord } from './journal.ts';
import type { Known } from './run.ts';

export interface SettledVerdict {
  readonly conclusion: Conclusion;
  readonly hypotheses: readonly WeighedHypothesis[];
  /** A sentence for each thing that was taken out. */
  readonly removed: readonly string[];
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
  { brief, guidance, nonce }: Pick<Known, 'brief' | 'guidance' | 'nonce'>,
  { conclusion, evidence, subAgents }: AgentFindings,
): SettledVerdict {
  const tests = subAgents.flatMap(({ hypothesis, stance, outcome }) =>
    outcome.kind === 'done'
      ? [{ finding: outcome.finding, ...(hypothesis ? { hypothesis } : {}), ...(stance ? { stance } : {}) }]
      : [],
  );
  const known = new Set(brief.evidence.map(({ id }) => id));
  const hypotheses = weighHypotheses({ hypotheses: formHypotheses(incident, brief), tests, evidence, known });
  const settled = readable(settleConclusion(conclusion, { hypotheses, brief, evidence }), hypotheses);
  const words = { secretTexts: [SYSTEM_PROMPT, guidance.memory], nonce, knownHosts: hostsOf(incident, evidence) };
  const own = ownHypothesis(settled, hypotheses);
  const clean = withoutForeignWords(settled, words);
  const { conclusion: sober, removed } = withoutGuesses(clean.conclusion);
  return {
    hypotheses: own ? [...hypotheses, own] : hypotheses,
    conclusion: sober,
    removed: [...clean.removed, ...removed],
  };
}

/** With names where agents gave reasons by the ids of hypotheses. */
function readable(conclusion: Conclusion, hypotheses: readonly WeighedHypothesis[]): Conclusion {
  const { confidence_reasons: reasons, alternatives } = conclusion;
  return {
    ...conclusion,
    confidence_reasons: reasons.map((reason) => withNames(reason, hypotheses)),
    alternatives: alternatives.map((one) => ({ ...one, why_not: withNames(one.why_not, hypotheses) })),
  };
}

/** Hosts of links that providers and the alert's sender gave, not of addresses that stand in a text. */
function hostsOf({ link }: Incident, evidence: readonly Evidence[]): ReadonlySet<string> {
  const links = [link, ...evidence.map((item) => item.link)];
  return new Set(links.flatMap((address) => (address === undefined ? [] : (hostOf(address) ?? []))));
}
