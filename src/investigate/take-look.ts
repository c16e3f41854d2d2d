import type { Ranking } from '../domain/brief.ts';
import type { Look } from '../domain/look.ts';
import type { Conclusion } from '../domain/report.ts';

/** A later leader that was not among these at the first look was nowhere near. */
const MOST_SUSPECTS = 10;

export interface LookInput extends Pick<Look, 'reportId' | 'generatedAtMs' | 'seenUntilMs'> {
  readonly conclusion: Conclusion;
  readonly ranking: Ranking;
}

/** What is kept of a finished investigation for comparing a later one with it. `redact` sees every text. */
export function takeLook(
  { conclusion, ranking, reportId, generatedAtMs, seenUntilMs }: LookInput,
  redact: (text: string) => string,
): Look {
  const { status, root_cause_service, root_cause_type, confidence, evidence } = conclusion;
  const suspects = ranking.suspects.slice(0, MOST_SUSPECTS).map(({ service, score, reasons }) => ({
    service,
    score,
    reasons: reasons.map((reason) => ({ ...reason, statement: redact(reason.statement) })),
  }));
  return {
    status,
    root_cause_service,
    root_cause_type,
    confidence,
    evidence,
    reportId,
    generatedAtMs,
    seenUntilMs,
    suspects,
  };
}
