import { downsample } from './downsample.ts';
import type { EvidenceRecord } from './evidence-record.ts';

/** Most that is shown of one kind, after grouping (SPEC A12). */
export const CAPS = {
  logs: 50,
  errorLogs: 30,
  messageCharacters: 1000,
  traces: 20,
  spansPerTrace: 50,
  metrics: 50,
  pointsPerMetric: 20,
  invocations: 50,
  logsPerInvocation: 10,
} as const;

const POINT_LISTS = ['datapoints', 'values', 'points', 'data'] as const;

/** `Showing 20 of 187 traces`; null when nothing was cut (SPEC A13). */
export function showing(returned: number, total: number, item: string): string | null {
  return returned < total ? `Showing ${returned} of ${total} ${item}` : null;
}

/** The first `limit`, each with a message of at most 1,000 characters. Group first, or equal lines take all the room. */
export function truncateLogs<T>(logs: readonly T[], limit: number = CAPS.logs): readonly T[] {
  return head(logs, limit).map((log) => mapRecord(log, (record) => ({ ...record, ...clippedMessage(record) })));
}

export function truncateErrorLogs<T>(logs: readonly T[], limit: number = CAPS.errorLogs): readonly T[] {
  return truncateLogs(logs, limit);
}

/** The first `limit`, each with its first 50 `spans`; `span_count_total` tells how many there were when some were cut. */
export function truncateTraces<T>(traces: readonly T[], limit: number = CAPS.traces): readonly T[] {
  return head(traces, limit).map((trace) =>
    mapRecord(trace, (record) =>
      shorten(record, 'spans', 'span_count_total', (spans) => head(spans, CAPS.spansPerTrace)),
    ),
  );
}

/** The first `limit`, each with at most 20 points over its whole range; `<list>_total` tells how many there were when some were cut. */
export function truncateMetrics<T>(metrics: readonly T[], limit: number = CAPS.metrics): readonly T[] {
  const thin = (points: readonly unknown[]) => downsample(points, CAPS.pointsPerMetric);
  return head(metrics, limit).map((metric) =>
    mapRecord(metric, (record) =>
      POINT_LISTS.reduce((shortened, list) => shorten(shortened, list, `${list}_total`, thin), record),
    ),
  );
}

/** The first `limit`, each with its first 10 `logs`; `log_count_total` tells how many there were when some were cut. */
export function truncateInvocations<T>(invocations: readonly T[], limit: number = CAPS.invocations): readonly T[] {
  return head(invocations, limit).map((invocation) =>
    mapRecord(invocation, (record) =>
      shorten(record, 'logs', 'log_count_total', (logs) => head(logs, CAPS.logsPerInvocation)),
    ),
  );
}

function head<T>(items: readonly T[], limit: number): readonly T[] {
  return items.slice(0, Math.max(0, limit));
}

/** What is no object passes as it is. */
function mapRecord<T>(item: T, change: (record: EvidenceRecord) => EvidenceRecord): T {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
  return change(item as EvidenceRecord) as T;
}

function clippedMessage({ message }: EvidenceRecord): EvidenceRecord {
  if (typeof message !== 'string' || message.length <= CAPS.messageCharacters) return {};
  return { message: `${message.slice(0, CAPS.messageCharacters - 3)}...` };
}

function shorten(
  record: EvidenceRecord,
  list: string,
  totalField: string,
  cut: (items: readonly unknown[]) => readonly unknown[],
): EvidenceRecord {
  const items = record[list];
  if (!Array.isArray(items)) return record;
  const kept = cut(items);
  return kept.length === items.length ? record : { ...record, [list]: kept, [totalField]: items.length };
}
