import type { Labels } from './labels.ts';

/** Name of the source that takes PagerDuty's webhooks. */
export const PAGERDUTY_SOURCE = 'pagerduty';
/** Label that its alerts carry the id of their PagerDuty incident in. */
export const PAGERDUTY_INCIDENT_LABEL = 'pagerduty_incident';

/** An id as PagerDuty makes them (`Q1ABC2DEF3`): it becomes part of a path, so nothing else is taken for one. */
const INCIDENT_ID = /^[A-Za-z0-9]{1,64}$/;

export function isPagerDutyId(text: string): boolean {
  return INCIDENT_ID.test(text);
}

/**
 * The id that PagerDuty knows the incident by; undefined for incidents that PagerDuty did not send. The same label in alerts of another source
 * counts for nothing: whoever writes alert rules would choose which incident is written on.
 */
export function pagerDutyIncidentId(incident: {
  readonly source: string;
  readonly labels: Labels;
}): string | undefined {
  const id = incident.labels[PAGERDUTY_INCIDENT_LABEL];
  return incident.source === PAGERDUTY_SOURCE && id !== undefined && isPagerDutyId(id) ? id : undefined;
}
