import { countOf, seenSpanOf, textOf, widenSeen, type EvidenceRecord, type SeenSpan } from './evidence-record.ts';
import { normalizeLogMessage } from './normalize-message.ts';

/** All lines of one wording: the first of them, with all its fields, and how often and when there were such lines. */
export type LogGroup = EvidenceRecord & SeenSpan & { readonly count: number };

/**
 * Groups lines of the same source, level and wording (SPEC A10), in order of time, those without one first. The counts of groups that are grouped
 * again add up, so that counts survive re-compaction. Over `maxOutput` groups, those of errors are kept before others, and the earlier of each.
 * Pure: the input is not changed.
 */
export function deduplicateLogs(logs: readonly EvidenceRecord[], maxOutput?: number): readonly LogGroup[] {
  const groups = new Map<string, LogGroup>();
  for (const log of logs) {
    const key = keyOf(log);
    const known = groups.get(key);
    groups.set(
      key,
      known
        ? { ...known, count: known.count + countOf(log), ...widenSeen(known, seenSpanOf(log)) }
        : { ...log, count: countOf(log), ...seenSpanOf(log) },
    );
  }
  const sorted = [...groups.values()].sort(byTime);
  if (maxOutput === undefined || sorted.length <= maxOutput) return sorted;
  const kept = new Set(
    sorted.toSorted((a, b) => Number(isErrorLog(b)) - Number(isErrorLog(a))).slice(0, Math.max(0, maxOutput)),
  );
  return sorted.filter((group) => kept.has(group));
}

function keyOf(log: EvidenceRecord): string {
  const wording = normalizeLogMessage(textOf(log, 'message'));
  return JSON.stringify([textOf(log, 'source_type'), textOf(log, 'level').toUpperCase(), wording]);
}

function byTime(a: LogGroup, b: LogGroup): number {
  const [first, second] = [textOf(a, 'timestamp') || a.first_seen, textOf(b, 'timestamp') || b.first_seen];
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

const ERROR_MESSAGE = /error|fail|exception|traceback/i;
const ERROR_LEVEL = /error|fatal|critical|panic/i;

/** True when a line tells of an error, by its level or by its words. */
export function isErrorLog(log: EvidenceRecord): boolean {
  return ERROR_LEVEL.test(textOf(log, 'level')) || ERROR_MESSAGE.test(textOf(log, 'message'));
}
