/** Values of span attributes. Names stand in src/platform/telemetry-names.ts and nowhere else. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** What is traced. The model adapter's SDK makes the span of a model call. */
export type SpanKind = 'investigation' | 'agent' | 'turn' | 'tool' | 'delivery';

/** Runs work inside a span. `describe` sets what is only known at the end. Work runs as it would without tracing, errors included. */
export type TraceSpan = <T>(
  kind: SpanKind,
  facts: Readonly<Record<string, string | number>>,
  work: (describe: (facts: Readonly<Record<string, string | number>>) => void) => Promise<T>,
) => Promise<T>;

export const noTracing: TraceSpan = (_kind, _facts, work) => work(() => undefined);
