import type { LogQuery, QueryResult } from '../../../domain/provider.ts';
import type { LogRecord } from '../../../domain/telemetry.ts';
import { matcher } from '../../wildcard.ts';
import { answer, boundedLimit } from './answer.ts';
import { inTurns } from './in-turns.ts';

const MOST_LINES = 500;

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
  const limit = boundedLimit(query.limit, MOST_LINES);
  // The lines nearest the end of the window tell most about what is wrong now.
  return answer(matches.toSorted((a, b) => a.timeMs - b.timeMs).slice(-limit), [
    matches.length > limit && `the last ${limit} of ${matches.length} matching lines`,
    matches.length === 0 && `no line of ${all.length} matches in this window`,
    timeless > 0 && `${timeless} lines without a usable time were not searched`,
  ]);
}
