import type { Alert, Notification } from '../../domain/alert.ts';
import type { Labels } from '../../domain/labels.ts';
import { isPagerDutyId, PAGERDUTY_INCIDENT_LABEL, PAGERDUTY_SOURCE } from '../../domain/pagerduty.ts';
import { parseTime } from '../parse-time.ts';
import type { Reading } from '../source.ts';
import type { PagerDutyEvent, PagerDutyIncident } from './event.ts';

export interface EventRules {
  /** Whether an incident that is opened again is investigated again. */
  readonly investigateReopened: boolean;
  /** Ids of the users and integrations of PagerDuty that are Rootnote itself. */
  readonly ownIds: readonly string[];
  readonly now: () => number;
}

/** Of an event's type: it goes into the log. */
const MAX_TYPE_LENGTH = 100;

/** A PagerDuty incident that can be told from others. */
interface Subject {
  readonly id: string;
  readonly incident: PagerDutyIncident;
  readonly occurredAtMs: number;
}

/**
 * What an event asks for. `triggered` and `reopened` are alerts, `resolved` ends them, `acknowledged` says who has taken them on; all others, and
 * those that PagerDuty may add, are nothing to do. Never throws.
 */
export function readEvent(event: PagerDutyEvent, rules: EventRules): Reading {
  const { agent, data } = event;
  const type = event.event_type.slice(0, MAX_TYPE_LENGTH);
  if (type === 'pagey.ping') return nothing('connection test: PagerDuty reaches this webhook');
  if (agent?.id && rules.ownIds.includes(agent.id)) return nothing(`${type} of our own`);
  if (!ACTED_ON.has(type)) return nothing(`${type} needs no work`);
  if (!data?.id || !isPagerDutyId(data.id)) return nothing(`${type} without the id of an incident`);
  const subject = { id: data.id, incident: data, occurredAtMs: parseTime(event.occurred_at) ?? rules.now() };
  switch (type) {
    case 'incident.acknowledged':
      return {
        kind: 'acknowledged',
        acknowledgement: {
          source: PAGERDUTY_SOURCE,
          fingerprint: subject.id,
          by: agent?.summary ?? undefined,
          atMs: subject.occurredAtMs,
        },
      };
    case 'incident.resolved':
      return notification(subject, resolvedAlert(subject));
    case 'incident.reopened':
      if (!rules.investigateReopened) return nothing('incident.reopened is not investigated (PAGERDUTY_REOPENED)');
      return notification(subject, reopenedAlert(subject));
    default:
      return notification(subject, firingAlert(subject, parseTime(data.created_at) ?? subject.occurredAtMs));
  }
}

const ACTED_ON: ReadonlySet<string> = new Set([
  'incident.triggered',
  'incident.acknowledged',
  'incident.resolved',
  'incident.reopened',
]);

function nothing(why: string): Reading {
  return { kind: 'nothing', why };
}

function firingAlert(subject: Subject, startsAtMs: number): Alert {
  return { ...alertOf(subject), status: 'firing', startsAtMs, endsAtMs: undefined };
}

/** An occurrence of its own; when the first one began is told beside it. */
function reopenedAlert(subject: Subject): Alert {
  const alert = firingAlert(subject, subject.occurredAtMs);
  return { ...alert, annotations: { ...alert.annotations, ...present({ first_opened: subject.incident.created_at }) } };
}

/** PagerDuty says of a resolved incident when it was created, but not when it was opened again: it ends whatever is open. */
function resolvedAlert(subject: Subject): Alert {
  const { occurredAtMs } = subject;
  return {
    ...alertOf(subject),
    status: 'resolved',
    startsAtMs: occurredAtMs,
    startsAtReceipt: true,
    endsAtMs: occurredAtMs,
  };
}

function alertOf({ id, incident }: Subject): Pick<Alert, 'labels' | 'annotations' | 'generatorUrl' | 'fingerprint'> {
  return {
    labels: labelsOf(id, incident),
    annotations: annotationsOf(incident),
    generatorUrl: undefined,
    fingerprint: id,
  };
}

function notification(subject: Subject, alert: Alert): Reading {
  const { id, incident } = subject;
  const read: Notification = {
    source: PAGERDUTY_SOURCE,
    receiver: PAGERDUTY_SOURCE,
    groupKey: id,
    groupLabels: {},
    commonLabels: alert.labels,
    commonAnnotations: alert.annotations,
    externalUrl: incident.html_url ?? undefined,
    truncatedAlerts: 0,
    alerts: [alert],
  };
  return { kind: 'notification', notification: read };
}

/** A priority says more than an urgency, where an account uses priorities. */
function labelsOf(id: string, incident: PagerDutyIncident): Labels {
  const { title, number, service, urgency, priority, teams } = incident;
  return present({
    alertname: title || `PagerDuty incident ${number ? `#${number}` : id}`,
    service: service?.summary,
    severity: priority?.summary || urgency,
    urgency,
    priority: priority?.summary,
    team: teams?.[0]?.summary,
    [PAGERDUTY_INCIDENT_LABEL]: id,
  });
}

function annotationsOf({ incident_key, escalation_policy }: PagerDutyIncident): Labels {
  return present({ incident_key, escalation_policy: escalation_policy?.summary });
}

function present(values: Readonly<Record<string, string | null | undefined>>): Labels {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1])));
}
