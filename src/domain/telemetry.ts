import type { Labels } from './labels.ts';

/** One time series. `timesMs` is ascending and as long as `values`; values are finite. */
export interface MetricSeries {
  readonly service: string;
  readonly metric: string;
  readonly labels?: Labels;
  /** UCUM-like unit when the provider knows it (`s`, `By`, `1`, `%`). */
  readonly unit?: string;
  readonly timesMs: Float64Array;
  readonly values: Float64Array;
  /** Exact query that returned the series, and a page where a person can see it. */
  readonly query?: string;
  readonly link?: string;
  /** True for the alert's own expression. */
  readonly fromAlert?: boolean;
}

/** `timeMs` is NaN when the record carries no usable time. */
export interface LogRecord {
  readonly timeMs: number;
  readonly service: string;
  readonly level: string;
  readonly message: string;
  readonly traceId?: string;
}

export interface Span {
  /** Start, epoch microseconds. */
  readonly timeUs: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly service: string;
  readonly operation: string;
  readonly durationUs: number;
  readonly error?: boolean;
}

/** Pre-aggregated spans of one operation called by one parent, in one time bucket. */
export interface SpanStats {
  readonly timeMs: number;
  readonly service: string;
  readonly operation: string;
  readonly parentService: string;
  readonly count: number;
  readonly p50Us: number;
  readonly p95Us: number;
}

/** A cluster event, whichever of the two Kubernetes event APIs (or another orchestrator) it came from. */
export interface ClusterEvent {
  /** Last occurrence; NaN when unknown. */
  readonly timeMs: number;
  readonly firstTimeMs?: number;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly objectKind: string;
  readonly objectName: string;
  readonly namespace?: string;
  /** Service named by the record itself, when it names one. */
  readonly service?: string;
  readonly node?: string;
  readonly count?: number;
}

/** A Kubernetes object in the API's own JSON shape. Every field may be missing. */
export type KubernetesObject = Readonly<Record<string, unknown>>;

/** A deployment, configuration change or other deliberate act before or during the incident. */
export interface Change {
  readonly timeMs: number;
  readonly service: string | undefined;
  /** Where that lies which was changed; absent or empty: in none, or nobody said. */
  readonly namespace?: string;
  readonly kind: string;
  readonly summary: string;
  readonly link?: string;
}

export interface Topology {
  readonly services: readonly string[];
  /** `from` calls `to`. */
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/** Something that could not be read, was cut or is unknown. Shown in the report. */
export interface Gap {
  /** Provider or stage: `prometheus`, `recording`, `funnel`, `agent`. */
  readonly source: string;
  /** What failed, on which thing, and what to do. */
  readonly message: string;
}

/** Everything the providers returned for one incident: the funnel's input. Empty lists mean "none", gaps say why. */
export interface Telemetry {
  readonly series: readonly MetricSeries[];
  readonly logs: readonly LogRecord[];
  readonly spans: readonly Span[];
  readonly spanStats: readonly SpanStats[];
  readonly events: readonly ClusterEvent[];
  readonly objects: readonly KubernetesObject[];
  readonly changes: readonly Change[];
  readonly topology: Topology;
  /** Logs and spans of a fault-free time, when the provider has read one apart (`GatherWindow`); else what precedes the incident is compared with. */
  readonly reference: { readonly logs: readonly LogRecord[]; readonly spans: readonly Span[] };
  /** Usual distance between metric samples, ms; undefined when unknown. */
  readonly samplingMs: number | undefined;
  readonly gaps: readonly Gap[];
  /** Size of the raw data as text, in characters: what a naive prompt would have carried. */
  readonly rawCharacters: number;
}

export const NO_TELEMETRY: Telemetry = {
  series: [],
  logs: [],
  spans: [],
  spanStats: [],
  events: [],
  objects: [],
  changes: [],
  topology: { services: [], edges: [] },
  reference: { logs: [], spans: [] },
  samplingMs: undefined,
  gaps: [],
  rawCharacters: 0,
};
