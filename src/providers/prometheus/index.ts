import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CheckResult } from '../../domain/check-result.ts';
import type { MetricQuery, QueryResult, TelemetryProvider } from '../../domain/provider.ts';
import type { MetricSeries } from '../../domain/telemetry.ts';
import { withoutCredentials, type BackendAccess } from '../backend/access.ts';
import { failedCheck } from '../backend/ask-backend.ts';
import { createPrometheusApi, PROMETHEUS, type PrometheusApi } from './api.ts';
import { stepFor } from './discover.ts';
import { gatherFromPrometheus } from './gather.ts';
import { loadQueryMap, type QueryMap } from './query-map.ts';
import { graphLink, serviceByConvention, toSeries } from './to-series.ts';

export { loadQueryMap, QueryMapError, type QueryMap } from './query-map.ts';

export interface PrometheusOptions extends BackendAccess {
  /** Most series read for one incident. */
  readonly maxSeries: number;
  readonly queries: QueryMap;
}

/** What a model can read; what code reads, and what a server can be asked for. */
const MAX_QUERY_SERIES = 50;
const MOST_SERIES = 5000;
const MAX_QUERY_WINDOW_MS = 7 * 86_400_000;

/** The query map that is used when QUERIES_FILE names none. */
export function loadDefaultQueries(): QueryMap {
  const file = fileURLToPath(new URL('./default-queries.yaml', import.meta.url));
  return loadQueryMap(readFileSync(file, 'utf8'), 'default-queries.yaml');
}

/** Prometheus, Thanos, Mimir or VictoriaMetrics: whatever speaks Prometheus' HTTP API under `url`. */
export function createPrometheusProvider(options: PrometheusOptions): TelemetryProvider {
  const api = createPrometheusApi(options);
  const baseUrl = withoutCredentials(options.url);
  return {
    name: 'prometheus',
    gather: (incident, window, signal) =>
      gatherFromPrometheus(
        { api, baseUrl, queries: options.queries, maxSeries: options.maxSeries },
        incident,
        window,
        signal,
      ),
    metricQueryHelp:
      'PromQL, evaluated over the window. Aggregate by the label that names the service, for example `sum by (service) (rate(http_requests_total[5m]))`; at most 50 series come back.',
    queryMetrics: (query, signal) => queryMetrics(api, baseUrl, query, signal),
    check: (signal) => check(api, signal),
  };
}

async function queryMetrics(
  api: PrometheusApi,
  baseUrl: string,
  query: MetricQuery,
  signal: AbortSignal,
): Promise<QueryResult<MetricSeries>> {
  const promql = query.query.trim();
  const window = { fromMs: Math.max(query.fromMs, query.toMs - MAX_QUERY_WINDOW_MS), toMs: query.toMs };
  const answer = await api.queryRange(promql, window, stepFor(window, 15_000), signal);
  const naming = {
    service: (labels: Readonly<Record<string, string>>) => serviceByConvention(labels) ?? 'unknown',
    metric: (labels: Readonly<Record<string, string>>) => labels['__name__'] ?? promql.slice(0, 120),
  };
  const { series, dropped } = toSeries(answer.data, naming, {
    query: promql,
    link: graphLink(baseUrl, promql, window),
  });
  const most = Math.min(query.limit ?? MAX_QUERY_SERIES, MOST_SERIES);
  const notes = [
    ...(window.fromMs > query.fromMs ? ['the window was cut to its last 7 days'] : []),
    ...(series.length > most ? [`the first ${most} of ${series.length} series; aggregate for fewer`] : []),
    ...(series.length === 0 ? ['no series matches in this window'] : []),
    ...(dropped > 0 ? [`${dropped} samples were not finite numbers and were dropped`] : []),
    ...answer.notes,
  ];
  return { items: series.slice(0, most), ...(notes.length > 0 ? { note: notes.join('; ') } : {}) };
}

async function check(api: PrometheusApi, signal: AbortSignal): Promise<CheckResult> {
  const name = 'prometheus';
  try {
    const build = await api.buildInfo(signal);
    const answer = await api.query('count_values("up", up)', undefined, signal);
    const product = build ? `${build.product} ${build.version}` : 'answers, version unknown';
    const counts = answer.data.result.map(({ metric, value }) => ({
      up: metric['up'] === '1',
      count: Number(value?.[1] ?? 0),
    }));
    const total = counts.reduce((sum, { count }) => sum + count, 0);
    const up = counts.reduce((sum, entry) => sum + (entry.up ? entry.count : 0), 0);
    const down = total > up ? `, ${total - up} down` : '';
    const value = [`${product}, ${up} targets up${down}`, ...answer.notes].join('; ');
    if (total > 0) return { name, status: 'ok', value };
    return {
      name,
      status: 'warn',
      value,
      remedy:
        'It answers, but holds no `up` series: check that it scrapes something, and the tenant in PROMETHEUS_HEADERS.',
    };
  } catch (error) {
    return failedCheck(PROMETHEUS, error);
  }
}
