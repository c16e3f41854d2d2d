import type { Alert } from '../domain/alert.ts';

/** The alert's name by Prometheus convention; undefined when it has none. */
export function alertName(alert: Alert): string | undefined {
  return alert.labels['alertname'] || undefined;
}

const SEVERITIES = [
  ['emergency', 'critical', 'fatal', 'page', 'disaster', 'p0', 'p1', 'sev0', 'sev1'],
  ['error', 'high', 'major', 'p2', 'sev2'],
  ['warning', 'warn', 'medium', 'average', 'p3', 'sev3'],
  ['minor', 'low', 'p4', 'sev4'],
  ['info', 'informational', 'notice', 'p5', 'sev5'],
  ['none', 'ok'],
] as const;
/** Nobody limits severities; one we do not know stands between warning and minor. */
const UNKNOWN_RANK = 2.5;

const RANKS: ReadonlyMap<string, number> = new Map(
  SEVERITIES.flatMap((names, rank) => names.map((name) => [name, rank])),
);

/** 0 is most severe. Alerts without a severity come last. */
export function severityRank(alert: Alert): number {
  const severity = alert.labels['severity']?.toLowerCase();
  if (!severity) return SEVERITIES.length;
  return RANKS.get(severity) ?? UNKNOWN_RANK;
}
