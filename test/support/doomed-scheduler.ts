import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '../../src/platform/logger.ts';
import { openReceiverRedis } from '../../src/platform/redis.ts';
import { planJob } from '../../src/schedule/decide-ticks.ts';
import { createScheduler } from '../../src/schedule/scheduler.ts';
import { createCheckStore } from '../../src/sessions/check-store.ts';
import { makeJob } from './check-jobs.ts';

/**
 * A scheduler to be killed. Its clock stands in Redis (`<prefix>:clock`); it beats once for each time, and adds one to `<prefix>:beaten:<time>`.
 * `stopAt`: it stops for good before it hands a tick in (`decided`), or right after (`handed-in`), and says so.
 */
const { socketPath = '', prefix = '', stopAt } = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>;
const redis = openReceiverRedis({ socketPath }, silentLogger());
await new Promise((resolve) => redis.once('ready', resolve));

const store = createCheckStore(redis, prefix);
const stop = async (step: string) => {
  if (step !== stopAt) return;
  process.stdout.write(`stopped at ${step}\n`);
  await sleep(600_000);
};
let nowMs = 0;
const scheduler = createScheduler([planJob(makeJob())], {
  store: {
    nowMs: () => Promise.resolve(nowMs),
    readTicks: (name) => store.readTicks(name),
    advance: async (...change) => {
      await stop('decided');
      const isFirst = await store.advance(...change);
      await stop('handed-in');
      return isFirst;
    },
  },
  now: () => nowMs,
  maxRunMs: () => 0,
  onTicks: () => undefined,
  log: silentLogger(),
});

for (;;) {
  const clockMs = Number(await redis.get(`${prefix}:clock`));
  if (clockMs > nowMs) {
    nowMs = clockMs;
    await scheduler.beat();
    await redis.incr(`${prefix}:beaten:${clockMs}`);
  }
  await sleep(2);
}
