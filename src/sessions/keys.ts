import { createHash } from 'node:crypto';

const DAY_SECONDS = 86_400;
/** Well above any sensible `repeat_interval`: an alert forgotten while it fires would be investigated again. */
export const INCIDENT_TTL_SECONDS = 14 * DAY_SECONDS;
export const REPORT_TTL_SECONDS = 90 * DAY_SECONDS;

/** Stream of what came in and is not decided yet. */
export const inboxKey = (prefix: string): string => `${prefix}:inbox`;
/** Stream of what could not be decided. */
export const asideKey = (prefix: string): string => `${prefix}:inbox-aside`;
/** List of at most one element: somebody has put something into the inbox. */
export const bellKey = (prefix: string): string => `${prefix}:inbox-bell`;
/** Work that is decided and not known to be queued, by the time it is due. */
export const outboxKey = (prefix: string): string => `${prefix}:outbox`;
/** Ids of incidents by the time they were opened. */
export const incidentsKey = (prefix: string): string => `${prefix}:incidents`;
/** Ids of runs of scheduled checks by their ticks: hundreds a day, among which no incident could be found. */
export const checkRunsKey = (prefix: string): string => `${prefix}:check-runs`;
/** Of an incident, or of a run of a check. */
export const incidentKey = (prefix: string, id: string): string => `${prefix}:incident:${id}`;
/** JSON of what is decided about the ticks of a scheduled check. */
export const checkTicksKey = (prefix: string, name: string): string => `${prefix}:check-ticks:${name}`;
/** Results of a scheduled check by tick. */
export const checkResultsKey = (prefix: string, name: string): string => `${prefix}:check-results:${name}`;
/** Ids of the incidents that the investigation of this one covers, in a storm. */
export const membersKey = (prefix: string, id: string): string => `${prefix}:members:${id}`;
/** One hash a storm (storm-script.ts). */
export const stormKey = (prefix: string, id: string): string => `${prefix}:storm:${id}`;
/** One hash an investigation under way: its state, checkpoints, orders and outcomes. */
export const resumeKey = (prefix: string, incidentId: string): string => `${prefix}:resume:${incidentId}`;
/** One hash a session: the sessions of its sub-agents by id. */
export const subSessionsKey = (prefix: string, sessionId: string): string => `${prefix}:sub-sessions:${sessionId}`;
/** One hash a day or an hour (UTC, `2026-11-30T07`): what investigations used of an allowance and have reserved, in millionths. */
export const allowanceKey = (prefix: string, name: string, period: string): string => `${prefix}:${name}:${period}`;
/** Of what a source has delivered under a number of its own: the incident it concerned. */
export function deliveryKey(prefix: string, source: string, deliveryId: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([source, deliveryId]))
    .digest('hex')
    .slice(0, 32);
  return `${prefix}:taken:${hash}`;
}
