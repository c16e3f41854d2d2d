import { describe, expect, test } from '@jest/globals';
import { JobStopped, RunningJobs } from '../../../src/queue/running-jobs.ts';

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

describe('running jobs', () => {
  test('a job that came back to this worker while its old run goes on: the end of the old one does not hide the new one', async () => {
    const jobs = new RunningJobs();
    let end: () => void = () => undefined;
    const old = jobs.run('job', 60_000, () => new Promise<void>((resolve) => (end = resolve)));
    const renewed = jobs.run('job', 60_000, untilAborted);
    end();
    await old;

    let isIdle = false;
    const idle = jobs.idle().then(() => (isIdle = true));
    await Promise.resolve();
    expect(isIdle).toBe(false);
    jobs.stopAll('shutdown');
    await expect(renewed).rejects.toEqual(new JobStopped('shutdown'));
    await idle;
  });

  test('a lost lock stops every run of that job and no other', async () => {
    const jobs = new RunningJobs();
    const lost = [jobs.run('lost', 60_000, untilAborted), jobs.run('lost', 60_000, untilAborted)];
    const other = jobs.run('other', 60_000, untilAborted);
    jobs.stop('lost', 'lock-lost');
    for (const run of lost) await expect(run).rejects.toEqual(new JobStopped('lock-lost'));
    jobs.stop('other', 'shutdown');
    await expect(other).rejects.toMatchObject({ reason: 'shutdown' });
  });

  test('a worker that closes starts nothing more', async () => {
    const jobs = new RunningJobs();
    jobs.refuseMore();
    await expect(jobs.run('late', 60_000, () => Promise.resolve())).rejects.toMatchObject({ reason: 'shutdown' });
    await jobs.idle();
  });
});
