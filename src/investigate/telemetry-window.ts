import type { Incident } from '../domain/incident.ts';
import type { TimeWindow } from '../domain/provider.ts';

/** How much after the trigger may be read: enough for four samples of a slow scrape, not the next day. */
const AFTER_TRIGGER_MS = 30 * 60_000;
/** The window asks for this much beyond "now", so that the sample being scraped is included. */
const MIN_AFTER_TRIGGER_MS = 60_000;

/** The window that telemetry is read in. Computed here and nowhere else, from the trigger, in UTC. */
export function telemetryWindow(incident: Incident, nowMs: number, baselineMs: number): TimeWindow {
  const latest = Math.max(nowMs, incident.startsAtMs + MIN_AFTER_TRIGGER_MS);
  return {
    fromMs: incident.startsAtMs - baselineMs,
    toMs: Math.min(latest, incident.startsAtMs + AFTER_TRIGGER_MS),
  };
}
