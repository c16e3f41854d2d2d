import type { Evidence } from '../../domain/evidence.ts';
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

interface KnownFacts {
  readonly byId: ById;
  /** Undefined: times are not checked. */
  readonly triggerMs: number | undefined;
  readonly background: readonly Evidence[];
}

/**
 * Compares what the steps of the causal chain and the summary say with what they cite: figures, times, directions, whom it is about. The summary
 * cites everything that the conclusion does, and names many services.
 */
export function checkClaims(conclusion: Conclusion, facts: KnownFacts, findings: Findings): void {
  const { byId, triggerMs, background } = facts;
  const itemsOf = (ids: readonly string[]) => [...new Set(ids)].flatMap((id) => byId.get(id) ?? []);
  conclusion.causal_chain.forEach(({ statement, service, evidence }, i) => {
    const claim = { statement, service, evidence: itemsOf(evidence), background };
    tell(`causal_chain[${i}].statement`, checkClaim(claim, triggerMs), findings);
  });
  const all = itemsOf([...conclusion.evidence, ...conclusion.causal_chain.flatMap(({ evidence }) => evidence)]);
  const summary = { statement: conclusion.summary, evidence: all, background };
  tell('summary', checkClaim(summary, triggerMs), findings);
}

function tell(path: string, found: readonly Contradiction[], findings: Findings): void {
  for (const { kind, rule, reason } of found) {
    findings.problem(path, rule);
    findings.lower(findings.confidence * FACTORS[kind], `Lowered: ${reason}.`);
  }
}
