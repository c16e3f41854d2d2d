import type { Alert } from '../domain/alert.ts';
import type { Incident, IncidentState } from '../domain/incident.ts';
import { serviceOf, type Labels } from '../domain/labels.ts';
import { clip, oneLine } from '../policy/untrusted.ts';
import type { IncidentHeader } from './admission.ts';
import { alertName, severityRank } from './alert-name.ts';

const MAX_TITLE_LENGTH = 250;
const MAX_NAMES_IN_TITLE = 3;

/** What the store holds of an incident. `alerts` are those kept, in any order; `alertCount` counts all. */
export interface IncidentRecord {
  readonly id: string;
  readonly header: IncidentHeader;
  readonly state: IncidentState;
  readonly startsAtMs: number;
  readonly alerts: readonly Alert[];
  readonly alertCount: number;
  readonly truncatedAlerts: number;
  /** What it may have besides. */
  readonly history?: Pick<Incident, 'follows' | 'recurs' | 'flapping' | 'acknowledged'>;
}

/** The incident as the rest of the product sees it, made from whatever alerts have joined it by now. */
export function composeIncident(record: IncidentRecord): Incident {
  const alerts = record.alerts.toSorted(
    (a, b) =>
      severityRank(a) - severityRank(b) || a.startsAtMs - b.startsAtMs || (a.fingerprint < b.fingerprint ? -1 : 1),
  );
  const firing = alerts.filter((alert) => alert.status === 'firing');
  const main = firing[0] ?? alerts[0];
  const labels = common(alerts.map((alert) => alert.labels));
  return {
    id: record.id,
    kind: 'incident',
    source: record.header.source,
    receiver: record.header.receiver,
    title: title(alerts, record.alertCount, record.header.groupLabels),
    // The gravest alert's own labels: common ones may only share what says nothing, such as the scrape job.
    service: serviceOf(main?.labels ?? {}) ?? serviceOf(record.header.groupLabels),
    severity: main?.labels['severity'] || undefined,
    startsAtMs: record.startsAtMs,
    state: record.state,
    labels,
    annotations: common(alerts.map((alert) => alert.annotations)),
    alerts,
    alertCount: record.alertCount,
    truncatedAlerts: record.truncatedAlerts,
    link: record.header.link,
    ...record.history,
  };
}

/** `HighLatency` · `InstanceDown (3 alerts)` · `2 alerts: DiskFull, HighLatency` · `Alert host=db-1, team=shop` · `Unnamed alert` */
function title(alerts: readonly Alert[], count: number, groupLabels: Labels): string {
  const names = [...new Set(alerts.map((alert) => oneLine(alertName(alert) ?? '')).filter(Boolean))];
  return clip(titleText(names, alerts[0]?.labels ?? {}, count, groupLabels), MAX_TITLE_LENGTH);
}

function titleText(names: readonly string[], labels: Labels, count: number, groupLabels: Labels): string {
  const counted = count === 1 ? '' : ` (${count} alerts)`;
  if (names.length === 1) return `${names[0]}${counted}`;
  if (names.length > 1) {
    const more = names.length > MAX_NAMES_IN_TITLE ? ` and ${names.length - MAX_NAMES_IN_TITLE} more` : '';
    return `${count} alerts: ${names.slice(0, MAX_NAMES_IN_TITLE).join(', ')}${more}`;
  }
  const described = describe(Object.keys(groupLabels).length ? groupLabels : labels);
  return described ? `Alert ${described}${counted}` : `Unnamed alert${counted}`;
}

function describe(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => [oneLine(name), clip(oneLine(value), 60)])
    .filter(([name, value]) => name && value)
    .slice(0, MAX_NAMES_IN_TITLE)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
}

/** What all maps agree on. */
function common(maps: readonly Labels[]): Labels {
  const [first = {}, ...rest] = maps;
  return Object.fromEntries(Object.entries(first).filter(([name, value]) => rest.every((map) => map[name] === value)));
}
