import { setTimeout as sleep } from 'node:timers/promises';
import { alertsOf } from './alerts.ts';
import { inHouse } from './house.ts';
import type { Outcome, Trial } from './scenario.ts';
import { answersWith, slowest } from './sender.ts';
import { drain } from './vital-signs.ts';

/** The deadline that is promised is 2.5 s; on a machine that is busy with other tests it is only reported. */
const HANGS_MS = 15_000;

/** R5: Redis takes connections and commands and answers none of them, under load. With Sentinels another server takes over, and the thawed one finds out. */
export function freezeRedis({ counts, random, topology, say }: Trial): Promise<Outcome> {
  return inHouse({ random, topology }, async (house) => {
    const door = await house.start('serve');
    await Promise.all([house.start('work'), house.start('work')]);
    const alerts = alertsOf('frozen', counts.writers * counts.alertsAWriter);
    const [before, during] = [alerts.slice(0, counts.writers), alerts.slice(counts.writers)];
    await house.sender.sendAll(before, counts.writers);

    await house.redis.pause();
    const sent = house.sender.sendAll(during, counts.writers);
    await sleep(counts.frozenMs);
    const taken = house.sender.taken() - before.length;
    const probes = { live: await door.status('/healthz'), ready: await door.status('/readyz') };
    await house.redis.resume();
    say(`thawed after ${counts.frozenMs} ms; ${answersWith(house.sender.ledger, 503)} requests were answered 503`);
    await sent;
    await drain(house);
    const ledger = house.sender.ledger;
    const slowestMs = Math.max(slowest(ledger, 503), 0);
    const isAlone = topology !== 'sentinel';
    return {
      seen: {
        'frozen, ms': counts.frozenMs,
        alerts: alerts.length,
        'answers 503': answersWith(ledger, 503),
        'slowest 503, ms': slowestMs,
        'no answer': answersWith(ledger, undefined),
        reports: house.board.reports('webhook').size,
      },
      failures: [
        ...(isAlone && taken > 0 ? [`${taken} alerts were acknowledged while nothing could be stored`] : []),
        ...(answersWith(ledger, 503) === 0 ? ['nobody was told 503'] : []),
        ...(answersWith(ledger, undefined) > 0 ? ['requests were left without an answer'] : []),
        ...(slowestMs > HANGS_MS ? [`a request hung for ${slowestMs} ms`] : []),
        ...(probes.live === 200 ? [] : [`/healthz was ${probes.live}`]),
        ...(!isAlone || probes.ready === 503 ? [] : [`/readyz was ${probes.ready}`]),
        ...(await house.vitalSigns()),
      ],
    };
  });
}
