import { unrunInWords } from '../domain/check.ts';
import type { Incident, Recurrence } from '../domain/incident.ts';
import { duration } from '../domain/relative-time.ts';

/** What is known to be missing of the incident itself. */
export function gapsOfIncident({ truncatedAlerts, check }: Incident): readonly string[] {
  const unrun = (check?.unrun ?? []).map((ticks) => `schedule: ${unrunInWords(ticks)}`);
  if (truncatedAlerts === 0) return unrun;
  const alerts = truncatedAlerts === 1 ? '1 more alert was' : `${truncatedAlerts} more alerts were`;
  return [`alerts: ${alerts} cut off by the sender or above what is told apart; nothing else is known of them`];
}

/** How it came before, for people: `third time in 2 h (before: inc_…)`. Undefined for an alert that fires for the first time. */
export function historyOf(incident: Incident): string | undefined {
  const { flapping, recurs, follows, startsAtMs } = incident;
  const since = ({ sinceMs }: Recurrence, untilMs: number) => duration(Math.max(0, untilMs - sinceMs));
  const before = follows === undefined ? '' : ` (before: ${follows})`;
  if (flapping) {
    const latestMs = Math.max(startsAtMs, ...incident.alerts.map((alert) => alert.startsAtMs));
    return `flapping: fired ${flapping.times} times in ${since(flapping, latestMs)}${before}`;
  }
  return recurs && `${ordinal(recurs.times)} time in ${since(recurs, startsAtMs)}${before}`;
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];

function ordinal(count: number): string {
  return ORDINALS[count - 1] ?? `${count}th`;
}
