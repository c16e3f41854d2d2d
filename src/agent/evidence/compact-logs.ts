import { deduplicateLogs, isErrorLog, type LogGroup } from './deduplicate-logs.ts';
import { buildErrorTaxonomy, type ErrorTaxonomy } from './error-taxonomy.ts';
import { countOf, type EvidenceRecord } from './evidence-record.ts';
import { CAPS } from './truncate.ts';

export interface CompactedLogs {
  readonly compacted_logs: readonly LogGroup[];
  /** Of the errors among the lines. */
  readonly error_taxonomy: ErrorTaxonomy;
  /** Lines, those that a group stands for included. */
  readonly total_raw: number;
}

/** Groups lines and sorts the errors among them into kinds. Pure; compacting twice changes no count. */
export function compactLogs(
  logs: readonly EvidenceRecord[],
  maxOutput: number = CAPS.logs,
  maxSamples = 5,
): CompactedLogs {
  return {
    compacted_logs: deduplicateLogs(logs, maxOutput),
    error_taxonomy: buildErrorTaxonomy(logs.filter(isErrorLog), maxSamples),
    total_raw: logs.reduce((sum, log) => sum + countOf(log), 0),
  };
}
