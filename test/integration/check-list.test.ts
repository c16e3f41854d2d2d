import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { listChecks } from '../../src/app/list-checks.ts';
import { Config } from '../../src/config/schema.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { planJob } from '../../src/schedule/decide-ticks.ts';
import { readJobs } from '../../src/schedule/read-jobs.ts';
import { createScheduler } from '../../src/schedule/scheduler.ts';
import { createCheckStore } from '../../src/sessions/check-store.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { REDIS } from '../support/programs.ts';
import { runRootnote, startRootnote, stopRootnotes, temporaryFolder } from '../support/rootnote-process.ts';
import { useRedis } from '../support/use-redis.ts';

const suite = await describeIf(REDIS);
const MINUTE_MS = 60_000;
const START = Date.parse('2026-11-29T10:00:00Z');
const at = (minutes: number) => START + minutes * MINUTE_MS;

suite('D5: rootnote check list', () => {
  const used = useRedis();
  let folder: string;
  beforeEach(async () => {
    folder = join(await temporaryFolder(), 'jobs');
    await mkdir(folder);
    const text = (cron: string, ...lines: string[]) =>
      ['---', 'description: x', `cron: "${cron}"`, 'catch_up: 10', ...lines, '---', 'Look.'].join('\n');
    await writeFile(join(folder, 'hourly.md'), text('0 * * * *', 'skills: [no-such-playbook]'));
    await writeFile(join(folder, 'never.md'), text('0 0 1 1 *', 'enabled: false'));
    await writeFile(join(folder, 'wrong.md'), text('0 * *'));
  });
  afterEach(stopRootnotes);

  const list = (nowMs: number, url = used.server.url) =>
    listChecks(Config.parse({ REDIS_URL: url, REDIS_PREFIX: used.prefix, JOBS_DIR: folder }), () => undefined, nowMs);

  async function beat(nowMs: number): Promise<void> {
    const store = { ...createCheckStore(used.redis, used.prefix), nowMs: () => Promise.resolve(nowMs) };
    const { jobs } = await readJobs(folder);
    const parts = { store, now: () => nowMs, maxRunMs: () => 0, onTicks: () => undefined, log: silentLogger() };
    await createScheduler(jobs.map(planJob), parts).beat();
  }

  test('shows what became of each check, what comes next, and every mistake of the files', async () => {
    expect(await list(at(0))).toMatchObject({
      checks: [
        { name: 'hourly', enabled: true, when: 'hourly at :00', last: null, next: '2026-11-29T11:00:00.000Z' },
        { name: 'never', enabled: false, last: null, next: null },
      ],
      broken: [expect.stringMatching(/wrong\.md:3: cron: must have five fields/)],
      incomplete: [expect.stringMatching(/hourly\.md:5: skills\.#1: there is no playbook no-such-playbook/)],
      silentSince: 'never',
      redis: null,
    });

    await beat(at(0));
    const id = 'check_hourly_202611291000';
    const [running] = (await list(at(1))).checks;
    expect(running?.last).toEqual({ at: '2026-11-29T10:00:00.000Z', status: 'running', incident: id });

    await createCheckStore(used.redis, used.prefix).noteResult('hourly', {
      tickMs: at(0),
      endedAtMs: at(1),
      status: 'found',
      reportId: 'rep_1',
      confidence: 0.8,
      summary: 'A disk fills.',
      signature: 'disk',
    });
    const ended = await list(at(2));
    expect(ended).toMatchObject({ silentSince: null });
    expect(ended.checks[0]).toMatchObject({
      last: { status: 'found' },
      result: { status: 'found', report: 'rep_1', summary: 'A disk fills.' },
    });
  });

  test('a run that could look at nothing has the word of its report', async () => {
    await beat(at(0));
    const store = createCheckStore(used.redis, used.prefix);
    const outcome = { endedAtMs: at(1), reportId: 'r', confidence: 0, summary: 'Nothing.', signature: '' } as const;
    await store.noteResult('hourly', { ...outcome, tickMs: at(0), status: 'failed' });
    const [hourly] = (await list(at(2))).checks;
    expect([hourly?.last?.status, hourly?.result?.status]).toEqual(['inconclusive', 'inconclusive']);
  });

  test('tells since when no scheduler is there, and what was missed', async () => {
    await beat(at(0));
    await beat(at(1));
    expect((await list(at(90))).silentSince).toBe('2026-11-29T10:01:00.000Z');
    await beat(at(90));
    const [hourly] = (await list(at(90))).checks;
    expect(hourly?.last).toEqual({ at: '2026-11-29T11:00:00.000Z', status: 'missed', incident: null });
    expect(hourly?.unrun).toEqual([expect.stringContaining('1 tick was missed at 2026-11-29T11:00Z')]);
  });

  test('a folder that somebody named and that is not there is told by the list, whose exit code is 1, and at start', async () => {
    const env = { REDIS_URL: used.server.url, JOBS_DIR: join(folder, 'no-such') };
    const told = `there is no folder ${env.JOBS_DIR}: set JOBS_DIR to the folder with the checks, or unset it`;
    const { code, stdout } = await runRootnote(['check', 'list'], env);
    expect([code, stdout]).toEqual([1, `No checks.\n! ${told}\n`]);
    const unnamed = await runRootnote(['check', 'list'], { REDIS_URL: used.server.url });
    expect([unnamed.code, unnamed.stdout]).toEqual([0, 'No checks.\n']);
    const scheduler = await startRootnote('schedule', env);
    await eventually('it is told', scheduler.output, (text) => text.includes(`"msg":"no check runs: ${told}"`));
  });

  test('works while Redis is away, and says so', async () => {
    const { checks, redis, broken } = await list(at(0), 'redis://127.0.0.1:1');
    expect(redis).toMatch(/^Redis at redis:\/\/127\.0\.0\.1:1\b.* does not answer/);
    expect(checks[0]).toMatchObject({ name: 'hourly', last: null, next: '2026-11-29T11:00:00.000Z' });
    expect(broken).toHaveLength(1);
  });

  test('results are kept by tick: the one before is never the own one, and only the latest of a tick stands', async () => {
    const store = createCheckStore(used.redis, used.prefix);
    const outcome = { endedAtMs: at(9), reportId: 'r', confidence: 1, summary: 's', signature: '' } as const;
    await store.noteResult('c', { ...outcome, tickMs: at(0), status: 'healthy' });
    await store.noteResult('c', { ...outcome, tickMs: at(5), status: 'failed' });
    await store.noteResult('c', { ...outcome, tickMs: at(5), status: 'found' });
    expect((await store.lastResult('c'))?.status).toBe('found');
    expect((await store.lastResult('c', at(5)))?.tickMs).toBe(at(0));
    expect(await store.lastResult('c', at(0))).toBeUndefined();
    expect((await store.resultsSince('c', at(0))).map(({ status }) => status)).toEqual(['found']);
  });
});
