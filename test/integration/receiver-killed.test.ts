import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { silentLogger } from '../../src/platform/logger.ts';
import { startInvestigationWorker } from '../../src/queue/investigation-worker.ts';
import type { JobWorker } from '../../src/queue/job-worker.ts';
import { groupText, numberedAlert } from '../support/alertmanager-bodies.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { startRootnote, stopRootnotes } from '../support/rootnote-process.ts';

const suite = await describeIf(REDIS);

suite('a receiver that is killed right after it has answered', () => {
  let server: TestRedis;
  let worker: JobWorker | undefined;

  beforeEach(async () => {
    server = await startTestRedis();
  });
  afterEach(async () => {
    await worker?.close(1000);
    await stopRootnotes();
    await server.stop();
  });

  test('D2: loses none of what it acknowledged: another process queues and investigates it within seconds', async () => {
    const rootnote = await startRootnote('serve', { REDIS_URL: server.url });
    const investigated = new Set<string>();
    worker = await startInvestigationWorker({
      redis: server.target,
      prefix: 'rootnote',
      concurrency: 20,
      timeoutMs: 10_000,
      redact: (text) => text,
      log: silentLogger(),
      investigate: ({ id }) => Promise.resolve(void investigated.add(id)),
      onResolved: () => Promise.resolve(),
      onPoison: () => Promise.resolve(),
    });
    const acknowledged: string[] = [];
    let killed: Promise<void> | undefined;
    const posts = Array.from({ length: 40 }, async (_, n) => {
      const { status, body } = await rootnote.post(groupText({ alerts: [numberedAlert(n)] }));
      if (status === 202) acknowledged.push((body as { incidentId: string }).incidentId);
      killed ??= rootnote.kill();
    });
    await Promise.allSettled(posts);
    await killed;
    expect(acknowledged.length).toBeGreaterThan(0);
    await eventually(
      'everything acknowledged is investigated',
      () => Promise.resolve(acknowledged.filter((id) => !investigated.has(id)).length),
      (missing) => missing === 0,
    );
  }, 120_000);
});
