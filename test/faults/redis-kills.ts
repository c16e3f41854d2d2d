import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { alertOf, alertsOf } from './alerts.ts';
import { inHouse, type House } from './house.ts';
import type { Outcome, Trial } from './scenario.ts';
import { answersWith, slowest } from './sender.ts';
import { drain } from './vital-signs.ts';

const STANDSTILL_MS = 120_000;
/** Writers pause so long at most between two alerts. */
const PAUSE_MS = 100;

/** R3, R4: kill -9 of Redis under writers. What was acknowledged is there afterwards. */
export function killRedis(appendFsync: 'everysec' | 'always') {
  return ({ counts, random, topology, say }: Trial): Promise<Outcome> =>
    inHouse({ random, topology, redis: { appendFsync } }, async (house) => {
      const door = await house.start('serve');
      await Promise.all([house.start('work'), house.start('work')]);
      const alerts = alertsOf(appendFsync, counts.writers * counts.alertsAWriter);
      const beganMs = Date.now();
      const sent: Promise<void>[] = [];
      const backMs: number[] = [];
      for (let kill = 1; kill <= counts.redisKills; kill++) {
        const volley = alerts.filter((_, index) => index % counts.redisKills === kill - 1);
        const before = house.sender.taken();
        sent.push(house.sender.sendAll(volley, counts.writers, PAUSE_MS));
        const isUnderWay = () => house.sender.taken() >= before + volley.length / 4;
        await eventually('writers get on', isUnderWay, Boolean, STANDSTILL_MS);
        await house.redis.kill();
        await sleep(100 + random() * 400);
        await house.redis.restart();
        const upAtMs = Date.now();
        await eventually(
          'the receiver is back',
          () => door.status('/readyz'),
          (status) => status === 200,
        );
        backMs.push(Date.now() - upAtMs);
        say(`${kill} kills of Redis, ${house.sender.taken()} of ${alerts.length} alerts taken in`);
      }
      await Promise.all(sent);
      const seconds = (Date.now() - beganMs) / 1000;
      await drain(house);
      // What was acknowledged is still known: sent again, none of it makes an incident or a report of its own (`vitalSigns` counts them).
      await sendAgain(house);
      return {
        seen: {
          kills: counts.redisKills,
          writers: counts.writers,
          'alerts acked': house.sender.taken(),
          reports: house.board.reports('webhook').size,
          'answers 503': answersWith(house.sender.ledger, 503),
          'slowest 503, ms': slowest(house.sender.ledger, 503),
          'receiver ready after Redis, ms at most': Math.max(...backMs),
          'alerts acked a second': Math.round(alerts.length / seconds),
        },
        failures: await house.vitalSigns(),
      };
    });
}

/** Everything once more, and one new alert at the end: when that is reported, the others have been looked at. */
async function sendAgain(house: House): Promise<void> {
  for (const { alert } of house.sender.ledger) await house.sender.ask(alert);
  await house.sender.send(alertOf('last'));
  await drain(house);
}
