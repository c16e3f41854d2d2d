import type { DeliveryRecord } from '../domain/delivery.ts';
import { duration, lasted } from '../domain/relative-time.ts';
import { shareOut } from '../domain/storm.ts';
import { oneLine } from '../policy/untrusted.ts';
import type { IncidentDetails, IncidentView, MemberView, StormView } from './incident-view.ts';
import { printDeliveries } from './print-deliveries.ts';
import { counted } from '../domain/counted.ts';

/** Of those that are investigated with an incident, most that stand in the list of a storm. */
const MOST_SHOWN = 10;

type StormHead = Omit<StormView, 'investigations'> & { readonly investigations: readonly unknown[] };
type Facts = readonly (readonly [name: string, value: string | null])[];

/** Storms, then incidents, a line each. */
export function printList(storms: readonly StormHead[], views: readonly IncidentView[], nowMs: number): string {
  if (views.length === 0) return 'No incidents yet.\n';
  return [...storms.map((storm) => stormRow(storm, nowMs)), ...views.map((view) => row(view, nowMs))]
    .map((line) => `${line}\n`)
    .join('');
}

/** Runs of scheduled checks, a line each. */
export function printRuns(views: readonly IncidentView[], nowMs: number): string {
  if (views.length === 0) return 'No runs of checks yet.\n';
  return views.map((view) => `${row(view, nowMs)}\n`).join('');
}

function stormRow(storm: StormHead, nowMs: number): string {
  const beganMs = Date.parse(storm.startedAt);
  const standing =
    storm.overAt === null
      ? `on for ${duration(nowMs - beganMs)}`
      : `over, lasted ${lasted(Date.parse(storm.updatedAt) - beganMs)}`;
  return `${storm.startedAt}  ${storm.id}  ALERT STORM ${standing}: ${numbersOf(storm)}`;
}

function numbersOf(storm: StormHead): string {
  return `${shareOut(storm)}; ${storm.firing} still ${storm.firing === 1 ? 'fires' : 'fire'}`;
}

function row(view: IncidentView, nowMs: number): string {
  const state = [standingOf(view, nowMs), stageOf(view), ...marks(view)].join(', ');
  return `${view.openedAt}  ${view.id}  ${state}  ${titleOf(view)}`;
}

/** One that flaps and is quiet neither fires nor is over. */
function standingOf({ kind, state, heldUntil, openedAt }: IncidentView, nowMs: number): string {
  if (kind === 'check') return standingOfRun(state);
  if (heldUntil !== null) return 'quiet for now';
  return state === 'firing' ? `open for ${duration(nowMs - Date.parse(openedAt))}` : 'resolved';
}

/** A check fires for nobody: its run is under way or not. */
function standingOfRun(state: IncidentView['state']): string {
  return state === 'firing' ? 'under way' : 'over';
}

function stageOf({ stage, coveredBy, storm, covers, decisions }: IncidentView): string {
  const why = stage === 'muted' && decisions.findLast(({ decision }) => decision === 'muted')?.reason;
  if (why) return `muted: ${oneLine(why)}`;
  if (stage !== 'joined') return covers > 0 ? `${stage} with ${counted(covers, 'other')}` : stage;
  return `joined ${coveredBy ?? storm ?? 'a storm'}`;
}

function marks({ flapping, acknowledged, untold }: IncidentView): readonly string[] {
  const by = acknowledged?.by == null ? '' : ` by ${oneLine(acknowledged.by)}`;
  return [
    ...(untold === null ? [] : [oneLine(untold)]),
    ...(flapping ? [`flapping ${flapping.times}×`] : []),
    ...(acknowledged ? [`taken on${by}`] : []),
  ];
}

/** An incident with every decision about it, and what was told of it; `lead` is the title of the one that covers it. */
export function printIncident(
  view: IncidentDetails,
  { lead, deliveries }: { readonly lead: string | undefined; readonly deliveries: readonly DeliveryRecord[] },
): string {
  const cutOff = view.truncatedAlerts > 0 ? `, ${view.truncatedAlerts} more cut off` : '';
  const isRun = view.kind === 'check';
  const ownState = isRun ? standingOfRun(view.state) : view.state;
  const state = view.heldUntil === null ? ownState : 'quiet for now';
  const end = view.heldUntil === null ? view.resolvedAt : `at ${view.heldUntil}, if it stays quiet`;
  const covered =
    view.coveredBy && `by the investigation of ${view.coveredBy}${lead === undefined ? '' : ` (${lead})`}`;
  const lines = factLines([
    ['state', [state, view.stage, ...marks(view)].join(', ')],
    ['severity', view.severity],
    ['service', view.service],
    ['from', isRun ? `${view.source}, check ${view.receiver}` : `${view.source}, receiver ${view.receiver}`],
    ['alerts', isRun ? null : `${view.alertCount}${cutOff}; told again ${view.repeats}×`],
    ['started', view.startsAt],
    ['opened', view.openedAt],
    [isRun ? 'over' : 'resolved', end],
    ['history', view.history],
    ['storm', view.storm && `${view.storm} (rootnote incidents show ${view.storm})`],
    ['covered', covered || null],
    ['report', view.report],
    ['link', view.link],
  ]);
  const decided = view.decisions.map(({ at, decision, reason }) =>
    `  ${at}  ${decision.padEnd(13)} ${oneLine(reason)}`.trimEnd(),
  );
  const members = view.covers === 0 ? [] : [`Investigated with it (${view.covers}):`, ...view.members.map(memberLine)];
  return [
    `${oneLine(view.title)}  (${view.id})`,
    ...lines,
    ...members,
    ...toldLines(deliveries),
    'Decisions:',
    ...decided,
    '',
  ].join('\n');
}

/** A storm: how it stands, each incident that no other covers, with those that it covers, and what was told of it. */
export function printStorm(storm: StormView, deliveries: readonly DeliveryRecord[]): string {
  const lines = factLines([
    ['state', storm.overAt === null ? 'on' : `over since ${storm.overAt}`],
    ['began', storm.startedAt],
    ['latest', storm.updatedAt],
    ['incidents', `${numbersOf(storm)}; ${counted(storm.alerts, 'alert')}`],
  ]);
  const own = storm.investigations.flatMap(investigationLines);
  return [`Alert storm  (${storm.id})`, ...lines, 'Gravest first:', ...own, ...toldLines(deliveries), ''].join('\n');
}

function toldLines(deliveries: readonly DeliveryRecord[]): readonly string[] {
  return deliveries.length === 0 ? [] : ['Told:', ...printDeliveries(deliveries).map((line) => `  ${line}`)];
}

function investigationLines(one: StormView['investigations'][number]): readonly string[] {
  const others = one.covers > 0 ? `, with ${counted(one.covers, 'other')}` : '';
  return [
    `  ${one.incidentId}  ${one.state.replace('-', ' ')}${one.isFiring ? '' : ', resolved'}${others}  ${titleOf(one)}`,
    ...(one.summary === undefined ? [] : [`    ${oneLine(one.summary)}`]),
    ...one.members.slice(0, MOST_SHOWN).map((member) => `    ${memberLine(member)}`),
    ...(one.covers > MOST_SHOWN
      ? [`      … and ${one.covers - MOST_SHOWN} more, see rootnote incidents show ${one.incidentId}`]
      : []),
  ];
}

function memberLine(member: MemberView): string {
  return `  ${member.id}  ${member.state}  ${titleOf(member)}`;
}

function titleOf({
  severity,
  title,
}: {
  readonly severity?: string | null | undefined;
  readonly title: string;
}): string {
  return `${severity ? `[${oneLine(severity)}] ` : ''}${oneLine(title)}`;
}

function factLines(facts: Facts): readonly string[] {
  return facts.flatMap(([name, value]) => (value === null ? [] : `  ${name.padEnd(9)} ${oneLine(value)}`));
}
