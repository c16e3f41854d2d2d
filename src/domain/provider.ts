import type { Incident } from './incident.ts';
import type {
  Change,
  ClusterEvent,
  KubernetesObject,
  LogRecord,
  MetricSeries,
  Span,
  SpanStats,
  Telemetry,
} from './telemetry.ts';
import type { CheckResult } from './check-result.ts';

/** Window asked for, epoch ms. The caller computes it from the trigger; a provider never guesses "now". */
export interface TimeWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * What to read for an incident: the whole window, from the baseline on. `reference` is the part of it that is taken as fault-free, well before the
 * alert. Metrics come for the whole window. Of lines and spans, of which there are many, a provider may read all, and hands them on as `logs` and
 * `spans`; or all since the end of the reference, and of the reference a part, for the same services, as `Telemetry.reference`. Never the
 * same line in both. Without any reference nothing can be told to be new, missing or slower than usual.
 */
export interface GatherWindow extends TimeWindow {
  readonly reference?: TimeWindow;
}

export interface MetricQuery extends TimeWindow {
  /** The provider's own language (PromQL), or for providers without one: `service` or `service/metric`, `*` as wildcard. */
  readonly query: string;
  /** Most series, for whoever reads them by code. Default: as many as a model can read. */
  readonly limit?: number;
}

export interface LogQuery extends TimeWindow {
  readonly service?: string;
  /** Case-insensitive substring. */
  readonly contains?: string;
  /** An answer with fewer lines holds all there are; one that is cut keeps those that tell of errors. */
  readonly limit: number;
}

/**
 * Names in these queries may hold `*` for any text; case does not matter. `service` means what belongs to it: its pods and workloads as well as
 * what names it.
 */
export interface EventQuery extends TimeWindow {
  readonly service?: string;
  /** `Kind/name` or just a name. */
  readonly object?: string;
  readonly reason?: string;
  /** `Warning`, `Normal`. */
  readonly type?: string;
  readonly limit: number;
}

/** Objects as they are now, or were when they were recorded: there is no window. Secrets are never returned. */
export interface ObjectQuery {
  readonly service?: string;
  /** As the API spells it: `Pod`, `PersistentVolumeClaim`. */
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly limit: number;
}

export interface ChangeQuery extends TimeWindow {
  readonly service?: string;
  readonly limit: number;
}

/** Asks for the traces in which at least one span matches everything that is given. */
export interface SpanQuery extends TimeWindow {
  readonly service?: string;
  readonly operation?: string;
  readonly traceId?: string;
  readonly minDurationMs?: number;
  readonly errorsOnly?: boolean;
  /** Most spans; a trace comes whole or not at all, but for one that is longer than this by itself. */
  readonly limit: number;
}

/** `note` says what was cut or why nothing was found; it is shown to the model and in gaps. */
export interface QueryResult<T> {
  readonly items: readonly T[];
  readonly note?: string;
  /** Everything that was asked for was read: no items then mean that there are none. Absent: nobody knows. */
  readonly isWhole?: true;
}

/** The spans of whole traces; `stats` where a source has counted spans beforehand instead of keeping them. */
export interface SpanResult extends QueryResult<Span> {
  readonly stats?: readonly SpanStats[];
}

/**
 * Where evidence is read. Read-only. Every call honours the signal, has its own deadline, point cap and byte cap.
 * A dead provider throws `ProviderError`; the caller turns that into a stated gap.
 */
export interface TelemetryProvider {
  readonly name: string;
  /** Everything that belongs to the incident, for the funnel. Partial results carry gaps instead of throwing. */
  gather(incident: Incident, window: GatherWindow, signal: AbortSignal): Promise<Telemetry>;
  /** How `MetricQuery.query` is to be written here, for the tool description. Absent: no metric queries. */
  readonly metricQueryHelp?: string;
  /** `names`: metrics are asked for by `service/metric`. Absent: by a query language, PromQL. */
  readonly metricLanguage?: 'names';
  queryMetrics?(query: MetricQuery, signal: AbortSignal): Promise<QueryResult<MetricSeries>>;
  queryLogs?(query: LogQuery, signal: AbortSignal): Promise<QueryResult<LogRecord>>;
  /** What happened at any moment in the window, by first or last time; what carries no time belongs to every window. Oldest first. */
  queryEvents?(query: EventQuery, signal: AbortSignal): Promise<QueryResult<ClusterEvent>>;
  queryObjects?(query: ObjectQuery, signal: AbortSignal): Promise<QueryResult<KubernetesObject>>;
  queryChanges?(query: ChangeQuery, signal: AbortSignal): Promise<QueryResult<Change>>;
  querySpans?(query: SpanQuery, signal: AbortSignal): Promise<SpanResult>;
  /** For `rootnote doctor`: proves that real data comes back, and says which. Never throws. */
  check(signal: AbortSignal): Promise<CheckResult>;
}

export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly provider: string;
  constructor(provider: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.provider = provider;
  }
}
