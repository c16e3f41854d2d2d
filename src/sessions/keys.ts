const DAY_SECONDS = 86_400;
/** Well above any sensible `repeat_interval`: an alert forgotten while it fires would be investigated again. */
export const INCIDENT_TTL_SECONDS = 14 * DAY_SECONDS;
export const REPORT_TTL_SECONDS = 90 * DAY_SECONDS;

export const outboxKey = (prefix: string): string => `${prefix}:outbox`;
export const incidentKey = (prefix: string, id: string): string => `${prefix}:incident:${id}`;
