import type { SpanQuery } from '../domain/provider.ts';
import type { Span } from '../domain/telemetry.ts';
import { matcher } from './wildcard.ts';

/** Whether one span has everything that a query asks for; it belongs to the window when any part of it does. */
export function spanMatcher(query: SpanQuery): (span: Span) => boolean {
  const [isService, isOperation] = [matcher(query.service), matcher(query.operation)];
  const leastUs = (query.minDurationMs ?? 0) * 1000;
  return (span) =>
    span.timeUs / 1000 <= query.toMs &&
    (span.timeUs + span.durationUs) / 1000 >= query.fromMs &&
    (query.traceId === undefined || span.traceId === query.traceId) &&
    span.durationUs >= leastUs &&
    (!query.errorsOnly || span.error === true) &&
    isService(span.service) &&
    isOperation(span.operation);
}

type Trace = readonly Span[];

/** The traces oldest first, the spans of each by time. */
export function inOrderOfTime(traces: readonly Trace[]): readonly Trace[] {
  return traces
    .map((trace) => trace.toSorted((a, b) => a.timeUs - b.timeUs))
    .sort((a, b) => (a[0]?.timeUs ?? 0) - (b[0]?.timeUs ?? 0));
}

/**
 * The last traces that have at most so many spans together; of a last one that is longer by itself, its beginning. `cuts` says in words what was left.
 * The traces come oldest first.
 */
export function lastWithin(
  traces: readonly Trace[],
  limit: number,
): { readonly spans: Trace; readonly cuts: readonly string[] } {
  let room = limit;
  let from = traces.length;
  while (from > 0 && (traces[from - 1]?.length ?? 0) <= room) {
    from -= 1;
    room -= traces[from]?.length ?? 0;
  }
  const last = traces.at(-1);
  const isLonger = from === traces.length && last !== undefined;
  const kept = isLonger ? [last.slice(0, limit)] : traces.slice(from);
  const cuts = [
    ...(kept.length < traces.length ? [`the last ${kept.length} of ${traces.length} matching traces`] : []),
    ...(isLonger ? [`the first ${limit} spans of the trace`] : []),
  ];
  return { spans: kept.flat(), cuts };
}
