import type { PrometheusApi } from './api.ts';
import type { PlannedQuery, Situation } from './plan.ts';
import { escapeRegex, stringLiteral } from './promql.ts';
import { alertLabels, placeMatchers } from './scope.ts';
import { serviceByConvention, type SeriesNaming } from './to-series.ts';

/** Metrics of users' own making that are read for one incident. */
const MAX_METRICS = 60;
/** Labels that name a service in metrics that services export themselves, most telling first. */
const SERVICE_LABELS = ['service', 'service_name', 'app', 'job'] as const;
/** Parts of histograms and summaries, bookkeeping of client libraries, and what the query map knows better. */
const NOT_OWN =
  /_(bucket|created|sum|info)$|^(scrape_|up$|ALERTS|container_|kube_|node_|machine_|apiserver_|prometheus_|promhttp_|go_|python_|jvm_|nodejs_|process_|istio_|envoy_|traces_)|:/;

const NAMING: SeriesNaming = {
  service: serviceByConvention,
  metric: (labels) => labels['__name__'] ?? 'unnamed',
};

/**
 * One query for the metrics that the services of the place export beside the known ones (pools, queues, caches, …). Undefined when the
 * alert does not tell where to look, or there are none. `mapped` are the metrics of the query map.
 */
export async function planOwnMetrics(
  api: PrometheusApi,
  { incident, window }: Pick<Situation, 'incident' | 'window'>,
  mapped: readonly string[],
  signal: AbortSignal,
): Promise<(PlannedQuery & { readonly note?: string }) | undefined> {
  const labels = alertLabels(incident);
  const place = placeMatchers(labels, 'namespace');
  const families = new Set(mapped.map(familyOf));
  const label = SERVICE_LABELS.find((name) => labels[name]);
  // A rule may give its alert a label that the series do not have; `job` is on everything that is scraped.
  for (const candidate of new Set([label, label && 'job'])) {
    if (!candidate) continue;
    const matchers = [`${candidate}!=""`, ...place].join(', ');
    const answer = await api.metricNames([`{${matchers}}`], window, signal);
    const names = answer.data.filter((name) => !NOT_OWN.test(name) && !families.has(familyOf(name))).sort();
    if (names.length > 0) return planNames(names, matchers);
  }
  return undefined;
}

function planNames(names: readonly string[], matchers: string): PlannedQuery & { readonly note?: string } {
  const kept = names.slice(0, MAX_METRICS);
  const promql = `{__name__=~${stringLiteral(kept.map(escapeRegex).join('|'))}, ${matchers}}`;
  if (kept.length === names.length) return { promql, naming: NAMING };
  return {
    promql,
    naming: NAMING,
    note: `read ${kept.length} of ${names.length} metrics that are in no query map; name those that matter in QUERIES_FILE`,
  };
}

function familyOf(metric: string): string {
  return metric.replace(/_(bucket|count|sum|total)$/, '');
}
