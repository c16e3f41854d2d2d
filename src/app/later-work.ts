import type { Incident } from '../domain/incident.ts';
import type { Deliveries } from '../queue/deliveries/deliveries.ts';
import type { LaterLooks } from '../queue/later-looks.ts';
import type { ReportStore, Reported } from '../sessions/report-store.ts';
import type { UpdateStore } from '../sessions/update-store.ts';

export interface LaterDeps {
  readonly reports: ReportStore;
  readonly updates: UpdateStore;
  readonly deliveries: Deliveries;
  readonly looks: LaterLooks;
  /** When to look again, minutes after a round began. */
  readonly lookMinutes: readonly number[];
}

/** Tells what took the place of an earlier report. Calling it again changes nothing: the same work has the same number. */
export async function tellUpdate(
  { updates, deliveries }: LaterDeps,
  incident: Incident,
  { later }: Reported,
): Promise<void> {
  if (!later) return;
  const number = await updates.allot(incident.id, later.workId, later.news);
  await deliveries.schedule(incident, `update-${number}`);
}

/** Has the incident of this report looked at again while it fires. Calling it again changes nothing. */
export async function scheduleLooks(
  { looks, lookMinutes }: LaterDeps,
  { report, incident, round = 1, roundEndedAtMs }: Reported,
): Promise<void> {
  if (incident.kind === 'check' || incident.state === 'resolved') return;
  // An agent's report that stood its ground in a later round is older than that.
  const beganMs = (roundEndedAtMs ?? Date.parse(report.generatedAt)) - report.usage.duration_ms;
  for (const [i, minutes] of lookMinutes.entries()) {
    const dueMs = beganMs + minutes * 60_000;
    await looks.schedule({ incidentId: incident.id, round, number: i + 1 }, dueMs - Date.now());
  }
}
