import { noTracing, type CurrentTraceparent, type TraceSpan } from '../domain/tracing.ts';

export const SAMPLERS = ['always_on', 'always_off', 'traceidratio'] as const;

export interface TracingOptions {
  /** Where spans are posted to, as OTLP over HTTP with JSON. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly version: string;
  /** For a trace that begins here. One that goes on here is sampled as its beginning was. */
  readonly sampler: (typeof SAMPLERS)[number];
  /** Share of traces, 0–1, for `traceidratio`. */
  readonly ratio: number;
  /** Sees every text of a span before it leaves. */
  readonly redact: (text: string) => string;
  /** Spans were lost. Called at most once a minute. */
  readonly onLost: () => void;
}

export interface Tracing {
  readonly trace: TraceSpan;
  readonly currentTraceparent: CurrentTraceparent;
  /** Posts what is left, within `graceMs`. Never rejects; safe to call twice. */
  stop(graceMs: number): Promise<void>;
}

export const TRACING_OFF: Tracing = {
  trace: noTracing,
  currentTraceparent: () => undefined,
  stop: () => Promise.resolve(),
};
