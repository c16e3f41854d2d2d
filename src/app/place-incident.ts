import { createHash } from 'node:crypto';
import type { Incident } from '../domain/incident.ts';
import type { Mute, Routing } from '../domain/routing.ts';
import type { Storms } from '../intake/storm.ts';
import { reportId } from '../investigate/write-report.ts';
import { NotYet, type JobContext } from '../queue/job-worker.ts';
import type { IncidentStore } from '../sessions/incident-store.ts';
import type { LaterDeps } from './later-work.ts';
import { counted } from '../domain/counted.ts';

const MOST_NAMES = 5;
/** A mute ends with its rule, with the hours of the day that it is for, and when an alert joins that it does not cover. */
const MUTE_POLL_MS = 60_000;
const GATHER_MS = 30_000;

export interface PlaceDeps extends Pick<LaterDeps, 'reports' | 'updates' | 'deliveries'> {
  readonly incidents: Pick<IncidentStore, 'getIncident' | 'getLife' | 'noteProgress'>;
  readonly storms: Storms;
  readonly routing: Pick<Routing, 'muteOf' | 'sinkOf'>;
  /** What joins an incident that has its report is told at most this often. Default 30 s. */
  readonly gatherMs?: number;
}

/**
 * Whether an incident is to be investigated by itself now. One that is muted or covered by another's investigation is not, and its record says why; the post
 * of the other one says that it joined. Throws `NotYet` for a muted one: as long as it fires, its mute may end; and where others may join the same report.
 */
export async function isToBeInvestigated(
  deps: PlaceDeps,
  incident: Incident,
  { signal }: JobContext,
): Promise<boolean> {
  const { incidents, storms, routing, gatherMs = GATHER_MS } = deps;
  const nowMs = Date.now();
  const note = (stage: 'muted' | 'joined', reason: string) => incidents.noteProgress(incident.id, stage, nowMs, reason);
  const { stage, coveredBy } = (await incidents.getLife(incident.id)) ?? {};
  // What ended while it was muted is nobody's concern.
  if (incident.state === 'resolved' && stage === 'muted') return false;
  const mute = routing.muteOf(incident, nowMs);
  // One that covers others is not only its own.
  if (mute && (await storms.listMembers(incident.id, 1)).length === 0) {
    if (stage !== 'muted') await note('muted', inWords(mute));
    if (incident.kind === 'check') return false;
    throw new NotYet(
      `muted: ${mute.reason}`,
      Math.min(MUTE_POLL_MS, Math.max(1000, (mute.untilMs ?? Infinity) - nowMs)),
    );
  }
  if (incident.kind === 'check') return true;
  const placement = await storms.place(incident, signal);
  if (placement.kind === 'summary-only') await note('joined', 'told in the summary of the storm');
  if (placement.kind === 'member') {
    // Its job comes again when others may have joined: that is no news.
    if (stage !== 'joined' || coveredBy !== placement.of) await note('joined', `investigated with ${placement.of}`);
    if (stage !== 'joined' && (await hasReport(deps, placement.of)))
      throw new NotYet('others may join the same report', gatherMs);
    await tellMembers(deps, placement.of, incident);
  }
  return placement.kind === 'alone' || placement.kind === 'leads';
}

/**
 * Who joined an incident by now, in one update of its report for all, `latest` first. Until there is a report they wait for it. Calling it again tells nothing
 * unless others have joined.
 */
export async function tellMembers(deps: PlaceDeps, leadId: string, latest?: Incident): Promise<void> {
  const { updates, deliveries, incidents, storms } = deps;
  const ids = await storms.listMembers(leadId, Infinity);
  if (ids.length === 0 || !(await hasReport(deps, leadId))) return;
  const lead = await incidents.getIncident(leadId);
  if (!lead) return;
  // One more than are named, since `latest` may be among them.
  const members = await storms.membersOf(leadId, MOST_NAMES + 1);
  const others = members.filter(({ incidentId }) => incidentId !== latest?.id);
  const titles = [...(latest ? [latest] : []), ...others].map(({ title }) => title);
  const count = Math.max(titles.length, ids.length);
  const more = count > MOST_NAMES ? ` and ${count - MOST_NAMES} more` : '';
  const what = counted(count, 'connected incident');
  const news = `${what} joined: ${titles.slice(0, MOST_NAMES).join(', ')}${more}`;
  // Not by their number: when one has left, the next that comes makes it the same.
  await deliveries.schedule(lead, `update-${await updates.allot(leadId, `joined-${digestOf(ids)}`, news)}`);
}

/** With its end and the place of its rule, for whoever wonders at three in the morning why nobody was told. */
function inWords({ reason, untilMs, at }: Mute): string {
  const until = untilMs === undefined ? [] : [`until ${new Date(untilMs).toISOString()}`];
  const more = [...until, ...(at === undefined ? [] : [at])];
  return more.length === 0 ? reason : `${reason} (${more.join(', ')})`;
}

async function hasReport({ reports }: PlaceDeps, incidentId: string): Promise<boolean> {
  const report = await reports.getReport(reportId(incidentId));
  return report !== undefined && report.stage !== 'first_look';
}

function digestOf(ids: readonly string[]): string {
  return createHash('sha256').update(ids.toSorted().join()).digest('hex').slice(0, 16);
}
