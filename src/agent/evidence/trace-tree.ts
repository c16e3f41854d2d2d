import type { Span } from '../../domain/telemetry.ts';
import { lowerBound } from '../../funnel/metrics/statistics.ts';

/** One span in its place in the trace, in milliseconds. */
export interface PlacedSpan {
  readonly service: string;
  readonly operation: string;
  readonly depth: number;
  /** After the beginning of the trace. */
  readonly startMs: number;
  readonly durationMs: number;
  /** Its time without that of the calls it waited for. */
  readonly ownMs: number;
  readonly isError: boolean;
}

/**
 * The spans of one trace in the order of its tree: each before its children, children by time. Whatever the parents say: a span without a recorded
 * parent is a root, and of a circle one is. Linear but for sorting; no recursion, since a trace may be as deep as it is long.
 */
export function placeSpans(trace: readonly Span[]): readonly PlacedSpan[] {
  const spans = trace.toSorted((a, b) => a.timeUs - b.timeUs);
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const children = new Map<Span, Span[]>();
  const roots: Span[] = [];
  for (const span of spans) {
    const parent = span.parentId === '' ? undefined : byId.get(span.parentId);
    if (!parent || parent === span) roots.push(span);
    else addTo(children, parent, span);
  }
  const callers = callersOf(children);
  const startUs = spans[0]?.timeUs ?? 0;
  const seen = new Set<Span>();
  const placed: PlacedSpan[] = [];
  for (const root of [...roots, ...spans]) {
    const waiting = [{ span: root, depth: 0 }];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { span, depth } = next;
      if (seen.has(span)) continue;
      seen.add(span);
      const own = children.get(span) ?? [];
      const parent = byId.get(span.parentId);
      const covering = own.length > 0 ? own : wrapped(span, parent && callers.get(parent));
      placed.push(place(span, covering, depth, startUs));
      for (const child of own.toReversed()) waiting.push({ span: child, depth: depth + 1 });
    }
  }
  return placed;
}

/**
 * What a span without calls of its own waits for all the same: calls that its service made meanwhile, recorded beside it and not below it, as
 * asynchronous frameworks do.
 */
function wrapped(span: Span, siblings: Callers | undefined): readonly Span[] {
  if (!siblings) return [];
  const { spans, times } = siblings;
  const meanwhile = spans.slice(lowerBound(times, span.timeUs), lowerBound(times, span.timeUs + span.durationUs));
  return meanwhile.filter((other) => other.service === span.service);
}

/** Spans with calls of their own, by time. */
interface Callers {
  readonly spans: readonly Span[];
  readonly times: readonly number[];
}

/** By parent. Looked through for every sibling without calls: a thousand equal queries of one request must not be compared with each other. */
function callersOf(children: ReadonlyMap<Span, readonly Span[]>): ReadonlyMap<Span, Callers> {
  return new Map(
    [...children].map(([parent, own]) => {
      const spans = own.filter((span) => children.has(span));
      return [parent, { spans, times: spans.map(({ timeUs }) => timeUs) }];
    }),
  );
}

function place(span: Span, children: readonly Span[], depth: number, startUs: number): PlacedSpan {
  return {
    service: span.service,
    operation: span.operation,
    depth,
    startMs: (span.timeUs - startUs) / 1000,
    durationMs: span.durationUs / 1000,
    ownMs: (span.durationUs - coveredUs(span, children)) / 1000,
    isError: span.error === true,
  };
}

/** How much of a span its children cover; calls made at the same time count once. `children` by time. */
function coveredUs(span: Span, children: readonly Span[]): number {
  const endUs = span.timeUs + span.durationUs;
  let covered = 0;
  let untilUs = span.timeUs;
  for (const child of children) {
    const fromUs = Math.max(untilUs, child.timeUs);
    const toUs = Math.min(endUs, child.timeUs + child.durationUs);
    if (toUs <= fromUs) continue;
    covered += toUs - fromUs;
    untilUs = toUs;
  }
  return covered;
}

/** Spans by trace, in order of appearance. */
export function tracesOf(spans: readonly Span[]): ReadonlyMap<string, readonly Span[]> {
  const traces = new Map<string, Span[]>();
  for (const span of spans) addTo(traces, span.traceId, span);
  return traces;
}

function addTo<K>(groups: Map<K, Span[]>, key: K, span: Span): void {
  const group = groups.get(key);
  if (group) group.push(span);
  else groups.set(key, [span]);
}
