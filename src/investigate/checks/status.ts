import type { Conclusion } from '../../domain/report.ts';
import type { Findings } from './findings.ts';

/** A conclusion without any valid citation is a guess. */
const UNCITED_CONFIDENCE = 0.2;

/** "Healthy" may rest on nothing found; a cause may not, and neither may one whose citations were all wrong. */
export function checkStatus(before: Conclusion, after: Conclusion, findings: Findings): Conclusion {
  const count = (conclusion: Conclusion) =>
    conclusion.evidence.length + conclusion.causal_chain.reduce((total, step) => total + step.evidence.length, 0);
  if (count(after) > 0) return after;
  if (before.status === 'healthy' && count(before) === 0) return after;
  if (before.status === 'determined') findings.problem('evidence', 'cite the evidence that the conclusion rests on');
  findings.lower(
    Math.min(findings.confidence, UNCITED_CONFIDENCE),
    'Lowered: no valid evidence is cited, so nothing is determined.',
  );
  // Whom it names then is nobody's finding: not even a lead.
  return { ...after, status: 'inconclusive', root_cause_service: null, root_cause_type: 'unknown' };
}

/** `notHealthy`: what contradicts the word healthy, in words; undefined when nothing does. */
export function checkHealth(conclusion: Conclusion, notHealthy: string | undefined, findings: Findings): Conclusion {
  if (conclusion.status !== 'healthy' || notHealthy === undefined) return conclusion;
  findings.problem('status', `may not be healthy: ${notHealthy}`);
  findings.lower(Math.min(findings.confidence, UNCITED_CONFIDENCE), `Lowered: not healthy, for ${notHealthy}.`);
  return { ...conclusion, status: 'inconclusive', root_cause_type: 'unknown' };
}
