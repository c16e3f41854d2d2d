import { setTimeout as sleep } from 'node:timers/promises';
import { pick } from '../../bench/seeded-random.ts';
import { eventually } from '../support/eventually.ts';
import { alertsOf } from './alerts.ts';
import { inHouse, type House } from './house.ts';
import type { Member } from './process.ts';
import { recoveries } from './recovery.ts';
import type { Outcome, Trial } from './scenario.ts';
import { standby } from './standby.ts';
import { drain } from './vital-signs.ts';

const WORKERS = 3;
/** Starting or started beside those. */
const AHEAD = 2;
const WRITERS = 10;
/** Alerts, at most. */
const AHEAD_OF_WORK = 60;
const AHEAD_OF_KILLS = 20;
/** So often two die at once. */
const SHARE_OF_PAIRS = 0.25;
/** Longest wait between the moment a kill is due and the kill. */
const LATEST_KILL_MS = 300;
const STANDSTILL_MS = 120_000;

/** R1: kill -9 of random workers, again and again, while alerts come in. */
export function killWorkers({ counts, random, topology, say }: Trial): Promise<Outcome> {
  return inHouse({ random, topology }, async (house) => {
    await house.start('serve');
    const hire = standby(WORKERS + counts.workerKills, AHEAD, () => house.start('work', {}, { until: 'alive' }));
    const crew = await Promise.all(Array.from({ length: WORKERS }, hire));
    const alerts = alertsOf('kill', counts.killedJobs);
    const killedAtMs = new Map<Member, number>();
    const aKill = counts.killedJobs / counts.workerKills;
    const sent = sendAlong(house, alerts, () => aKill * (killedAtMs.size + 1) + AHEAD_OF_KILLS);
    while (killedAtMs.size < counts.workerKills) {
      // Spread over the work; the last tenth is left to be done in peace.
      const due = Math.floor(0.9 * aKill * (killedAtMs.size + 1));
      await eventually(
        `the work gets as far as kill ${killedAtMs.size + 1}`,
        () => house.board.reports('webhook').size,
        (reports) => reports >= due - 10,
        STANDSTILL_MS,
      );
      await sleep(random() * LATEST_KILL_MS);
      const together = random() < SHARE_OF_PAIRS ? 2 : 1;
      const victims = takeSome(crew, Math.min(together, counts.workerKills - killedAtMs.size), random);
      for (const victim of victims) killedAtMs.set(victim, Date.now());
      await Promise.all(victims.map((victim) => victim.kill()));
      for (const _ of victims) crew.push(await hire());
      if (killedAtMs.size % 10 < victims.length)
        say(`${killedAtMs.size} kills, ${house.board.reports('webhook').size} reports`);
    }
    await sent;
    await drain(house);
    const recovered = recoveries(house.members, killedAtMs).toSorted((a, b) => a - b);
    return {
      seen: {
        kills: killedAtMs.size,
        alerts: alerts.length,
        reports: house.board.reports('webhook').size,
        'posts repeated under their id': house.board.webhook.requests.length - house.board.reports('webhook').size,
        'investigations cut': recovered.length,
        'recovery p50, ms': recovered[Math.floor(recovered.length / 2)] ?? 0,
        'recovery p99, ms': recovered[Math.ceil(recovered.length * 0.99) - 1] ?? 0,
      },
      failures: await house.vitalSigns(),
    };
  });
}

/** Takes so many out of the list. */
function takeSome(list: Member[], count: number, random: () => number): readonly Member[] {
  return Array.from({ length: count }, () => {
    const chosen = pick(random, list);
    list.splice(list.indexOf(chosen), 1);
    return chosen;
  });
}

/** Keeps some alerts ahead of workers and kills instead of all at once, so that alerts come in and are worked on during all of the kills. */
async function sendAlong(house: House, alerts: ReturnType<typeof alertsOf>, allowed: () => number): Promise<void> {
  for (let from = 0; from < alerts.length; from += WRITERS) {
    await eventually(
      'workers and kills follow',
      () => from < allowed() && house.sender.taken() - house.board.reports('webhook').size < AHEAD_OF_WORK,
      Boolean,
      STANDSTILL_MS * 3,
    );
    await house.sender.sendAll(alerts.slice(from, from + WRITERS), WRITERS);
  }
}
