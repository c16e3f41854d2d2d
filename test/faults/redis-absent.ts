import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { alertsOf, type TestAlert } from './alerts.ts';
import { inHouse, type House } from './house.ts';
import type { Outcome, Trial } from './scenario.ts';
import { memoryMb } from './soak.ts';
import { drain } from './vital-signs.ts';

const WRITERS = 10;
const PAUSE_MS = 40;
/** An offline queue that grows under thousands of requests is far above this; a heap that warms up is not. */
const MEMORY_LIMIT_MB = 200;

/** R6: Redis is not there when everything starts, and away once more later. */
export function removeRedis({ counts, random, topology, say }: Trial): Promise<Outcome> {
  return inHouse({ random, topology }, async (house) => {
    await house.redis.kill();
    const door = await house.start('serve', {}, { until: 'alive' });
    const worker = await house.start('work', {}, { until: 'alive' });
    const atBoot = await knockWhileAway(house, alertsOf('boot', WRITERS), counts.absentMs / 6);
    const recoveries = [await bringBack(house)];
    await house.sender.sendAll(alertsOf('boot', WRITERS), WRITERS);

    await house.redis.kill();
    const beforeMb = await memoryMb(door);
    const later = await knockWhileAway(house, alertsOf('later', WRITERS), counts.absentMs);
    const growthMb = (await memoryMb(door)) - beforeMb;
    say(`${later.requests} requests in ${counts.absentMs} ms without Redis`);
    recoveries.push(await bringBack(house));
    await house.sender.sendAll(alertsOf('later', WRITERS), WRITERS);
    await drain(house);
    return {
      seen: {
        'away, ms': counts.absentMs,
        'requests without Redis': atBoot.requests + later.requests,
        'slowest 503, ms': Math.max(atBoot.slowestMs, later.slowestMs),
        'memory growth, MB': growthMb,
        'ready after Redis, ms at most': Math.max(...recoveries),
        reports: house.board.reports('webhook').size,
      },
      failures: [
        ...atBoot.failures,
        ...later.failures,
        ...(growthMb > MEMORY_LIMIT_MB ? [`the receiver grew by ${growthMb} MB`] : []),
        ...((await worker.status('/readyz')) === 200 ? [] : ['the worker is not ready']),
        ...(await house.vitalSigns()),
      ],
    };
  });
}

/** Sends again and again, as many senders at once as there are alerts. Everything has to be answered 503. */
async function knockWhileAway(house: House, alerts: readonly TestAlert[], forMs: number) {
  const untilMs = Date.now() + forMs;
  const answers: { readonly status: number | undefined; readonly ms: number }[] = [];
  await Promise.all(
    alerts.map(async (alert) => {
      while (answers.length < alerts.length || Date.now() < untilMs) {
        answers.push(await house.sender.ask(alert));
        await sleep(PAUSE_MS);
      }
    }),
  );
  const wrong = answers.filter(({ status }) => status !== 503);
  const live = await house.door?.status('/healthz');
  const ready = await house.door?.status('/readyz');
  return {
    requests: answers.length,
    slowestMs: Math.max(...answers.map(({ ms }) => ms)),
    failures: [
      ...(wrong.length > 0 ? [`${wrong.length} requests were answered ${wrong[0]?.status} instead of 503`] : []),
      ...(live === 200 ? [] : [`/healthz was ${live} without Redis`]),
      ...(ready === 503 ? [] : [`/readyz was ${ready} without Redis`]),
    ],
  };
}

/** Starts Redis. How long until the receiver is ready, ms. */
async function bringBack({ redis, door }: House): Promise<number> {
  await redis.restart();
  const backMs = Date.now();
  await eventually(
    'ready again',
    () => door?.status('/readyz'),
    (status) => status === 200,
  );
  return Date.now() - backMs;
}
