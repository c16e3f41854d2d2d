/** What is traced. The model adapter's SDK makes the span of a model call. */
export type SpanKind = 'investigation' | 'agent' | 'turn' | 'tool' | 'delivery';

/** What a span says. Which facts become which attributes stands in src/platform/telemetry-names.ts; others are left out. */
export type SpanFacts = Readonly<Record<string, string | number>>;

/**
 * The span of another process that this one follows, as W3C `traceparent`. `parent`: it waits for this work, as for a sub-agent. `link`: it has
 * handed the work over and is over by now, as with what waited in a queue.
 */
export interface SpanOrigin {
  readonly traceparent: string;
  readonly as: 'parent' | 'link';
}

/**
 * Runs work inside a span: spans opened meanwhile become its children. `describe` sets what is only known at the end. Work runs as it would without
 * tracing, errors included. An origin that is no traceparent is none.
 */
export type TraceSpan = <T>(
  kind: SpanKind,
  facts: SpanFacts,
  work: (describe: (facts: SpanFacts) => void) => Promise<T>,
  origin?: SpanOrigin,
) => Promise<T>;

export const noTracing: TraceSpan = (_kind, _facts, work) => work(() => undefined);

/** The same tracing, whose agents belong to the span of another process: for a sub-agent that was ordered there. */
export function below(trace: TraceSpan, traceparent: string | undefined): TraceSpan {
  if (traceparent === undefined) return trace;
  return (kind, facts, work, origin) =>
    trace(kind, facts, work, kind === 'agent' ? { traceparent, as: 'parent' } : origin);
}

/** `traceparent` of the span that the caller runs in, to be carried to another process; undefined without one. */
export type CurrentTraceparent = () => string | undefined;
