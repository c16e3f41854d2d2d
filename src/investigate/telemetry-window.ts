import type { Incident } from '../domain/incident.ts';
import type { GatherWindow } from '../domain/provider.ts';

/** How much after the trigger may be read: enough for four samples of a slow scrape, not the next day. */
const AFTER_TRIGGER_MS = 30 * 60_000;
/** The window asks for this much beyond "now", so that the sample being scraped is included. */
const MIN_AFTER_TRIGGER_MS = 60_000;
/** Rules wait (`for:`) and average before they fire: the last minutes before an alert may be part of the trouble. */
const BEFORE_TRIGGER_MS = 10 * 60_000;

/**
 * The window that telemetry is read in, with its fault-free part: all but the last ten minutes of the baseline, of a short one its first half.
 * Computed here and nowhere else, from the trigger, in UTC.
 */
export function telemetryWindow(
  { startsAtMs }: Pick<Incident, 'startsAtMs'>,
  nowMs: number,
  baselineMs: number,
): Required<GatherWindow> {
  const latest = Math.max(nowMs, startsAtMs + MIN_AFTER_TRIGGER_MS);
  const fromMs = startsAtMs - baselineMs;
  return {
    fromMs,
    toMs: Math.min(latest, startsAtMs + AFTER_TRIGGER_MS),
    reference: { fromMs, toMs: startsAtMs - Math.min(BEFORE_TRIGGER_MS, baselineMs / 2) },
  };
}
