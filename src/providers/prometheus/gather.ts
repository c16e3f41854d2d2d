import pLimit from 'p-limit';
import type { Incident } from '../../domain/incident.ts';
import type { Labels } from '../../domain/labels.ts';
import type { TimeWindow } from '../../domain/provider.ts';
import { NO_TELEMETRY, type MetricSeries, type Telemetry, type Topology } from '../../domain/telemetry.ts';
import { agrees, alertExpressions, type AlertExpression } from './alert-expression.ts';
import type { PrometheusApi } from './api.ts';
import { findOwnMetrics } from './own-metrics.ts';
import { findMetrics, scrapeInterval, stepFor, untilNow, type KnownMetrics } from './discover.ts';
import { Ledger } from './ledger.ts';
import { fillTemplate, withoutThreshold } from './promql.ts';
import type { QueryGroup, QueryMap, TopologyTemplate } from './query-map.ts';
import { labelsOfIncident, placeMatchers, scopeMatchers } from './scope.ts';
import { graphLink, serviceByConvention, serviceByLabels, toSeries, type SeriesNaming } from './to-series.ts';

/** Queries under way at the same time: an investigation must not be the next load spike. */
const PARALLEL = 4;

export interface GatherOptions {
  readonly api: PrometheusApi;
  /** Without credentials: it is shown. */
  readonly baseUrl: string;
  readonly queries: QueryMap;
  readonly maxSeries: number;
}

/** One query with the way its series are to be named. */
interface PlannedQuery {
  readonly promql: string;
  readonly naming: SeriesNaming;
}

/** What all queries of one incident share. */
interface Situation {
  readonly incident: Incident;
  readonly labels: Labels;
  readonly window: TimeWindow;
  readonly known: KnownMetrics;
  /** Fixed placeholders but `scope`. */
  readonly fixed: { readonly rate: string; readonly window: string };
}

/**
 * Everything the server knows about the incident: the alert's own expression, the metrics of the query map for the whole place of the
 * alert (the cause is often a neighbour), and who calls whom. Throws `ProviderError` when nothing can be asked at all.
 */
export async function gatherFromPrometheus(
  options: GatherOptions,
  incident: Incident,
  wanted: TimeWindow,
  signal: AbortSignal,
): Promise<Telemetry> {
  const { api, queries } = options;
  const window = await untilNow(api, wanted, signal);
  const ledger = new Ledger();
  const labels = labelsOfIncident(incident);
  const names = [...new Set([...queries.topology, ...queries.groups].map((entry) => entry.when.metric))];
  const known = await findMetrics(api, names, placeMatchers(labels, 'namespace'), window, signal);
  known.notes.forEach((note) => ledger.note(note));
  const atMs = Math.min(incident.startsAtMs, window.toMs);
  const scrapeMs = (await ledger.attempt(() => scrapeInterval(api, atMs, signal))) ?? 15_000;
  const stepMs = stepFor(window, scrapeMs);
  const fixed = {
    rate: durationOf(Math.max(4 * scrapeMs, 2 * stepMs)),
    window: durationOf(window.toMs - window.fromMs),
  };
  const situation: Situation = { incident, labels, window, known, fixed };

  const topology = await readTopology(options, situation, ledger, signal);
  const own = await ledger.attempt(() => findOwnMetrics(api, situation, names, signal));
  if (own?.note) ledger.note(own.note);
  const planned = [
    ...alertExpressions(incident).map((alert) => planAlert(alert, incident)),
    ...queries.groups.flatMap((group) => planGroup(group, situation, topology)),
    ...(own ? [{ promql: own.promql, naming: OWN_NAMING }] : []),
  ];
  if (known.anywhere.size === 0) ledger.note(NOTHING_KNOWN);

  const limit = pLimit(PARALLEL);
  const results = await Promise.all(
    planned.map((query) =>
      limit(() => ledger.attempt(() => readSeries(options, query, window, stepMs, ledger, signal))),
    ),
  );
  const series = capSeries(
    results.flatMap((list) => list ?? []),
    options.maxSeries,
    incident.service,
    ledger,
  );
  return {
    ...NO_TELEMETRY,
    series,
    topology,
    samplingMs: stepMs,
    gaps: ledger.gaps(),
    rawCharacters: ledger.characters,
  };
}

const NOTHING_KNOWN =
  'none of the metrics in the query map exists in this window: name your own in QUERIES_FILE (docs/configuration.md), or check PROMETHEUS_URL.';

const OWN_NAMING: SeriesNaming = {
  service: serviceByConvention,
  metric: (labels) => labels['__name__'] ?? 'unnamed',
};

async function readSeries(
  { api, baseUrl }: GatherOptions,
  { promql, naming }: PlannedQuery,
  window: TimeWindow,
  stepMs: number,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<readonly MetricSeries[]> {
  const answer = await api.queryRange(promql, window, stepMs, signal);
  ledger.characters += answer.characters;
  answer.notes.forEach((note) => ledger.note(note));
  const read = toSeries(answer.data, naming, { query: promql, link: graphLink(baseUrl, promql, window) });
  ledger.dropped += read.dropped;
  ledger.unnamed += read.unnamed;
  return read.series;
}

function planAlert(alert: AlertExpression, incident: Incident): PlannedQuery {
  return {
    promql: withoutThreshold(alert.expression),
    naming: {
      service: (labels) => serviceByConvention(labels) ?? incident.service ?? 'unknown',
      metric: (labels) => labels['__name__'] ?? `alert:${alert.alertName}`,
      fromAlert: (labels) => agrees(labels, alert.labels),
    },
  };
}

function planGroup(group: QueryGroup, situation: Situation, topology: Topology): readonly PlannedQuery[] {
  const { incident, labels, fixed } = situation;
  const place = applicablePlace(group, situation);
  if (!place) return [];
  return group.queries.flatMap((template) => {
    const neighbours = neighboursOf(incident.service, topology);
    const scope = scopeMatchers(template, place, incident.service, neighbours);
    const promql = fillTemplate(template.query, labels, { ...fixed, scope });
    if (promql === undefined) return [];
    const naming: SeriesNaming = {
      service: (result) => serviceByLabels(result, template.service),
      // The name may hold labels of the result, such as the caller of an edge.
      metric: (result) => template.metric.replace(/\{\{(\w+)\}\}/g, (_, name: string) => result[name] ?? 'unknown'),
      unit: template.unit,
    };
    return [{ promql, naming }];
  });
}

/**
 * Matchers of the place for a group, or undefined when it does not apply. Metrics without the alert's namespace on them (pushed by
 * something else, or no Kubernetes at all) are asked without.
 */
function applicablePlace(
  { when, namespace }: QueryGroup | TopologyTemplate,
  { labels, known }: Situation,
): readonly string[] | undefined {
  if (!known.anywhere.has(when.metric) || when.labels.some((name) => !labels[name])) return undefined;
  if (namespace === 'namespace' && !known.inPlace.has(when.metric)) return [];
  return placeMatchers(labels, namespace);
}

async function readTopology(
  { api, queries }: GatherOptions,
  situation: Situation,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<Topology> {
  const edges = new Map<string, { from: string; to: string }>();
  for (const template of queries.topology) {
    const place = applicablePlace(template, situation);
    const promql =
      place && fillTemplate(template.query, situation.labels, { ...situation.fixed, scope: place.join(', ') });
    if (!promql) continue;
    const answer = await ledger.attempt(() => api.query(promql, situation.window.toMs, signal));
    answer?.notes.forEach((note) => ledger.note(note));
    for (const { metric } of answer?.data.result ?? []) {
      const [from, to] = [metric[template.from], metric[template.to]];
      if (from && to && from !== to) edges.set(JSON.stringify([from, to]), { from, to });
    }
  }
  const sorted = [...edges].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, edge]) => edge);
  return { services: [...new Set(sorted.flatMap(({ from, to }) => [from, to]))].sort(), edges: sorted };
}

/** The service, and everything within two calls of it in either direction. */
function neighboursOf(service: string | undefined, { edges }: Topology): readonly string[] {
  if (service === undefined || !edges.some(({ from, to }) => from === service || to === service)) return [];
  const near = new Set([service]);
  for (let hop = 0; hop < 2; hop += 1) {
    for (const { from, to } of edges.filter((edge) => near.has(edge.from) || near.has(edge.to))) near.add(from).add(to);
  }
  return [...near].sort();
}

/** The first `maxSeries`, the alert's own and those of the alerting service first. */
function capSeries(
  series: readonly MetricSeries[],
  maxSeries: number,
  service: string | undefined,
  ledger: Ledger,
): readonly MetricSeries[] {
  if (series.length <= maxSeries) return series;
  const rank = (one: MetricSeries) => (one.fromAlert ? 0 : one.service === service ? 1 : 2);
  ledger.note(`kept ${maxSeries} of ${series.length} series; raise PROMETHEUS_MAX_SERIES or narrow QUERIES_FILE`);
  return series.toSorted((a, b) => rank(a) - rank(b)).slice(0, maxSeries);
}

function durationOf(ms: number): string {
  return `${Math.max(1, Math.ceil(ms / 1000))}s`;
}
