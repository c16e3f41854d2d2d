import type { Suspect } from './brief.ts';
import type { Conclusion } from './report.ts';

/**
 * What one look at an incident concluded and what its deterministic ranking rested on: enough to tell what a later look finds different.
 * Plain JSON, redacted, so that it can be kept until then.
 */
export interface Look extends Pick<
  Conclusion,
  'status' | 'root_cause_service' | 'root_cause_type' | 'confidence' | 'evidence'
> {
  readonly reportId: string;
  readonly generatedAtMs: number;
  /** Time of the latest sample, line, span, event or change that was read; null when nothing with a time was. */
  readonly seenUntilMs: number | null;
  /** The first of the ranking. Evidence ids are those of this look's own report. */
  readonly suspects: readonly Pick<Suspect, 'service' | 'score' | 'reasons'>[];
}
