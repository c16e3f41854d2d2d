import { expect, test } from '@jest/globals';
import { Queue } from 'bullmq';
import { silentLogger } from '../../src/platform/logger.ts';
import { startJobWorker } from '../../src/queue/job-worker.ts';
import { JobStopped } from '../../src/queue/running-jobs.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { gate } from '../support/gate.ts';
import { REDIS } from '../support/programs.ts';
import { useRedis } from '../support/use-redis.ts';

const describeRedis = await describeIf(REDIS);
const QUEUE = 'taken';

describeRedis('a job whose lock another worker took', () => {
  const used = useRedis();

  test('R9: is stopped here, counted, and never told as given up: it goes on elsewhere', async () => {
    const { redis, prefix, server } = used;
    const queue = new Queue(QUEUE, { connection: redis, prefix });
    const started = gate();
    const reasons: unknown[] = [];
    const given: string[] = [];
    const lost: number[] = [];
    const worker = await startJobWorker({
      queue: QUEUE,
      redis: server.target,
      prefix,
      concurrency: 1,
      timeoutMs: 60_000,
      lockMs: 1000,
      maxStarts: 5,
      redact: (text) => text,
      log: silentLogger(),
      onLockLost: (_queue, jobs) => void lost.push(jobs),
      open: () => ({
        run: (_job, { signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              reasons.push(signal.reason);
              reject(signal.reason);
            });
            started.open();
          }),
        onGivenUp: async (_job, { jobId }) => void given.push(jobId),
      }),
    });
    try {
      await queue.add('work', { incidentId: 'inc_1' }, { jobId: 'job_1', attempts: 1 });
      await started.opened;
      await redis.set(`${prefix}:${QUEUE}:job_1:lock`, 'another worker');
      await eventually(
        'it is stopped',
        () => reasons.length,
        (count) => count > 0,
      );
      expect(reasons[0]).toEqual(new JobStopped('lock-lost'));
      expect(lost).toEqual([1]);
    } finally {
      await worker.close(1000);
      await queue.close();
    }
    expect(given).toEqual([]);
  });
});
