import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { alertsOf } from './alerts.ts';
import { inHouse, type House } from './house.ts';
import type { Member } from './process.ts';
import { recoveries } from './recovery.ts';
import type { Outcome, Trial } from './scenario.ts';
import { drain } from './vital-signs.ts';

const WORKERS = 3;
const WRITERS = 10;
/** Longest wait between the moment a kill is due and the kill. */
const LATEST_KILL_MS = 300;
const STANDSTILL_MS = 120_000;

/** R1: kill -9 of a random worker, again and again, while alerts come in. */
export function killWorkers({ counts, random, say }: Trial): Promise<Outcome> {
  return inHouse({ random }, async (house) => {
    await house.start('serve');
    const crew = await Promise.all(Array.from({ length: WORKERS }, () => house.start('work')));
    const alerts = alertsOf('kill', counts.killedJobs);
    const sent = sendAlong(house, alerts);
    const killedAtMs = new Map<Member, number>();
    for (let kill = 1; kill <= counts.workerKills; kill++) {
      // Spread over the work; the last tenth is left to be done in peace.
      const due = Math.floor((0.9 * kill * counts.killedJobs) / counts.workerKills);
      await eventually(
        `the work gets as far as kill ${kill}`,
        () => house.board.reports('webhook').size,
        (reports) => reports >= due - 10,
        STANDSTILL_MS,
      );
      await sleep(random() * LATEST_KILL_MS);
      const place = Math.floor(random() * crew.length);
      const victim = crew[place];
      if (!victim) throw new Error('there is no worker to kill');
      killedAtMs.set(victim, Date.now());
      await victim.kill();
      crew[place] = await house.start('work', {}, { until: 'started' });
      if (kill % 10 === 0) say(`${kill} kills, ${house.board.reports('webhook').size} reports`);
    }
    await sent;
    await drain(house);
    const recovered = recoveries(house.members, killedAtMs);
    return {
      seen: {
        kills: counts.workerKills,
        alerts: alerts.length,
        reports: house.board.reports('webhook').size,
        'posts repeated under their id': house.board.webhook.requests.length - house.board.reports('webhook').size,
        'investigations cut': recovered.length,
        'slowest recovery, ms': Math.max(0, ...recovered),
      },
      failures: house.vitalSigns(),
    };
  });
}

/** Keeps some alerts ahead of the workers instead of all at once, so that alerts come in during the kills, too. */
async function sendAlong(house: House, alerts: ReturnType<typeof alertsOf>): Promise<void> {
  const ahead = 60;
  for (let from = 0; from < alerts.length; from += WRITERS) {
    await eventually(
      'the workers follow',
      () => house.sender.taken() - house.board.reports('webhook').size,
      (waiting) => waiting < ahead,
      STANDSTILL_MS * 3,
    );
    await house.sender.sendAll(alerts.slice(from, from + WRITERS), WRITERS);
  }
}
