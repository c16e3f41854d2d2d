/**
 * One item as a source gave it: a log line, a trace, a metric. Any field may be missing or of another type; those that are known here are
 * `source_type`, `level`, `message`, `timestamp`, and of a group `count`, `first_seen`, `last_seen`.
 */
export type EvidenceRecord = Readonly<Record<string, unknown>>;

/** A text field; a number as text; `''` for anything else. */
export function textOf(record: EvidenceRecord, field: string): string {
  const value = record[field];
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : '';
}

/** How many lines the record stands for: a group's count, else one. */
export function countOf(record: EvidenceRecord): number {
  const count = record['count'];
  return typeof count === 'number' && Number.isFinite(count) && count > 0 ? count : 1;
}

/** First and last time of what the record stands for, `''` when unknown. Compared as text, so one format within a list. */
export interface SeenSpan {
  readonly first_seen: string;
  readonly last_seen: string;
}

export function seenSpanOf(record: EvidenceRecord): SeenSpan {
  const at = textOf(record, 'timestamp');
  return { first_seen: textOf(record, 'first_seen') || at, last_seen: textOf(record, 'last_seen') || at };
}

/** An unknown time never takes the place of a known one. */
export function widenSeen(a: SeenSpan, b: SeenSpan): SeenSpan {
  const isEarlier = b.first_seen !== '' && (a.first_seen === '' || b.first_seen < a.first_seen);
  const isLater = b.last_seen !== '' && (a.last_seen === '' || b.last_seen > a.last_seen);
  return {
    first_seen: isEarlier ? b.first_seen : a.first_seen,
    last_seen: isLater ? b.last_seen : a.last_seen,
  };
}
