import type { SpanQuery, SpanResult } from '../../../domain/provider.ts';
import type { Span, SpanStats } from '../../../domain/telemetry.ts';
import { inOrderOfTime, lastWithin, spanMatcher } from '../../span-query.ts';
import { matcher } from '../../wildcard.ts';
import { answer, boundedLimit } from '../../queries/answer.ts';
import { inTurns } from '../../queries/in-turns.ts';

const MOST_SPANS = 20_000;
const MOST_STATS = 20_000;

interface RecordedCalls {
  readonly spans: readonly Span[];
  readonly spanStats: readonly SpanStats[];
}

export async function findSpans(all: RecordedCalls, query: SpanQuery, signal: AbortSignal): Promise<SpanResult> {
  const isMatch = spanMatcher(query);
  const matching = new Set<string>();
  await inTurns(all.spans, signal, (span) => {
    if (isMatch(span)) matching.add(span.traceId);
  });
  const traces = await collect(all.spans, matching, signal);
  const limit = boundedLimit(query.limit, MOST_SPANS);
  const { spans: items, cuts } = lastWithin(traces, limit);
  const { items: counted, note } = statsMatching(all.spanStats, query);
  const isEmpty = items.length + counted.length === 0;
  const result = answer(items, [...cuts, note, isEmpty && nothing(all)]);
  return { ...result, ...(counted.length > 0 ? { stats: counted } : {}) };
}

/** The traces of these ids, oldest first. */
async function collect(
  spans: readonly Span[],
  ids: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly (readonly Span[])[]> {
  const traces = new Map<string, Span[]>();
  await inTurns(spans, signal, (span) => {
    if (!ids.has(span.traceId)) return;
    const known = traces.get(span.traceId);
    if (known) known.push(span);
    else traces.set(span.traceId, [span]);
  });
  return inOrderOfTime([...traces.values()]);
}

/** Counted beforehand, so they know neither traces nor errors. */
function statsMatching(stats: readonly SpanStats[], query: SpanQuery) {
  if (query.traceId !== undefined || query.errorsOnly) return answer<SpanStats>([], []);
  const [isService, isOperation] = [matcher(query.service), matcher(query.operation)];
  const matches = stats.filter(
    ({ timeMs, service, operation, p95Us }) =>
      timeMs >= query.fromMs &&
      timeMs <= query.toMs &&
      p95Us >= (query.minDurationMs ?? 0) * 1000 &&
      isService(service) &&
      isOperation(operation),
  );
  return answer(matches.slice(-MOST_STATS), [
    matches.length > MOST_STATS && `the last ${MOST_STATS} of ${matches.length} matching counts of spans`,
  ]);
}

function nothing({ spans, spanStats }: RecordedCalls): string {
  if (spans.length + spanStats.length === 0) return 'the recording holds no traces';
  const services = [...new Set([spans, spanStats].flatMap((list) => [...new Set(list.map(({ service }) => service))]))];
  return `no span of ${spans.length + spanStats.length} matches in this window. Services with spans: ${services.slice(0, 40).join(', ')}`;
}
