import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { PLANTED } from './alerts.ts';
import type { House } from './house.ts';
import { storedIncidents, type StoredIncident } from './incidents.ts';

/** A process may say so much at its start and end, about each alert it has to do with, and about each request. */
const LOG_BYTES_A_PROCESS = 50_000;
const LOG_BYTES_AN_ALERT = 10_000;
const LOG_BYTES_A_REQUEST = 500;
const MAX_SHOWN = 5;
/** Only for what is broken: when not one report more comes for so long, the missing ones do not come. */
const STANDSTILL_MS = 150_000;
/** The store may learn a little later than the destination that all is done. */
const END_WAIT_MS = 2000;
const MAX_WAITS = 30;
const ENDS: ReadonlySet<string> = new Set(['reported', 'gave-up']);

/** Waits until every alert that was taken in has a report at every destination. Says nothing when that does not happen: `vitalSigns` does. */
export async function drain(house: House, standstillMs = STANDSTILL_MS): Promise<void> {
  const countMissing = () => house.destinations.flatMap((name) => unreported(house, house.board.reports(name))).length;
  for (let missing = countMissing(), left = 0; missing > 0; missing = left) {
    const isFewer = () => (left = countMissing()) < missing;
    if (!(await eventually('a report', isFewer, Boolean, standstillMs).catch(() => false))) return;
  }
}

/**
 * What must be after every scenario, by the names of the alerts: every one taken in has one incident that has come to its end, and one visible report at
 * each destination, nobody crashed or left a rejection unhandled, logs are bounded and know no secret. One line a fault. Needs a Redis that runs.
 */
export async function vitalSigns(house: House): Promise<readonly string[]> {
  return [
    ...judgeAlerts(house),
    ...(await judgeIncidents(house)),
    ...house.destinations.flatMap((name) => judgeReports(house, name)),
    ...judgeProcesses(house),
  ];
}

function judgeAlerts({ sender }: House): readonly string[] {
  const refused = sender.ledger.filter((entry) => entry.refused).length;
  const pending = sender.ledger.filter((entry) => !entry.taken && !entry.refused).length;
  return [
    ...(refused > 0 ? [`${refused} alerts were refused with a 4xx`] : []),
    ...(pending > 0 ? [`${pending} alerts were never taken in`] : []),
  ];
}

async function judgeIncidents(house: House): Promise<readonly string[]> {
  const taken = takenIn(house);
  const lacking = (known: readonly StoredIncident[]) => {
    const ended = new Set(known.flatMap(({ name, stage }) => (ENDS.has(stage) ? [name] : [])));
    return [...taken].filter((name) => !ended.has(name));
  };
  let known = await storedIncidents(house.redis);
  for (let waits = 0; waits < MAX_WAITS && lacking(known).length > 0; waits++) {
    await sleep(END_WAIT_MS);
    known = await storedIncidents(house.redis);
  }
  const names = known.map(({ name }) => name);
  const stages = new Map(known.map(({ name, id, stage }) => [name, `${name} (${id} is ${stage})`]));
  return [
    ...tell(
      lacking(known).map((name) => stages.get(name) ?? name),
      'alerts have no incident that came to its end',
    ),
    ...tell(repeated(names), 'alerts have more than one incident'),
    ...tell(
      names.filter((name) => !taken.has(name)),
      'incidents of alerts that nobody sent',
    ),
  ];
}

function judgeReports(house: House, name: House['destinations'][number]): readonly string[] {
  const reports = house.board.reports(name);
  const taken = takenIn(house);
  const twice = [...reports].flatMap(([alert, count]) => (count > 1 ? [`${alert} (${count})`] : []));
  const unknown = [...reports.keys()].filter((alert) => !taken.has(alert) && !alert.startsWith('check_'));
  return [
    ...tell(unreported(house, reports), `alerts LOST at ${name}`),
    ...tell(twice, `alerts reported TWICE at ${name}`),
    ...tell(unknown, `reports at ${name} on alerts that nobody sent`),
  ];
}

function judgeProcesses({ members, sender, board }: House): readonly string[] {
  const secrets = {
    planted: PLANTED,
    'the Slack token': board.slack.token,
    'the signing secret': board.webhook.secret,
  };
  const limit =
    LOG_BYTES_A_PROCESS +
    LOG_BYTES_AN_ALERT * (sender.ledger.length + board.reports('webhook').size) +
    LOG_BYTES_A_REQUEST * sender.requests();
  return members.flatMap((member) => {
    const output = member.child.output();
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

const takenIn = ({ sender }: House): ReadonlySet<string> =>
  new Set(sender.ledger.flatMap(({ alert, taken }) => (taken ? [alert.name] : [])));

const unreported = (house: House, reports: ReadonlyMap<string, number>): readonly string[] =>
  [...takenIn(house)].filter((name) => !reports.has(name));

const repeated = (names: readonly string[]): readonly string[] =>
  names.filter((name, index) => names.indexOf(name) !== index);

/** One line with some of them, or none when there are none. */
function tell(list: readonly string[], what: string): readonly string[] {
  if (list.length === 0) return [];
  return [`${list.length} ${what}: ${list.slice(0, MAX_SHOWN).join(', ')}${list.length > MAX_SHOWN ? ', …' : ''}`];
}
