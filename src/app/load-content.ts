import type { DeliveryContent, IncidentContentName } from '../domain/delivery.ts';
import type { Incident } from '../domain/incident.ts';
import { reportId } from '../investigate/write-report.ts';
import type { Stores } from './stores.ts';

/** What a delivery tells: what is stored, with the incident as it is now where it may have changed since. Undefined when nothing is known any more. */
export async function loadContent(
  { incidents, reports, updates }: Stores,
  incidentId: string,
  name: IncidentContentName,
): Promise<DeliveryContent | undefined> {
  const id = reportId(incidentId);
  const now = await incidents.getIncident(incidentId);
  if (name === 'first-look') {
    const first = await reports.getFirstLook(id);
    return first && { kind: 'first-look', incident: takenOn(first.incident, now), report: first.report };
  }
  const reported = await reports.getReported(id);
  // Whoever asks for more than a first look comes too early.
  if (!reported || reported.report.stage === 'first_look') return undefined;
  const { report } = reported;
  if (name === 'report') return { kind: 'report', incident: takenOn(reported.incident, now), report };
  const incident = now ?? reported.incident;
  if (name === 'resolved') {
    const resolvedAtMs = (await incidents.getResolvedAtMs(incidentId)) ?? incident.startsAtMs;
    return { kind: 'resolved', incident, report, resolvedAtMs };
  }
  const news = await updates.newsOf(incidentId, Number(name.split('-')[1]));
  return news === undefined ? undefined : { kind: 'update', incident, report, news };
}

/** A post about what was investigated then says who has taken it on since. */
function takenOn(incident: Incident, now: Incident | undefined): Incident {
  return now?.acknowledged ? { ...incident, acknowledged: now.acknowledged } : incident;
}
