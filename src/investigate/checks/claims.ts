import type { Evidence } from '../../domain/evidence.ts';
import type { Conclusion } from '../../domain/report.ts';
import { checkClaim, type Contradiction } from '../../policy/claims/check-claim.ts';
import { markContradicted } from '../../policy/claims/mark-claim.ts';
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

/** As long as a step or a summary may be. */
const LONGEST = 600;

/**
 * Compares what the steps of the causal chain and the summary of `written` say with what they cite: figures, times, directions, whom it is about. The
 * summary cites everything that the conclusion does, and names many services. Returns `conclusion`, what was left of `written` so far, with a mark on
 * each sentence that its evidence contradicts: the summary is often all that is read.
 */
export function checkClaims(written: Conclusion, conclusion: Conclusion, facts: KnownFacts, findings: Findings) {
  const { byId, triggerMs, background } = facts;
  const itemsOf = (ids: readonly string[]) => [...new Set(ids)].flatMap((id) => byId.get(id) ?? []);
  const wrong = new Set<string>();
  const check = (path: string, statement: string, ids: readonly string[], service?: string) => {
    const claim = { statement, evidence: itemsOf(ids), background, ...(service === undefined ? {} : { service }) };
    const found = checkClaim(claim, triggerMs);
    tell(path, found, findings);
    if (found.some(({ kind }) => kind !== 'subject')) wrong.add(statement);
  };
  written.causal_chain.forEach(({ statement, service, evidence }, i) =>
    check(`causal_chain[${i}].statement`, statement, evidence, service),
  );
  const all = [...written.evidence, ...written.causal_chain.flatMap(({ evidence }) => evidence)];
  check('summary', written.summary, all);
  const marked = (statement: string) => (wrong.has(statement) ? markContradicted(statement, LONGEST) : statement);
  return {
    ...conclusion,
    summary: marked(conclusion.summary),
    causal_chain: conclusion.causal_chain.map((step) => ({ ...step, statement: marked(step.statement) })),
  };
}

function tell(path: string, found: readonly Contradiction[], findings: Findings): void {
  for (const { kind, rule, reason } of found) {
    findings.problem(path, rule);
    findings.lower(findings.confidence * FACTORS[kind], `Lowered: ${reason}.`);
  }
}
