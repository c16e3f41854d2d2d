import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import type { Job } from '../../src/domain/check.ts';
import type { PendingJob } from '../../src/intake/admission.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openReceiverRedis } from '../../src/platform/redis.ts';
import { createIncidentQueue } from '../../src/queue/incident-queue.ts';
import { sweepOutbox } from '../../src/queue/outbox-sweep.ts';
import { checkId, planJob } from '../../src/schedule/decide-ticks.ts';
import { createScheduler, type Scheduler } from '../../src/schedule/scheduler.ts';
import { startBeats } from '../../src/schedule/start-beats.ts';
import { createOutbox } from '../../src/sessions/admission/admission-store.ts';
import { createCheckStore } from '../../src/sessions/check-store.ts';
import { createIncidentStore } from '../../src/sessions/incident-store.ts';
import { makeJob } from '../support/check-jobs.ts';
import { startChild, type Child } from '../support/child.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { REDIS } from '../support/programs.ts';
import { useRedis } from '../support/use-redis.ts';

const suite = await describeIf(REDIS);
const MINUTE_MS = 60_000;
const START = Date.parse('2026-11-29T10:00:00Z');
const REPLICAS = 5;
const TICKS = 60;

suite('D5: many schedulers, one Redis, a clock of the test', () => {
  const used = useRedis();
  const connections: Redis[] = [];
  const children: Child[] = [];
  const handedIn: PendingJob[] = [];
  const timesOf = (count: number) => Array.from({ length: count }, (_, number) => START + number * MINUTE_MS);

  afterEach(async () => {
    handedIn.splice(0);
    await Promise.all(children.splice(0).map((child) => child.kill()));
    for (const connection of connections.splice(0)) connection.disconnect();
  });

  /** A scheduler on a connection of its own, as in a process of its own. */
  async function openScheduler(
    now: () => number,
    { jobs = [makeJob()], outcomes = [], maxRunMs = 0 }: SchedulerOptions = {},
  ): Promise<Scheduler> {
    const redis = openReceiverRedis(used.server.target, silentLogger());
    connections.push(redis);
    await new Promise((resolve) => redis.once('ready', resolve));
    return createScheduler(jobs.map(planJob), {
      store: {
        ...createCheckStore(redis, used.prefix, (job) => handedIn.push(job)),
        nowMs: () => redis.ping().then(now),
      },
      now,
      maxRunMs: () => maxRunMs,
      onTicks: (outcome, count) => outcomes.push(...Array.from({ length: count }, () => outcome)),
      log: silentLogger(),
    });
  }

  /** Ids of what workers would run, after they have looked for what is not queued. */
  async function runs(): Promise<readonly string[]> {
    const queue = createIncidentQueue(used.redis, used.prefix, silentLogger());
    await sweepOutbox(createOutbox(used.redis, used.prefix), queue, -1000);
    await queue.close();
    const key = `${used.prefix}:incidents`;
    const queued = await used.redis.zrange(`${key}:prioritized`, 0, '-1');
    return queued.map((id) => id.replace('investigate_', '')).toSorted();
  }

  const idsAt = (times: readonly number[], name = 'golden') => times.map((ms) => checkId(name, ms));

  test(`${REPLICAS} schedulers × ${TICKS} ticks of three checks: ${TICKS} runs each`, async () => {
    let nowMs = START;
    const outcomes: string[] = [];
    const jobs = ['golden', 'disks', 'backups'].map((name) => makeJob({ name }));
    // Clocks are never quite the same.
    const schedulers = await Promise.all(
      Array.from({ length: REPLICAS }, (_, n) => openScheduler(() => nowMs + n * 7000, { jobs, outcomes })),
    );
    for (nowMs of timesOf(TICKS)) await Promise.all(schedulers.map((scheduler) => scheduler.beat()));
    expect(await runs()).toEqual(jobs.flatMap(({ name }) => idsAt(timesOf(TICKS), name)).toSorted());
    expect(outcomes).toEqual(Array.from({ length: 3 * TICKS }, () => 'run'));
    expect(await createIncidentStore(used.redis, used.prefix).getIncident(idsAt([START])[0] ?? '')).toMatchObject({
      kind: 'check',
      check: { job: { name: 'golden' }, lateMs: 0, unrun: [] },
    });
  });

  function startDoomed(stopAt?: string): Promise<Child> {
    const program = fileURLToPath(new URL('../support/doomed-scheduler.ts', import.meta.url));
    const loader = fileURLToPath(new URL('../support/typescript-loader.mjs', import.meta.url));
    const settings = JSON.stringify({ ...used.server.target, prefix: used.prefix, stopAt });
    return startChild(process.execPath, ['--import', loader, program, settings]).then((child) => {
      children.push(child);
      return child;
    });
  }

  test('kills of schedulers in between lose none and double none', async () => {
    const alive = await Promise.all(Array.from({ length: REPLICAS }, () => startDoomed()));
    const random = randomFrom(7);
    let kills = 0;
    for (const nowMs of timesOf(TICKS)) {
      await used.redis.set(`${used.prefix}:clock`, nowMs);
      if (nowMs !== START && random() < 0.1) {
        // In the middle of the beat, as likely as not.
        await new Promise((resolve) => setTimeout(resolve, random() * 4));
        const victim = alive.splice(Math.floor(random() * alive.length), 1)[0];
        await victim?.kill();
        kills += 1;
        alive.push(await startDoomed());
      }
      await eventually(
        'a scheduler has beaten',
        () => used.redis.get(`${used.prefix}:beaten:${nowMs}`),
        (beaten) => Number(beaten) >= 1,
        30_000,
      );
    }
    expect(kills).toBeGreaterThan(3);
    expect(await runs()).toEqual(idsAt(timesOf(TICKS)));
  });

  test.each(['decided', 'handed-in'])(
    'the only scheduler, killed when a tick is %s: the next one makes it one run',
    async (step) => {
      const child = await startDoomed(step);
      await used.redis.set(`${used.prefix}:clock`, START);
      await eventually(
        'it has stopped',
        () => child.output(),
        (output) => output.includes(`stopped at ${step}`),
        30_000,
      );
      await child.kill();
      const next = await openScheduler(() => START + 20_000);
      await next.beat();
      expect(await runs()).toEqual(idsAt([START]));
    },
  );

  test('20 schedulers that boot at the same moment: none fails, and the tick of their minute is one run', async () => {
    const failures: unknown[] = [];
    const log = Object.assign(silentLogger(), { warn: (...line: unknown[]) => failures.push(line) });
    const nowMs = START + 1500;
    const schedulers = await Promise.all(Array.from({ length: 20 }, () => openScheduler(() => nowMs)));
    const decided: number[] = [];
    const beats = schedulers.map((scheduler, n) => startBeats(scheduler, log, () => decided.push(n)));
    await Promise.all(beats.map((one) => one.stop()));
    expect([decided.length, failures]).toEqual([20, []]);
    expect(await runs()).toEqual(idsAt([START]));
  });

  test('while Redis is away nothing is decided; when it is back the newest tick runs and tells the others', async () => {
    let nowMs = START;
    const outcomes: string[] = [];
    const scheduler = await openScheduler(() => nowMs, { outcomes });
    // A busy disk may keep back what was answered.
    await used.redis.config('SET', 'appendfsync', 'always');
    await scheduler.beat();
    await used.server.kill();
    for (nowMs of timesOf(4).slice(1)) await expect(scheduler.beat()).rejects.toThrow();
    await expect(scheduler.beat()).rejects.toThrow();
    await used.server.restart();
    nowMs = START + 4.5 * MINUTE_MS;
    await eventually(
      'a beat succeeds',
      () =>
        scheduler.beat().then(
          () => true,
          () => false,
        ),
      Boolean,
    );
    // Three minutes in which they could not be decided; then four ticks, of which one runs.
    expect(outcomes.slice(0, 4)).toEqual(['run', 'failed', 'failed', 'failed']);
    expect(outcomes.filter((one) => one !== 'failed')).toEqual(['run', 'missed', 'missed', 'missed', 'run']);
    expect(await runs()).toEqual(idsAt([START, START + 4 * MINUTE_MS]));
  });

  test('a hand-in that Redis does after it was given up on is not done again', async () => {
    const scheduler = await openScheduler(() => START);
    used.server.pause();
    const given = scheduler.beat();
    await expect(given).rejects.toThrow('timed out');
    used.server.resume();
    await Promise.all(Array.from({ length: 3 }, () => scheduler.beat()));
    expect(await runs()).toEqual(idsAt([START]));
  });

  test('a run that is handed in can be queued at once, as the sweep would', async () => {
    const scheduler = await openScheduler(() => START);
    await scheduler.beat();
    expect(handedIn).toEqual([{ kind: 'investigate', incidentId: idsAt([START])[0], priority: 15 }]);
    const outbox = createOutbox(used.redis, used.prefix);
    expect(await outbox.overdue(-1000, 10)).toEqual(handedIn);
    await outbox.settle(handedIn);
    expect(await outbox.overdue(-1000, 10)).toEqual([]);
  });

  test('a run that is known is not run again when what was decided is forgotten', async () => {
    const scheduler = await openScheduler(() => START);
    await scheduler.beat();
    expect(await runs()).toEqual(idsAt([START]));
    await used.redis.del(`${used.prefix}:check-ticks:golden`);
    handedIn.splice(0);
    await scheduler.beat();
    expect(handedIn).toEqual([]);
    expect(await createOutbox(used.redis, used.prefix).overdue(-1000, 10)).toEqual([]);
    await scheduler.beat();
    expect(await used.redis.exists(`${used.prefix}:check-ticks:golden`)).toBe(1);
  });

  test('what is kept of a check and cannot be read makes it begin anew, and keeps no other from running', async () => {
    const jobs = [makeJob({ name: 'broken' }), makeJob({ name: 'golden' })];
    await used.redis.set(`${used.prefix}:check-ticks:broken`, '{"throughMs":');
    const scheduler = await openScheduler(() => START, { jobs });
    await scheduler.beat();
    expect(await runs()).toEqual([...idsAt([START], 'broken'), ...idsAt([START], 'golden')]);
  });

  test('a run that has not ended lets the next tick be skipped; one that has ended, or was given up, does not', async () => {
    let nowMs = START;
    const outcomes: string[] = [];
    const scheduler = await openScheduler(() => nowMs, { outcomes, maxRunMs: 60 * MINUTE_MS });
    const incidents = createIncidentStore(used.redis, used.prefix);
    const results = createCheckStore(used.redis, used.prefix);
    const [first = '', , third = ''] = idsAt(timesOf(6));
    const beatAt = async (number: number) => {
      nowMs = START + number * MINUTE_MS;
      await scheduler.beat();
    };
    await beatAt(0);
    await incidents.noteProgress(first, 'investigating', nowMs);
    await beatAt(1);
    await incidents.noteProgress(first, 'reported', nowMs);
    await beatAt(2);
    const tickMs = START + 2 * MINUTE_MS;
    await results.noteResult('golden', {
      tickMs,
      endedAtMs: tickMs,
      status: 'healthy',
      reportId: 'r',
      confidence: 1,
      summary: 'All is well.',
      signature: '',
    });
    await beatAt(3);
    await beatAt(4);
    expect(outcomes).toEqual(['run', 'skipped_overlap', 'run', 'run', 'skipped_overlap']);
    expect((await incidents.getIncident(third))?.check?.unrun).toEqual([
      { why: 'overlap', count: 1, fromMs: START + MINUTE_MS, toMs: START + MINUTE_MS },
    ]);
  });
});

interface SchedulerOptions {
  readonly jobs?: readonly Job[];
  readonly outcomes?: string[];
  readonly maxRunMs?: number;
}

/** Numbers from 0 to 1, the same at every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
