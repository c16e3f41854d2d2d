import type { TimeWindow } from '../../domain/provider.ts';
import type { MetricSeries, Span, Topology } from '../../domain/telemetry.ts';

/** The spans of one trace, as many of them as there are. */
export type Trace = readonly Span[];

/** Traces in which one span has everything that is given, and began in the window. Names are exact. */
export interface TraceSearch extends TimeWindow {
  /** Undefined: of any service; only where `searchesAllServices`. */
  readonly service?: string;
  readonly operation?: string;
  readonly minDurationMs?: number;
  readonly failedOnly?: boolean;
  /** Most traces. */
  readonly limit: number;
}

export interface FoundTraces {
  /** Whole traces, in any order. They may hold more than was asked for, never less. */
  readonly traces: readonly Trace[];
  /** True when the limit was reached, so that there may be others. */
  readonly hasMore: boolean;
  /** What the server said beside, and what it could not give. */
  readonly notes: readonly string[];
  /** Size of what was read, as text. */
  readonly characters: number;
}

export interface NamesFound {
  readonly names: readonly string[];
  readonly notes: readonly string[];
}

export interface SeriesFound {
  readonly series: readonly MetricSeries[];
  readonly characters: number;
}

/** A server of traces. Every method throws `BackendError` with what was asked, and honours its signal. */
export interface TraceServer {
  /** Name of the provider. */
  readonly name: string;
  /** Whether `TraceSearch.service` may be left out. */
  readonly searchesAllServices: boolean;
  /** Product and version, as far as it tells them. */
  product(signal: AbortSignal): Promise<string>;
  /** Names of the services with traces; of the window where the server knows windows, of what is recent without one. */
  services(window: TimeWindow | undefined, signal: AbortSignal): Promise<NamesFound>;
  operations(service: string | undefined, window: TimeWindow, signal: AbortSignal): Promise<NamesFound>;
  find(search: TraceSearch, signal: AbortSignal): Promise<FoundTraces>;
  /** The newest traces of a service, whenever they were: proof that something can be read. */
  findRecent(service: string, signal: AbortSignal): Promise<FoundTraces>;
  /** No trace when there is none of this id. The window is where it is likely; servers that look by time begin there. */
  trace(id: string, window: TimeWindow, signal: AbortSignal): Promise<FoundTraces>;
  /** Who calls whom, where the server counts that itself. */
  calls?(window: TimeWindow, signal: AbortSignal): Promise<Topology['edges']>;
  /** Requests, failures and durations by service, where the server counts them over all spans. */
  series?(window: TimeWindow, signal: AbortSignal): Promise<SeriesFound>;
  /** A page that shows the trace `<trace id>`, where the server has one. */
  readonly pageOfTrace?: string;
}

/** No window reaches further: servers count in 64-bit nanoseconds, until the year 2262. */
const LAST_MS = 9_200_000_000_000;

/** The window as a server can count it. */
export function countable({ fromMs, toMs }: TimeWindow): TimeWindow {
  const within = (ms: number) => Math.min(Math.max(ms, 0), LAST_MS);
  return { fromMs: within(fromMs), toMs: within(toMs) };
}

/** `from … to …`, for messages. */
export function windowWords({ fromMs, toMs }: TimeWindow): string {
  return `from ${new Date(fromMs).toISOString()} to ${new Date(toMs).toISOString()}`;
}
