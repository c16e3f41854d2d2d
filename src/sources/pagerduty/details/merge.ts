import type { Alert } from '../../../domain/alert.ts';
import type { Incident } from '../../../domain/incident.ts';
import { serviceOf, type Labels } from '../../../domain/labels.ts';
import { PAGERDUTY_INCIDENT_LABEL } from '../../../domain/pagerduty.ts';
import { clip, sanitize } from '../../../policy/untrusted.ts';
import type { Described } from './describe-alert.ts';

const MAX_ALERTS = 50;
const MAX_LABEL_LENGTH = 1000;
const MAX_ANNOTATION_LENGTH = 4000;

/** The incident with what its alerts say. Its id, title, start and link stay PagerDuty's; `redact` sees everything that is added. */
export function mergeDetails(
  incident: Incident,
  described: readonly Described[],
  redact: (text: string) => string,
): Incident {
  const [base] = incident.alerts;
  if (!base || described.length === 0) return incident;
  const alerts = described.slice(0, MAX_ALERTS).map((entry, index) => mergeAlert(base, clean(entry, redact), index));
  const labels = { ...incident.labels, ...common(alerts.map((alert) => alert.labels)) };
  return {
    ...incident,
    labels,
    annotations: { ...incident.annotations, ...common(alerts.map((alert) => alert.annotations)) },
    service: serviceOf(alerts[0]?.labels ?? {}) ?? incident.service,
    severity: alerts[0]?.labels['severity'] ?? incident.severity,
    alerts,
    alertCount: Math.max(incident.alertCount, described.length),
  };
}

/** The monitor's names of things are those that telemetry knows; PagerDuty's name of the service stays beside them. A priority was set by people and stands. */
function mergeAlert(base: Alert, { labels, annotations, generatorUrl }: Described, index: number): Alert {
  const service = base.labels['service'];
  const isRenamed = labels['service'] !== undefined && service !== undefined && service !== labels['service'];
  return {
    ...base,
    labels: {
      ...base.labels,
      ...labels,
      ...(base.labels['priority'] ? { severity: base.labels['priority'] } : {}),
      ...(isRenamed ? { pagerduty_service: service } : {}),
      // Never the monitor's: it says which incident is written on.
      ...(base.labels[PAGERDUTY_INCIDENT_LABEL]
        ? { [PAGERDUTY_INCIDENT_LABEL]: base.labels[PAGERDUTY_INCIDENT_LABEL] }
        : {}),
    },
    annotations: { ...base.annotations, ...annotations },
    generatorUrl: generatorUrl ?? base.generatorUrl,
    fingerprint: index === 0 ? base.fingerprint : `${base.fingerprint}-${index + 1}`,
  };
}

/** Redacted as one JSON text, because a name tells whether its value is a secret, with nothing invisible left to hide in; then cut. */
function clean(described: Described, redact: (text: string) => string): Described {
  const visible = { ...described, labels: seen(described.labels), annotations: seen(described.annotations) };
  const { labels, annotations, generatorUrl } = JSON.parse(redact(JSON.stringify(visible))) as Described;
  return {
    labels: cut(labels, MAX_LABEL_LENGTH),
    annotations: cut(annotations, MAX_ANNOTATION_LENGTH),
    generatorUrl: generatorUrl && generatorUrl.length <= MAX_ANNOTATION_LENGTH ? generatorUrl : undefined,
  };
}

function seen(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [sanitize(name), sanitize(value)]));
}

function cut(labels: Labels, maxLength: number): Labels {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, clip(value, maxLength)]));
}

/** What all maps agree on. */
function common(maps: readonly Labels[]): Labels {
  const [first = {}, ...rest] = maps;
  return Object.fromEntries(Object.entries(first).filter(([name, value]) => rest.every((map) => map[name] === value)));
}
