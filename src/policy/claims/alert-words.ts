import type { Evidence } from '../../domain/evidence.ts';
import type { Incident } from '../../domain/incident.ts';

const MOST_ALERTS = 20;

/** The alert's own words: everybody knows its figures, and may repeat them without citing it. */
export function wordsOfAlert({ title, annotations, labels, alerts, service, startsAtMs }: Incident): Evidence {
  const texts = [title, annotations, labels, ...alerts.slice(0, MOST_ALERTS).map((alert) => alert.annotations)];
  return { id: 'alert', kind: 'event', service, statement: JSON.stringify(texts), atMs: startsAtMs };
}
