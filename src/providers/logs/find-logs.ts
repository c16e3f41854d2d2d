import type { LogQuery, QueryResult } from '../../domain/provider.ts';
import type { LogRecord } from '../../domain/telemetry.ts';
import { matcher } from '../wildcard.ts';
import type { LogOptions } from './gather-logs.ts';
import { logWindow, type FieldMatch, type LineFilter, type LogLine, type LogWindow } from './log-source.ts';
import { oldestFirst, readOn, startReading } from './read-backwards.ts';

const MOST_LINES = 2000;

/** The lines that a query asks for, oldest first; of too many the last, and of these half the room for those that tell of errors. */
export async function findLogs(
  { source, names }: LogOptions,
  query: LogQuery,
  signal: AbortSignal,
): Promise<QueryResult<LogRecord>> {
  signal.throwIfAborted();
  const limit = Math.max(1, Math.min(query.limit, MOST_LINES));
  const window = logWindow(query.fromMs, query.toMs);
  const scope = await scopeOf({ source, names }, query.service, window, signal);
  if ('why' in scope) return { items: [], note: scope.why };
  const contains = query.contains ? { contains: query.contains } : {};
  const filters = scope.fields.map((fields): LineFilter => ({ ...window, fields, ...contains }));
  const read = (telling: 'errors' | 'others') => newest(filters.map((filter) => ({ ...filter, telling })));
  const newest = async (wanted: readonly LineFilter[]) => {
    const all = await Promise.all(
      wanted.map((filter) => readOn(source, startReading(source, filter), limit + 1, signal)),
    );
    return { lines: oldestFirst(all.flatMap(({ lines }) => lines)), notes: all.flatMap(({ notes }) => notes) };
  };
  const [errors, others] = await Promise.all([read('errors'), read('others')]);
  const { items, cut } = tellingPart(errors.lines, others.lines, limit);
  const found = items.length === 0 ? ['no line matches in this window'] : [];
  const notes = [...new Set([...cut, ...found, ...errors.notes, ...others.notes])];
  return { items: items.map(({ record }) => record), ...(notes.length > 0 ? { note: notes.join('; ') } : {}) };
}

/** Conditions for the service, one set for each question; or why there is nothing to ask for. */
async function scopeOf(
  { source, names }: Pick<LogOptions, 'source' | 'names'>,
  service: string | undefined,
  window: LogWindow,
  signal: AbortSignal,
): Promise<{ readonly fields: readonly (readonly FieldMatch[])[] } | { readonly why: string }> {
  const known = await source.fieldsIn(window, signal);
  const fields = names.service.filter((field) => known.has(field));
  if (known.size === 0) return { why: `no line matches in this window; ${source.whenEmpty}` };
  if (service === undefined) return { fields: source.everything(fields) };
  const isWanted = matcher(service);
  const others = new Set<string>();
  for (const field of fields) {
    const values = (await source.countBy(field, { ...window, fields: [] }, signal)).map(({ value }) => value);
    const wanted = values.filter(isWanted);
    if (wanted.length > 0) return { fields: [[{ field, values: wanted }]] };
    for (const value of values) if (value !== '') others.add(value);
  }
  const some = [...others].sort().slice(0, 15).join(', ') || 'none';
  return { why: `no service in this window is called ${service}; there are: ${some}` };
}

function tellingPart(
  errors: readonly LogLine[],
  others: readonly LogLine[],
  limit: number,
): { readonly items: readonly LogLine[]; readonly cut: readonly string[] } {
  if (errors.length + others.length <= limit) return { items: oldestFirst([...errors, ...others].reverse()), cut: [] };
  const keptErrors = lastOf(errors, limit - Math.min(others.length, limit >> 1));
  const keptOthers = lastOf(others, limit - keptErrors.length);
  const kept = oldestFirst([...keptErrors, ...keptOthers].reverse());
  const told = (part: readonly LogLine[], all: readonly LogLine[], what: string) =>
    part.length < all.length ? `the last ${part.length} of more ${what}` : `all ${part.length} ${what}`;
  const cut = `there are more lines than ${limit}: ${told(keptErrors, errors, 'that tell of errors')}, ${told(keptOthers, others, 'others')}`;
  return { items: kept, cut: [cut] };
}

function lastOf<T>(items: readonly T[], count: number): readonly T[] {
  return count > 0 ? items.slice(-count) : [];
}
