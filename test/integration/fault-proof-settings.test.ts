import { expect, test } from '@jest/globals';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { silentLogger } from '../../src/platform/logger.ts';
import { openReceiverRedis, openWorkerRedis } from '../../src/platform/redis.ts';
import { JOB_OPTIONS } from '../../src/queue/jobs.ts';
import { openQueue } from '../../src/queue/open-queue.ts';
import { watchProgress, type WatchedWorker } from '../../src/queue/progress-watch.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis } from '../support/redis.ts';
import { useRedis } from '../support/use-redis.ts';

const describeRedis = await describeIf(REDIS);

describeRedis('connections', () => {
  const used = useRedis();
  test('what answers requests fails at once, what works waits', async () => {
    const options = (one: Redis) => {
      const { enableOfflineQueue, maxRetriesPerRequest, commandTimeout, socketTimeout } = one.options;
      one.disconnect();
      return { enableOfflineQueue, maxRetriesPerRequest, commandTimeout, socketTimeout };
    };
    expect(options(openReceiverRedis(used.server.target, silentLogger()))).toEqual({
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: 2000,
      socketTimeout: 5000,
    });
    expect(options(openWorkerRedis(used.server.target, silentLogger()))).toEqual({
      enableOfflineQueue: true,
      maxRetriesPerRequest: null,
      commandTimeout: undefined,
      // A blocking read is silent for long.
      socketTimeout: undefined,
    });
  });

  test('a server that has become a replica is left, and asked for again', async () => {
    const own = await startTestRedis();
    const client = openWorkerRedis(own.target, silentLogger());
    const control = new Redis(own.url);
    let reconnects = 0;
    client.on('reconnecting', () => reconnects++);
    await client.set('a', '1');
    await control.replicaof('127.0.0.1', '1');
    await expect(client.set('a', '2')).rejects.toThrow('READONLY');
    await eventually('the connection is made again', () => reconnects > 0);
    await control.replicaof('NO', 'ONE');
    await eventually('it writes again', () => client.set('a', '3').then(Boolean, () => false));
    client.disconnect();
    control.disconnect();
    await own.stop();
  });
});

describeRedis('what a queue leaves behind is bounded', () => {
  const used = useRedis();
  test('finished jobs by age and by count, and the stream of its events', async () => {
    for (const kept of [JOB_OPTIONS.removeOnComplete, JOB_OPTIONS.removeOnFail])
      expect([kept.age, kept.count]).toEqual([expect.any(Number), expect.any(Number)]);
    const queue = openQueue<object, string>('bounded', used.redis, 'bounds', silentLogger());
    const worker = new Worker('bounded', () => Promise.resolve(), {
      connection: used.redis,
      prefix: 'bounds',
      concurrency: 50,
    });
    worker.on('error', () => undefined);
    const jobs = Array.from({ length: 2500 }, () => ({ name: 'job', data: {}, opts: JOB_OPTIONS }));
    await queue.addBulk(jobs);
    await eventually(
      'all are done',
      async () => await queue.getJobCounts('waiting', 'active'),
      ({ waiting, active }) => waiting === 0 && active === 0,
    );
    expect(await queue.getCompletedCount()).toBeLessThanOrEqual(JOB_OPTIONS.removeOnComplete.count);
    // Trimmed by whole nodes of the stream, so some more may stand. Unbounded it would be 10,000.
    expect(await used.redis.xlen('bounds:bounded:events')).toBeLessThan(2000);
    await worker.close();
    await queue.close();
  });
});

describeRedis('workers are judged by progress', () => {
  const used = useRedis();
  test('one that takes nothing though jobs wait is stuck, until it takes some; a busy one is not', async () => {
    const queue = new Queue('idle', { connection: used.redis, prefix: 'progress' });
    queue.on('error', () => undefined);
    let [places, taken] = [0, 0];
    const worker: WatchedWorker = { queue: 'idle', hasFreePlace: () => places > 0, started: () => taken };
    const seen: boolean[] = [];
    const lines: string[] = [];
    const log = { ...silentLogger(), error: (_about: object, line: string) => void lines.push(line) };
    const watch = watchProgress({
      redis: used.redis,
      prefix: 'progress',
      workers: [worker],
      log: log as never,
      onLook: (_queue, isStuck) => seen.push(isStuck),
      everyMs: 50,
      limitMs: 200,
    });
    const lookAgain = async (times: number) => {
      const until = seen.length + times;
      await eventually('it was looked at', () => seen.length >= until);
    };
    await lookAgain(2);
    const job = await queue.add('job', {});
    await new Promise((resolve) => setTimeout(resolve, 300));
    await lookAgain(3);
    expect([watch.stuck(), seen.includes(true)]).toEqual([[], false]);
    places = 1;
    await eventually('it is found stuck', () => watch.stuck().includes('idle'));
    expect(lines).toEqual([expect.stringContaining('takes none')]);
    taken++;
    await job.remove();
    await eventually('it is well again', () => watch.stuck().length === 0);
    await watch.stop();
    await queue.close();
  });
});
