import type { Incident } from '../../domain/incident.ts';
import { namespaceOf, type Labels } from '../../domain/labels.ts';
import { escapeRegex, stringLiteral } from './promql.ts';
import type { MetricTemplate } from './query-map.ts';

/** Labels that say which part of the world an alert is about, beside its namespace. */
const PLACE_LABELS = ['cluster'] as const;

/** The labels of the alert itself. Untrusted values. */
export function alertLabels(incident: Incident): Labels {
  const lead = incident.alerts.find((alert) => alert.status === 'firing') ?? incident.alerts[0];
  return { ...incident.labels, ...lead?.labels };
}

/** Labels a template may use: the alert's own, and its service under the name `service`, whichever label names it. */
export function labelsOfIncident(incident: Incident): Labels {
  const labels = alertLabels(incident);
  return incident.service ? { ...labels, service: incident.service } : labels;
}

/** Matchers of the namespace (and cluster) of the alert, as far as it names them. */
export function placeMatchers(labels: Labels, namespaceLabel: string): readonly string[] {
  if (namespaceLabel === 'none') return [];
  const namespace = namespaceOf(labels);
  const places = PLACE_LABELS.filter((name) => labels[name]).map(
    (name) => `${name}=${stringLiteral(labels[name] ?? '')}`,
  );
  return namespace ? [`${namespaceLabel}=${stringLiteral(namespace)}`, ...places] : places;
}

/**
 * What `{{scope}}` stands for in a query: the place of the alert, and for the narrower scopes the services wanted. Without a known
 * topology, neighbours are all services of the place.
 */
export function scopeMatchers(
  template: Pick<MetricTemplate, 'scope' | 'service'>,
  place: readonly string[],
  service: string | undefined,
  neighbours: readonly string[],
): string {
  const wanted =
    template.scope === 'service' ? (service ? [service] : []) : template.scope === 'neighbours' ? neighbours : [];
  const [label] = template.service;
  if (wanted.length === 0 || !label) return place.join(', ');
  // A pod is named after its service, with a suffix.
  const pattern = `(?:${wanted.map(escapeRegex).join('|')})(?:-.+)?`;
  return [...place, `${label}=~${stringLiteral(pattern)}`].join(', ');
}
