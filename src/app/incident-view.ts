import type { Redis } from 'ioredis';
import { stormJson } from '../destinations/storm-json.ts';
import type { DeliveryRecord } from '../domain/delivery.ts';
import { historyOf } from '../investigate/tell-incident.ts';
import { reportId } from '../investigate/write-report.ts';
import { readRecords } from '../queue/deliveries/read-records.ts';
import { createIncidentStore, type IncidentLife, type IncidentStore } from '../sessions/incident-store.ts';
import { createReportStore, type ReportStore } from '../sessions/report-store.ts';
import { createStormReader, type StormReader } from '../sessions/storm-reader.ts';
import { untoldOf } from './untold.ts';

/** Where incidents, storms and reports are read. */
export interface Reading {
  readonly incidents: IncidentStore;
  readonly reports: ReportStore;
  readonly storms: StormReader;
  /** What became of its deliveries; undefined when nothing was to be told yet. */
  readonly recordsOf: (subjectId: string) => Promise<readonly DeliveryRecord[] | undefined>;
}

/** The caller owns and closes the connection. */
export function openReading(redis: Redis, prefix: string): Reading {
  const incidents = createIncidentStore(redis, prefix);
  const reports = createReportStore(redis, prefix);
  const storms = createStormReader(redis, prefix, { incidents, reports });
  return { incidents, reports, storms, recordsOf: (id) => readRecords(redis, prefix, id) };
}

/** What people and programs are shown of an incident; times are ISO 8601. */
export type IncidentView = Awaited<ReturnType<typeof viewOf>>;

export async function viewOf({ reports, storms, recordsOf }: Reading, life: IncidentLife) {
  const { incident, stage, openedAtMs, resolvedAtMs, heldUntilMs, stormId, coveredBy, repeats, decisions } = life;
  const { id, kind, source, receiver, title, service, severity, state, alertCount, truncatedAlerts, link } = incident;
  const isReported = stage === 'reported' || stage === 'gave-up';
  const [report, covers, records] = await Promise.all([
    reports.getReport(reportId(id)),
    storms.countMembers(id),
    isReported ? recordsOf(id) : undefined,
  ]);
  return {
    id,
    kind,
    source,
    receiver,
    title,
    service: service ?? null,
    severity: severity ?? null,
    state,
    stage,
    startsAt: iso(incident.startsAtMs),
    openedAt: iso(openedAtMs),
    resolvedAt: resolvedAtMs === undefined ? null : iso(resolvedAtMs),
    /** Of one that flaps and is quiet now: when it is resolved. */
    heldUntil: heldUntilMs === undefined ? null : iso(heldUntilMs),
    alertCount,
    truncatedAlerts,
    repeats,
    storm: stormId ?? null,
    /** The incident with which it is investigated, in a storm. */
    coveredBy: coveredBy ?? null,
    /** How many others are investigated with it. */
    covers,
    follows: incident.follows ?? null,
    /** How it came before, in words. */
    history: historyOf(incident) ?? null,
    flapping: incident.flapping ? { times: incident.flapping.times, since: iso(incident.flapping.sinceMs) } : null,
    acknowledged: incident.acknowledged
      ? { by: incident.acknowledged.by ?? null, at: iso(incident.acknowledged.atMs) }
      : null,
    report: report === undefined ? null : report.id,
    /** Who was not told of the report, and why. */
    untold: untoldOf(records, decisions) ?? null,
    link: link ?? null,
    decisions: decisions.map(({ atMs, decision, reason }) => ({ at: iso(atMs), decision, reason })),
  };
}

/** One of those that are investigated with another. */
export interface MemberView {
  readonly id: string;
  readonly title: string;
  readonly service: string | null;
  readonly severity: string | null;
  readonly state: string;
}

/** An incident with those that are investigated with it, the latest first. */
export type IncidentDetails = IncidentView & { readonly members: readonly MemberView[] };

/** Undefined when it is unknown or forgotten. */
export async function readIncident(reading: Reading, id: string): Promise<IncidentDetails | undefined> {
  const life = await reading.incidents.getLife(id);
  if (!life) return undefined;
  return { ...(await viewOf(reading, life)), members: await membersOf(reading, id) };
}

/** A storm with all its incidents: those that no other covers, and with each those that it covers. */
export type StormView = NonNullable<Awaited<ReturnType<typeof readStorm>>>;

/** Undefined when it is unknown or forgotten. */
export async function readStorm(reading: Reading, id: string) {
  const summary = await reading.storms.getSummary(id, Number.MAX_SAFE_INTEGER);
  if (!summary) return undefined;
  const { investigations, ...storm } = stormJson(summary);
  const read = investigations.map(async ({ members, ...investigation }) => ({
    ...investigation,
    covers: members,
    members: await membersOf(reading, investigation.incidentId),
  }));
  return { ...storm, investigations: await Promise.all(read) };
}

export function isStormId(id: string): boolean {
  return id.startsWith('storm_');
}

export async function membersOf(
  { incidents, storms }: Reading,
  leadId: string,
  most = Number.MAX_SAFE_INTEGER,
): Promise<readonly MemberView[]> {
  const ids = await storms.listMembers(leadId, most);
  const found = await Promise.all(ids.map((id) => incidents.getIncident(id)));
  return found.flatMap((incident) => {
    if (!incident) return [];
    const { id, title, service, severity, state } = incident;
    return [{ id, title, service: service ?? null, severity: severity ?? null, state }];
  });
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
