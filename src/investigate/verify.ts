import { withReasons } from '../domain/confidence.ts';
import type { Evidence } from '../domain/evidence.ts';
import type { Conclusion } from '../domain/report.ts';
import type { Verification } from '../domain/verification.ts';
import { judgeRisk } from './checks/actions.ts';
import { checkCitations } from './checks/citations.ts';
import { checkClaims } from './checks/claims.ts';
import { Findings } from './checks/findings.ts';
import { checkServices, checkSubject } from './checks/services.ts';
import { checkHealth, checkStatus } from './checks/status.ts';

export interface VerifyOptions {
  /** What contradicts the word healthy, in words. */
  readonly notHealthy?: string | undefined;
  /** Time of the alert, epoch ms. Without it no times are checked. */
  readonly triggerMs?: number | undefined;
  /** What everybody knows: its figures need no citation. */
  readonly background?: readonly Evidence[];
}

/**
 * Checks a conclusion, the model's or the analyst's, against the evidence of the run:
 * - a cited id must exist; a causal step that rests only on ids that do not is taken out;
 * - what a step or the summary says must not be contradicted by what it cites (`policy/claims`), or it is marked;
 * - the root cause service must be a known one, or null;
 * - some of the cited evidence must be about that service;
 * - without any citation left, nothing is determined;
 * - healthy it is not when `notHealthy` says why.
 * What an action risks is judged by code, whatever the conclusion says (`checks/actions.ts`). Pure; the input is not changed.
 */
export function verifyConclusion(
  conclusion: Conclusion,
  evidence: readonly Evidence[],
  knownServices: ReadonlySet<string>,
  { notHealthy, triggerMs, background = [] }: VerifyOptions = {},
): Verification {
  const findings = new Findings(conclusion.confidence);
  const byId = new Map(evidence.map((item) => [item.id, item]));
  const cited = checkCitations(conclusion, byId, findings);
  const held = checkClaims(conclusion, cited, { byId, triggerMs, background }, findings);
  const named = checkSubject(checkServices(held, knownServices, findings), byId, findings);
  const settled = checkHealth(checkStatus(conclusion, named, findings), notHealthy, findings);
  return {
    conclusion: {
      ...settled,
      confidence: Math.round(findings.confidence * 1000) / 1000,
      confidence_reasons: withReasons(settled.confidence_reasons, findings.reasons),
      action_plan: settled.action_plan.map(judgeRisk),
    },
    problems: findings.problems,
    removed: findings.removed,
  };
}
