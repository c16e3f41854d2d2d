import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { startInvestigationWorker } from '../../src/queue/investigation-worker.ts';
import type { JobWorker } from '../../src/queue/job-worker.ts';
import { createAdmitting } from '../support/admitting-intake.ts';
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
    const accepted: string[] = [];
    let killed: Promise<void> | undefined;
    const posts = Array.from({ length: 40 }, async (_, n) => {
      const { status, body } = await rootnote.post(groupText({ alerts: [numberedAlert(n)] }));
      if (status === 202) accepted.push((body as { id: string }).id);
      killed ??= rootnote.kill();
    });
    await Promise.allSettled(posts);
    await killed;
    expect(accepted.length).toBeGreaterThan(0);
    const redis = openWorkerRedis(server.target, silentLogger());
    const admitting = createAdmitting(redis, 'rootnote');
    const decided = await Promise.all(accepted.map((id) => admitting.decide(id)));
    await admitting.queued();
    redis.disconnect();
    await eventually(
      'everything acknowledged is investigated',
      () => Promise.resolve(decided.filter(({ incidentId = '' }) => !investigated.has(incidentId)).length),
      (missing) => missing === 0,
    );
  });
});
