import { createHash } from 'node:crypto';
import type { Notification } from '../domain/alert.ts';
import type { Incident } from '../domain/incident.ts';
import { composeIncident } from './compose-incident.ts';
import { NOTHING_REDACTED, toAdmission } from './trim.ts';

/**
 * The incident of one notification on its own, with no store to join: for a recording or a body given by hand. Undefined when the notification
 * holds no alert. Nothing is stored, so nothing is redacted here: the report is. `scope` goes into its id, so that the same body read from two places is two incidents.
 */
export function singleIncident(
  notification: Notification,
  options: { readonly source: string; readonly scope: string },
): Incident | undefined {
  const { header, claims, truncatedAlerts } = toAdmission(notification, NOTHING_REDACTED);
  if (claims.length === 0) return undefined;
  const firing = claims.filter((claim) => claim.status === 'firing');
  const starts = (firing.length > 0 ? firing : claims).map((claim) => claim.startsAtMs);
  const identity = JSON.stringify([options.scope, ...claims.map(({ key, startsAtMs }) => `${key} ${startsAtMs}`)]);
  return composeIncident({
    id: `${options.source}_${createHash('sha256').update(identity).digest('hex').slice(0, 24)}`,
    header: { ...header, source: options.source },
    state: firing.length > 0 ? 'firing' : 'resolved',
    startsAtMs: starts.reduce((first, start) => Math.min(first, start)),
    alerts: claims.flatMap((claim) => claim.alert ?? []),
    alertCount: claims.length + truncatedAlerts,
    truncatedAlerts,
  });
}
