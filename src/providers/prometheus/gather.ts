import pLimit from 'p-limit';
import type { Incident } from '../../domain/incident.ts';
import type { TimeWindow } from '../../domain/provider.ts';
import { NO_TELEMETRY, type MetricSeries, type Telemetry, type Topology } from '../../domain/telemetry.ts';
import type { PrometheusApi } from './api.ts';
import { DEFAULT_SCRAPE_MS, findMetrics, scrapeInterval, stepFor, untilNow } from './discover.ts';
import { SampleLedger } from './ledger.ts';
import { planOwnMetrics } from './own-metrics.ts';
import { planQueries, planTopology, type PlannedQuery, type Situation } from './plan.ts';
import type { QueryMap } from './query-map.ts';
import { labelsOfIncident, placeMatchers } from './scope.ts';
import { graphLink, toSeries } from './to-series.ts';

/** Queries under way at the same time: an investigation must not be the next load spike. */
const PARALLEL = 4;
/** How many times the kept number of series may be read to choose from. */
const READ_AHEAD = 3;

const NOTHING_KNOWN =
  'none of the metrics in the query map exists in this window: name your own in QUERIES_FILE (docs/configuration.md), or check PROMETHEUS_URL.';

export interface GatherOptions {
  readonly api: PrometheusApi;
  /** Without credentials: it is shown. */
  readonly baseUrl: string;
  readonly queries: QueryMap;
  readonly maxSeries: number;
}

/**
 * Everything the server knows about the incident: the alert's own expression, the metrics of the query map for the whole place of the
 * alert (the cause is often a neighbour), what services export beside, and who calls whom. Throws `ProviderError` when nothing can be
 * asked at all.
 */
export async function gatherFromPrometheus(
  options: GatherOptions,
  incident: Incident,
  window: TimeWindow,
  signal: AbortSignal,
): Promise<Telemetry> {
  const ledger = new SampleLedger();
  const situation = await lookAround(options, incident, window, ledger, signal);
  const topology = await readTopology(options, situation, ledger, signal);
  const own = await ledger.attempt(() => planOwnMetrics(options.api, situation, metricsOf(options.queries), signal));
  if (own?.note) ledger.note(own.note);

  const planned = [...planQueries(options.queries, situation, topology), ...(own ? [own] : [])];
  const results = await readAll(options, planned, situation, ledger, signal);
  if (ledger.answered > 0 && ledger.unnamed === 0 && results.every((list) => list.length === 0))
    ledger.note(nothingFor(situation, ledger.answered));
  const series = capSeries(results, options.maxSeries, incident.service, ledger);
  const { gaps, characters } = ledger;
  return { ...NO_TELEMETRY, series, topology, samplingMs: situation.stepMs, gaps, rawCharacters: characters };
}

/** The likeliest state of a first day: all is well, and the labels of alerts and metrics differ. */
function nothingFor({ incident: { service }, labels }: Situation, answered: number): string {
  const place = placeMatchers(labels, 'namespace').map((matcher) => matcher.replaceAll('"', ''));
  const whom = [...(service === undefined ? [] : [`service=${service}`]), ...place].join(', ') || 'this alert';
  const asked = answered === 1 ? '1 query for metrics was' : `${answered} queries for metrics were`;
  return `${asked} answered, none had data for ${whom}: compare its labels, or set QUERIES_FILE.`;
}

function metricsOf(map: QueryMap): readonly string[] {
  return [...new Set([...map.topology, ...map.groups].map((entry) => entry.when.metric))];
}

/** Which metrics there are, how dense they are, and up to when. The first call that fails ends it all: the server is dead. */
async function lookAround(
  { api, queries }: GatherOptions,
  incident: Incident,
  wanted: TimeWindow,
  ledger: SampleLedger,
  signal: AbortSignal,
): Promise<Situation> {
  const window = await untilNow(api, wanted, signal);
  const labels = labelsOfIncident(incident);
  const known = await findMetrics(api, metricsOf(queries), labels, window, signal);
  for (const note of known.notes) ledger.note(note);
  if (known.anywhere.size === 0) ledger.note(NOTHING_KNOWN);
  const atMs = Math.min(incident.startsAtMs, window.toMs);
  const scrapeMs = (await ledger.attempt(() => scrapeInterval(api, atMs, signal))) ?? DEFAULT_SCRAPE_MS;
  const stepMs = stepFor(window, scrapeMs);
  const ranges = {
    rate: rangeOf(Math.max(4 * scrapeMs, 2 * stepMs)),
    window: rangeOf(window.toMs - window.fromMs),
  };
  return { incident, labels, window, known, stepMs, ranges };
}

function rangeOf(ms: number): string {
  return `${Math.max(1, Math.ceil(ms / 1000))}s`;
}

async function readTopology(
  { api, queries }: GatherOptions,
  situation: Situation,
  ledger: SampleLedger,
  signal: AbortSignal,
): Promise<Topology> {
  const edges = new Map<string, { from: string; to: string }>();
  for (const template of queries.topology) {
    const promql = planTopology(template, situation);
    if (promql === undefined) continue;
    const answer = await ledger.attempt(() => api.query(promql, situation.window.toMs, signal));
    for (const note of answer?.notes ?? []) ledger.note(note);
    for (const { metric } of answer?.data.result ?? []) {
      const [from, to] = [metric[template.from], metric[template.to]];
      if (from && to && from !== to) edges.set(JSON.stringify([from, to]), { from, to });
    }
  }
  const sorted = [...edges].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, edge]) => edge);
  return { services: [...new Set(sorted.flatMap(({ from, to }) => [from, to]))].sort(), edges: sorted };
}

/** The series of every query, in the order of the plan. Stops asking when far more has come than can be kept. */
async function readAll(
  options: GatherOptions,
  planned: readonly PlannedQuery[],
  situation: Situation,
  ledger: SampleLedger,
  signal: AbortSignal,
): Promise<readonly (readonly MetricSeries[])[]> {
  const limit = pLimit(PARALLEL);
  const most = READ_AHEAD * options.maxSeries;
  let count = 0;
  let left = 0;
  const readOne = async (query: PlannedQuery): Promise<readonly MetricSeries[]> => {
    if (count >= most) {
      left += 1;
      return [];
    }
    const series = (await ledger.attempt(() => readSeries(options, query, situation, ledger, signal))) ?? [];
    count += series.length;
    return series;
  };
  const results = await Promise.all(planned.map((query) => limit(() => readOne(query))));
  if (left > 0)
    ledger.note(`${left} of ${planned.length} queries were not asked, since ${count} series had come already.`);
  return results;
}

async function readSeries(
  { api, baseUrl }: GatherOptions,
  { promql, naming }: PlannedQuery,
  { window, stepMs }: Situation,
  ledger: SampleLedger,
  signal: AbortSignal,
): Promise<readonly MetricSeries[]> {
  const answer = await api.queryRange(promql, window, stepMs, signal);
  const read = toSeries(answer.data, naming, { query: promql, link: graphLink(baseUrl, promql, window) });
  for (const note of answer.notes) ledger.note(note);
  ledger.answered += 1;
  ledger.characters += answer.characters;
  ledger.dropped += read.dropped;
  ledger.unnamed += read.unnamed;
  return read.series;
}

/**
 * At most `maxSeries`: the alert's own, then those of the alerting service, then of every query the first, the second, …, so that a
 * query with many results does not push out the others.
 */
function capSeries(
  results: readonly (readonly MetricSeries[])[],
  maxSeries: number,
  service: string | undefined,
  ledger: SampleLedger,
): readonly MetricSeries[] {
  const all = results.flat();
  if (all.length <= maxSeries) return all;
  ledger.note(`kept ${maxSeries} of ${all.length} series; raise PROMETHEUS_MAX_SERIES or narrow QUERIES_FILE.`);
  const rank = (one: MetricSeries, position: number) => (one.fromAlert ? -2 : one.service === service ? -1 : position);
  const ranked = results.flatMap((list) => list.map((series, position) => ({ series, rank: rank(series, position) })));
  const kept = new Set(
    ranked
      .sort((a, b) => a.rank - b.rank)
      .slice(0, maxSeries)
      .map((entry) => entry.series),
  );
  return all.filter((series) => kept.has(series));
}
