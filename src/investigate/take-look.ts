import type { Ranking } from '../domain/brief.ts';
import type { Look } from '../domain/look.ts';
import type { Conclusion } from '../domain/report.ts';
import { sanitize } from '../policy/untrusted.ts';

/** A later leader that was not among these at the first look was nowhere near. */
const MOST_SUSPECTS = 10;

export interface LookInput extends Pick<Look, 'reportId' | 'generatedAtMs' | 'seenUntilMs'> {
  readonly conclusion: Conclusion;
  readonly ranking: Ranking;
}

/**
 * What is kept of a finished investigation for comparing a later one with it. `redact` sees every text, names too; to find the same names again
 * a later look has to use the same one.
 */
export function takeLook(
  { conclusion, ranking, reportId, generatedAtMs, seenUntilMs }: LookInput,
  redact: (text: string) => string,
): Look {
  // Sanitised first: a colour code in the middle of a secret would hide it.
  const clean = (text: string) => redact(sanitize(text));
  const { status, root_cause_service, root_cause_type, confidence, evidence } = conclusion;
  const suspects = ranking.suspects.slice(0, MOST_SUSPECTS).map(({ service, score, reasons }) => ({
    service: clean(service),
    score,
    reasons: reasons.map((reason) => ({ ...reason, statement: clean(reason.statement) })),
  }));
  return {
    status,
    root_cause_service: root_cause_service === null ? null : clean(root_cause_service),
    root_cause_type,
    confidence,
    evidence,
    reportId,
    generatedAtMs,
    seenUntilMs,
    suspects,
  };
}
