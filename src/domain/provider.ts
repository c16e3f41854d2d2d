import type { Incident } from './incident.ts';
import type { LogRecord, MetricSeries, Telemetry } from './telemetry.ts';
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
}

export interface LogQuery extends TimeWindow {
  readonly service?: string;
  /** Case-insensitive substring. */
  readonly contains?: string;
  readonly limit: number;
}

/** `note` says what was cut or why nothing was found; it is shown to the model and in gaps. */
export interface QueryResult<T> {
  readonly items: readonly T[];
  readonly note?: string;
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
  queryMetrics?(query: MetricQuery, signal: AbortSignal): Promise<QueryResult<MetricSeries>>;
  queryLogs?(query: LogQuery, signal: AbortSignal): Promise<QueryResult<LogRecord>>;
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
