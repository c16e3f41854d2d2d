import type { Labels } from '../../domain/labels.ts';
import type { TimeWindow } from '../../domain/provider.ts';
import type { PrometheusApi } from './api.ts';
import { escapeRegex, stringLiteral } from './promql.ts';
import { placeMatchers } from './scope.ts';

/** Metrics of users' own making that are read for one incident. */
const MAX_METRICS = 60;
/** Labels that name a service in metrics that services export themselves, most telling first. */
const SERVICE_LABELS = ['service', 'service_name', 'app', 'job'] as const;
/** Parts of histograms and summaries, bookkeeping of client libraries, and what the query map knows better. */
const NOT_OWN =
  /_(bucket|created|sum|info)$|^(scrape_|up$|ALERTS|container_|kube_|node_|machine_|apiserver_|prometheus_|promhttp_|go_|python_|jvm_|nodejs_|process_|istio_|envoy_|traces_)|:/;

interface Wanted {
  readonly labels: Labels;
  readonly window: TimeWindow;
}

/**
 * One query for the metrics that the services of the place export beside the known ones (pools, queues, caches, …). Undefined when the
 * alert does not tell where to look, or there are none. `mapped` are the metrics of the query map.
 */
export async function findOwnMetrics(
  api: PrometheusApi,
  { labels, window }: Wanted,
  mapped: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly promql: string; readonly note?: string } | undefined> {
  const label = SERVICE_LABELS.find((name) => labels[name]);
  if (!label) return undefined;
  const matchers = [`${label}!=""`, ...placeMatchers(labels, 'namespace')].join(', ');
  const answer = await api.metricNames([`{${matchers}}`], window, signal);
  const families = new Set(mapped.map(familyOf));
  const names = answer.data.filter((name) => !NOT_OWN.test(name) && !families.has(familyOf(name))).sort();
  if (names.length === 0) return undefined;
  const kept = names.slice(0, MAX_METRICS);
  const promql = `{__name__=~${stringLiteral(kept.map(escapeRegex).join('|'))}, ${matchers}}`;
  if (kept.length === names.length) return { promql };
  return {
    promql,
    note: `read ${kept.length} of ${names.length} metrics that are in no query map; name those that matter in QUERIES_FILE`,
  };
}

function familyOf(metric: string): string {
  return metric.replace(/_(bucket|count|sum|total)$/, '');
}
