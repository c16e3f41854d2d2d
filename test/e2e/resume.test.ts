import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { seededRandom } from '../../bench/seeded-random.ts';
import { describeIf } from '../support/describe-if.ts';
import { REDIS } from '../support/programs.ts';
import type { TestRedis } from '../support/redis.ts';
import { runTrial } from '../support/resume-trial/trial.ts';

const suite = await describeIf(REDIS);
const silent = () => undefined;
const UNDISTURBED = { kills: 0, random: seededRandom(3), say: silent };
/** Where locks are to be lost by nothing but the end of a process. */
const LONG_LOCK_MS = 4000;
/** Longer than the default lock, and longer than a save is waited for. */
const AWAY_MS = 3000;

async function freeze(redis: TestRedis): Promise<void> {
  redis.pause();
  await sleep(AWAY_MS);
  redis.resume();
}

async function restart(redis: TestRedis): Promise<void> {
  await redis.kill();
  await sleep(AWAY_MS);
  await redis.restart();
}

/** The short form of `npm run bench:resume`. */
suite('workers that end while their investigations have sub-agents', () => {
  test('by kill -9 at random points: every report once and whole, no finished work done again, at most one call of the model repeated after each', async () => {
    const result = await runTrial({
      lockMs: LONG_LOCK_MS,
      investigations: 4,
      kills: 5,
      workers: 4,
      apart: true,
      random: seededRandom(20261130),
      say: silent,
    });
    expect(result).toMatchObject({
      reports: 4,
      duplicateDeliveries: 0,
      damaged: [],
      wentBack: [],
      refusedRequests: [],
    });
    expect(result.mostRepeatedAfterOneKill).toBeLessThanOrEqual(1);
    expect(result.repeatedModelCalls).toBeLessThanOrEqual(result.kills);
  }, 600_000);

  test('R7: by SIGTERM at random points: what they had begun is handed back and goes on elsewhere', async () => {
    const result = await runTrial({
      lockMs: LONG_LOCK_MS,
      investigations: 3,
      kills: 3,
      workers: 2,
      random: seededRandom(7),
      politely: true,
      say: silent,
    });
    expect(result).toMatchObject({
      reports: 3,
      duplicateDeliveries: 0,
      damaged: [],
      wentBack: [],
      refusedRequests: [],
    });
    expect(result.mostRepeatedAfterOneKillInOneInvestigation).toBeLessThanOrEqual(1);
  }, 600_000);

  test.each([
    ['frozen', freeze],
    ['killed and started again on its data', restart],
  ])(
    'R3 R5: with Redis %s in their midst they go on: every report once and whole, and no more calls made again than were on their way',
    async (_name, interrupt) => {
      const result = await runTrial({ ...UNDISTURBED, interrupt, investigations: 3, workers: 2 });
      expect(result).toMatchObject({ reports: 3, duplicateDeliveries: 0, damaged: [], refusedRequests: [] });
      // Locks run out meanwhile, so that jobs are taken over from workers that live: each of two has two agents at work in each of two outages.
      expect(result.repeatedModelCalls).toBeLessThanOrEqual(8);
    },
    400_000,
  );

  test('R11 B13: a sub-agent that ends its process every time is given up; its siblings, its parent and the others are not', async () => {
    const result = await runTrial({
      lockMs: LONG_LOCK_MS,
      investigations: 2,
      kills: 0,
      workers: 1,
      random: seededRandom(1),
      isDeadly: ({ agent, turn }) => agent === 'case-1 part 2' && turn === 1,
      say: silent,
    });
    expect(result).toMatchObject({ reports: 2, duplicateDeliveries: 0, wentBack: [] });
    expect(result.damaged).toEqual([expect.stringContaining('sessions of sub-agents: done,lost,done')]);
  }, 600_000);
});
