import type { Incident } from '../../domain/incident.ts';
import type { Labels } from '../../domain/labels.ts';
import type { TimeWindow } from '../../domain/provider.ts';
import type { Topology } from '../../domain/telemetry.ts';
import { agrees, alertExpressions, nameOfExpression, type AlertExpression } from './alert-expression.ts';
import type { KnownMetrics } from './discover.ts';
import { fillTemplate, withoutThreshold } from './promql.ts';
import type { MetricTemplate, QueryGroup, QueryMap, TopologyTemplate } from './query-map.ts';
import { neighboursOf } from '../neighbours.ts';
import { placeMatchers, scopeMatchers } from './scope.ts';
import { serviceByConvention, serviceByLabels, type SeriesNaming } from './to-series.ts';

/** What all queries of one incident share. */
export interface Situation {
  readonly incident: Incident;
  readonly labels: Labels;
  readonly window: TimeWindow;
  readonly known: KnownMetrics;
  /** Distance between points, ms. */
  readonly stepMs: number;
  /** PromQL ranges that templates use. */
  readonly ranges: { readonly rate: string; readonly window: string };
}

/** One query with the way its series are to be named. */
export interface PlannedQuery {
  readonly promql: string;
  readonly naming: SeriesNaming;
}

/** The rules' own expressions, then what the query map has for this situation, in its order. */
export function planQueries(map: QueryMap, situation: Situation, topology: Topology): readonly PlannedQuery[] {
  return [
    ...alertExpressions(situation.incident).map((alert) => planAlert(alert, situation.incident)),
    ...map.groups.flatMap((group) => planGroup(group, situation, topology)),
  ];
}

function planAlert(alert: AlertExpression, incident: Incident): PlannedQuery {
  return {
    promql: withoutThreshold(alert.expression),
    naming: {
      service: (labels) => serviceByConvention(labels) ?? incident.service ?? 'unknown',
      metric: (labels) => labels['__name__'] ?? nameOfExpression(alert),
      fromAlert: (labels) => agrees(labels, alert.labels),
    },
  };
}

function planGroup(group: QueryGroup, situation: Situation, topology: Topology): readonly PlannedQuery[] {
  const place = applicablePlace(group, situation);
  if (!place) return [];
  const service = situation.incident.service;
  const neighbours = neighboursOf(service, topology);
  return group.queries.flatMap((template) => {
    const scope = scopeMatchers(template, place, service, neighbours);
    const fixed = { ...situation.ranges, scope, services: template.service.join(', ') };
    const promql = fillTemplate(template.query, situation.labels, fixed);
    return promql === undefined ? [] : [{ promql, naming: namingOf(template) }];
  });
}

function namingOf(template: MetricTemplate): SeriesNaming {
  return {
    service: (labels) => serviceByLabels(labels, template.service),
    // The name may hold labels of the result, such as the caller of an edge.
    metric: (labels) => template.metric.replace(/\{\{(\w+)\}\}/g, (_, name: string) => labels[name] ?? 'unknown'),
    unit: template.unit,
  };
}

/** The query for who calls whom; undefined when it does not apply. */
export function planTopology(template: TopologyTemplate, situation: Situation): string | undefined {
  const place = applicablePlace(template, situation);
  return place && fillTemplate(template.query, situation.labels, { ...situation.ranges, scope: place.join(', ') });
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
  const label = namespace === 'namespace' ? known.inPlace.get(when.metric) : namespace;
  return label === undefined ? [] : placeMatchers(labels, label);
}
