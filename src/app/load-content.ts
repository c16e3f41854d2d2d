import type { DeliveryContent, IncidentContentName } from '../domain/delivery.ts';
import type { Incident } from '../domain/incident.ts';
import { reportId } from '../investigate/write-report.ts';
import type { Stores } from './stores.ts';

const MOST_NEWS = 3;

/**
 * What a delivery tells: what is stored, with the incident as it is now where it may have changed since. An update has the news of all that gave way to it
 * since `told`, too. Undefined when nothing is known any more.
 */
export async function loadContent(
  { incidents, reports, updates }: Stores,
  incidentId: string,
  name: IncidentContentName,
  told?: IncidentContentName,
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
  const news = await newsSince({ updates }, incidentId, numberOf(told), numberOf(name));
  return news === undefined ? undefined : { kind: 'update', incident, report, news };
}

/** Of the latest updates after one and up to another, the newest first: what is too long is cut at its end. */
async function newsSince(
  { updates }: Pick<Stores, 'updates'>,
  incidentId: string,
  after: number,
  upTo: number,
): Promise<string | undefined> {
  const count = Math.max(1, Math.min(MOST_NEWS, upTo - after));
  const numbers = Array.from({ length: count }, (_, back) => upTo - back);
  const news = await Promise.all(numbers.map((number) => updates.newsOf(incidentId, number)));
  return news[0] === undefined ? undefined : news.filter((one) => one !== undefined).join('; before that: ');
}

/** Of an update; 0 of all that comes before the first. */
function numberOf(name: IncidentContentName | undefined): number {
  return Number(/^update-(\d+)$/.exec(name ?? '')?.[1] ?? 0);
}

/** A post about what was investigated then says who has taken it on since. */
function takenOn(incident: Incident, now: Incident | undefined): Incident {
  return now?.acknowledged ? { ...incident, acknowledged: now.acknowledged } : incident;
}
