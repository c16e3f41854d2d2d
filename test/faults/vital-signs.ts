import { eventually } from '../support/eventually.ts';
import { PLANTED } from './alerts.ts';
import type { House } from './house.ts';

/** A process may say so much at its start and end, about each alert it has to do with, and about each request. */
const LOG_BYTES_A_PROCESS = 50_000;
const LOG_BYTES_AN_ALERT = 10_000;
const LOG_BYTES_A_REQUEST = 500;
const MAX_SHOWN = 5;
/** Only for what is broken: when not one report more comes for so long, the missing ones do not come. */
const STANDSTILL_MS = 150_000;

/** Waits until every alert that was taken in has a report at every destination. Says nothing when that does not happen: `vitalSigns` does. */
export async function drain(house: House, standstillMs = STANDSTILL_MS): Promise<void> {
  const countMissing = () => house.destinations.flatMap((name) => unreported(house, house.board.reports(name))).length;
  for (let missing = countMissing(), left = 0; missing > 0; missing = left) {
    const isFewer = () => (left = countMissing()) < missing;
    if (!(await eventually('a report', isFewer, Boolean, standstillMs).catch(() => false))) return;
  }
}

/**
 * What must be after every scenario: every alert taken in has one incident and one visible report at each destination, nobody crashed or left a rejection
 * unhandled, logs are bounded and know no secret. One line a fault.
 */
export function vitalSigns(house: House): readonly string[] {
  return [
    ...judgeAlerts(house),
    ...house.destinations.flatMap((name) => judgeReports(house, name)),
    ...judgeProcesses(house),
  ];
}

function judgeAlerts({ sender }: House): readonly string[] {
  const refused = sender.ledger.filter((entry) => entry.refused).length;
  const pending = sender.ledger.filter(({ incidentId, refused: no }) => incidentId === undefined && !no).length;
  const ids = sender.ledger.flatMap(({ incidentId }) => incidentId ?? []);
  const shared = ids.length - new Set(ids).size;
  return [
    ...(refused > 0 ? [`${refused} alerts were refused with a 4xx`] : []),
    ...(pending > 0 ? [`${pending} alerts were never taken in`] : []),
    ...(shared > 0 ? [`${shared} alerts share an incident with another one`] : []),
  ];
}

function judgeReports(house: House, name: House['destinations'][number]): readonly string[] {
  const reports = house.board.reports(name);
  const lost = unreported(house, reports);
  const twice = [...reports].flatMap(([id, count]) => (count > 1 ? [`${id} (${count})`] : []));
  const acked = new Set(house.sender.ledger.flatMap(({ incidentId }) => incidentId ?? []));
  const unknown = [...reports.keys()].filter((id) => id.startsWith('inc_') && !acked.has(id));
  return [
    ...(lost.length > 0 ? [`${name}: ${lost.length} alerts LOST: ${some(lost)}`] : []),
    ...(twice.length > 0 ? [`${name}: ${twice.length} incidents reported TWICE: ${some(twice)}`] : []),
    ...(unknown.length > 0
      ? [`${name}: ${unknown.length} reports on incidents that nobody sent: ${some(unknown)}`]
      : []),
  ];
}

function judgeProcesses({ members, sender, board }: House): readonly string[] {
  const secrets = {
    planted: PLANTED,
    'the Slack token': board.slack.token,
    'the signing secret': board.webhook.secret,
  };
  return members.flatMap((member) => {
    const output = member.child.output();
    const limit =
      LOG_BYTES_A_PROCESS +
      LOG_BYTES_AN_ALERT * (sender.ledger.length + board.reports('webhook').size) +
      LOG_BYTES_A_REQUEST * sender.requests();
    const who = `${member.role} (pid ${member.child.pid})`;
    return [
      ...(member.crashed() ? [`${who} crashed: ${output.slice(-600)}`] : []),
      ...(/unhandled|uncaught/i.test(output) ? [`${who} left a rejection unhandled`] : []),
      ...(output.length > limit ? [`${who} logged ${output.length} bytes; ${limit} are enough`] : []),
      ...Object.entries(secrets).flatMap(([what, secret]) =>
        output.includes(secret) ? [`${who} logged ${what}`] : [],
      ),
    ];
  });
}

function unreported({ sender }: House, reports: ReadonlyMap<string, number>): readonly string[] {
  return sender.ledger.flatMap(({ incidentId }) =>
    incidentId === undefined || reports.has(incidentId) ? [] : [incidentId],
  );
}

function some(list: readonly string[]): string {
  return `${list.slice(0, MAX_SHOWN).join(', ')}${list.length > MAX_SHOWN ? ', …' : ''}`;
}
