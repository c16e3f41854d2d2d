import { inSnakeCase, withoutPeer } from './metric-class.ts';
import type { SeriesView } from './series-view.ts';

const MAX_NAME = 60;

/** Words of an edge metric's name that its class, its unit or the sentence around it say already. */
const SAID_OTHERWISE =
  /^(http|grpc|rpc|client|server|caller|callee|inbound|outbound|duration|latency|requests?|calls?|errors?|failures?|failed|fault|response|time|rate|count|total|per|seconds?|second|milliseconds?|ms|s|us)$/;
const STATISTIC = /^(p\d{2,3}|avg|average|mean|median|max|min)$/;

/**
 * What a series measures, for a sentence: `payments db_pool_waiting_requests`; for the metric of one call edge in words:
 * `calls from checkout to payments, p95`, `failing calls from checkout to payments`; for the alert's own: `orders, the alert's expression orders_errors > 0.2`.
 */
export function nameInWords(view: SeriesView): string {
  if (view.expression) return `${view.service}, the alert's expression ${view.expression.text}`;
  return view.edge ? edgeInWords(view) : `${view.service} ${shortName(view)}`;
}

function shortName(view: SeriesView): string {
  const name = view.instance ? `${view.metric}{${view.instance}}` : view.metric;
  const cut = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name;
  return view.isRate ? `${cut} rate` : cut;
}

function edgeInWords(view: SeriesView): string {
  const { edge, metricClass, metric } = view;
  if (!edge) return metric;
  const words = inSnakeCase(withoutPeer(metric))
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const statistic = words.find((word) => STATISTIC.test(word));
  const rest = words.filter((word) => word !== statistic && !SAID_OTHERWISE.test(word));
  const calls = metricClass === 'error' ? 'failing calls' : 'calls';
  const ends =
    edge.measuredAt === 'callee'
      ? `${calls} from ${edge.caller} as ${edge.callee} sees them`
      : `${calls} from ${edge.caller} to ${edge.callee}`;
  const more = rest.length > 0 ? ` (${rest.join(' ').slice(0, MAX_NAME)})` : '';
  return `${ends}${more}${statistic ? `, ${statistic}` : ''}`;
}
