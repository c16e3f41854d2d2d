import type { Brief } from '../domain/brief.ts';
import type { Evidence } from '../domain/evidence.ts';
import type { Incident } from '../domain/incident.ts';
import type { Conclusion } from '../domain/report.ts';
import type { Verification } from '../domain/verification.ts';
import { wordsOfAlert } from '../policy/claims/alert-words.ts';
import { verifyConclusion } from './verify.ts';

/** Checks a conclusion, the agent's and the analyst's alike, against the evidence known and what else brief and alert tell. */
export function verifyAgainst(
  incident: Incident,
  brief: Brief,
  conclusion: Conclusion,
  evidence: readonly Evidence[],
): Verification {
  const services = new Set(brief.ranking.suspects.map(({ service }) => service));
  return verifyConclusion(conclusion, evidence, services, {
    notHealthy: forbidsHealthy(brief),
    triggerMs: incident.startsAtMs,
    background: [wordsOfAlert(incident)],
  });
}

/** The evidence, or the lack of it, that contradicts the word healthy, in words for the reason; undefined when nothing does. */
function forbidsHealthy({ trouble = [], kindsRead, alertEvidenceId }: Brief): string | undefined {
  if (alertEvidenceId !== undefined)
    return `an alert fires (${alertEvidenceId}), and nothing found is no proof of health`;
  if (kindsRead?.length === 0) return 'no telemetry could be read, and nothing read is no proof of health';
  return trouble.length > 0 ? `${trouble.join(', ')} of the brief show trouble beyond an absolute bar` : undefined;
}
