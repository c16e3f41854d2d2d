import type { Conclusion } from '../../domain/report.ts';
import { checkClaim, type Contradiction } from '../../policy/claims/check-claim.ts';
import type { ById } from './citations.ts';
import type { Findings } from './findings.ts';

/** What is left of the confidence for a sentence that its evidence contradicts. */
const FACTORS: Readonly<Record<Contradiction['kind'], number>> = {
  number: 0.7,
  direction: 0.7,
  time: 0.85,
  subject: 0.85,
};

/**
 * Compares what the steps of the causal chain and the summary say with what they cite: figures, times, directions, whom it is about. The summary
 * cites everything that the conclusion does, and names many services. `triggerMs` undefined: times are not checked.
 */
export function checkClaims(
  conclusion: Conclusion,
  byId: ById,
  triggerMs: number | undefined,
  findings: Findings,
): void {
  const itemsOf = (ids: readonly string[]) => [...new Set(ids)].flatMap((id) => byId.get(id) ?? []);
  conclusion.causal_chain.forEach(({ statement, service, evidence }, i) => {
    const found = checkClaim({ statement, service, evidence: itemsOf(evidence) }, triggerMs);
    tell(`causal_chain[${i}].statement`, found, findings);
  });
  const all = itemsOf([...conclusion.evidence, ...conclusion.causal_chain.flatMap(({ evidence }) => evidence)]);
  tell('summary', checkClaim({ statement: conclusion.summary, evidence: all }, triggerMs), findings);
}

function tell(path: string, found: readonly Contradiction[], findings: Findings): void {
  for (const { kind, rule, reason } of found) {
    findings.problem(path, rule);
    findings.lower(findings.confidence * FACTORS[kind], `Lowered: ${reason}.`);
  }
}
