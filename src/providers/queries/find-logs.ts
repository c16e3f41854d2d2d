import type { LogQuery, QueryResult } from '../../domain/provider.ts';
import type { LogRecord } from '../../domain/telemetry.ts';
import { isErrorRecord, recordLevel } from '../../funnel/logs/log-severity.ts';
import { matcher } from '../wildcard.ts';
import { answer, boundedLimit } from './answer.ts';
import { inTurns } from './in-turns.ts';

const MOST_LINES = 2000;

export async function findLogs(
  all: readonly LogRecord[],
  query: LogQuery,
  signal: AbortSignal,
): Promise<QueryResult<LogRecord>> {
  const isOfService = matcher(query.service);
  const contains = query.contains?.toLowerCase();
  const matches: LogRecord[] = [];
  let timeless = 0;
  await inTurns(all, signal, (log) => {
    if (Number.isNaN(log.timeMs)) timeless += 1;
    if (!(log.timeMs >= query.fromMs && log.timeMs <= query.toMs) || !isOfService(log.service)) return;
    if (contains === undefined || log.message.toLowerCase().includes(contains)) matches.push(log);
  });
  const sorted = matches.toSorted((a, b) => a.timeMs - b.timeMs);
  const limit = boundedLimit(query.limit, MOST_LINES);
  const { items, cut } =
    sorted.length > limit ? await tellingPart(sorted, limit, signal) : { items: sorted, cut: undefined };
  return answer(items, [
    cut,
    matches.length === 0 && `no line of ${all.length} matches in this window`,
    timeless > 0 && `${timeless} lines without a usable time were not searched`,
  ]);
}

/**
 * Half of the room, or what others leave of it, is for the last lines that tell of errors, wherever in the window they are; the rest for the last of the
 * others: those nearest the end tell most about what is wrong now.
 */
async function tellingPart(lines: readonly LogRecord[], limit: number, signal: AbortSignal) {
  const errors: LogRecord[] = [];
  const others: LogRecord[] = [];
  await inTurns(lines, signal, (line) => {
    const isError = isErrorRecord(recordLevel(line.level, line.message), line.message);
    (isError ? errors : others).push(line);
  });
  const keptErrors = lastOf(errors, limit - Math.min(others.length, limit >> 1));
  const keptOthers = lastOf(others, limit - keptErrors.length);
  const kept = new Set([...keptErrors, ...keptOthers]);
  const counts = `the last ${keptErrors.length} of ${errors.length} that tell of errors, the last ${keptOthers.length} of ${others.length} others`;
  return { items: lines.filter((line) => kept.has(line)), cut: `of ${lines.length} matching lines: ${counts}` };
}

function lastOf<T>(items: readonly T[], count: number): readonly T[] {
  return count > 0 ? items.slice(-count) : [];
}
