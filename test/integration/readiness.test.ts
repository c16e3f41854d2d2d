import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import type { Readiness } from '../../src/http/readiness.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { groupText, numberedAlert } from '../support/alertmanager-bodies.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { runRootnote, startRootnote, stopRootnotes, type RootnoteProcess } from '../support/rootnote-process.ts';

const suite = await describeIf(REDIS);

/** A part that has not answered within a second counts as not ready, so that one answer alone may be of a busy machine. */
const probe = async ({ url }: RootnoteProcess) => (await (await fetch(`${url}/readyz`)).json()) as Readiness;

suite('a Redis that answers and takes nothing', () => {
  let server: TestRedis;
  let redis: Redis;

  beforeEach(async () => {
    server = await startTestRedis();
    redis = openWorkerRedis(server.target, silentLogger());
  });
  afterEach(async () => {
    await stopRootnotes();
    redis.disconnect();
    await server.stop();
  });

  test('D2: readiness is red and alerts are answered 503 while it is full, and both recover', async () => {
    const rootnote = await startRootnote('serve', { REDIS_URL: server.url });
    const alert = groupText({ alerts: [numberedAlert(1)] });
    await redis.config('SET', 'maxmemory', '1');
    const refused = await eventually(
      'it says why',
      () => probe(rootnote),
      ({ parts }) => parts['redis']?.includes('OOM') === true,
    );
    expect(refused.ready).toBe(false);
    expect(await rootnote.status('/healthz')).toBe(200);
    expect((await rootnote.post(alert)).status).toBe(503);

    await redis.config('SET', 'maxmemory', '0');
    await eventually('it is ready again', async () => (await probe(rootnote)).ready);
    expect((await rootnote.post(alert)).status).toBe(202);
    // The one that was refused left nothing.
    expect(await redis.xlen('rootnote:inbox')).toBe(1);
  });

  test('what nobody decides makes no worker unready that only runs sub-agents, and every process shows it', async () => {
    await redis.xadd('rootnote:inbox', '1-1', 'arrival', '{}');
    const env = { REDIS_URL: server.url, WORKER_CONCURRENCY: '0', SUB_AGENT_CONCURRENCY: '1' };
    const rootnote = await startRootnote('work', env);
    await eventually('it is ready', async () => (await probe(rootnote)).ready);
    const metrics = await (await fetch(`${rootnote.url}/metrics`)).text();
    expect(metrics).toMatch(/^rootnote_inbox_waiting 1$/m);
    expect(metrics).toMatch(/^rootnote_queue_depth\{queue="incidents",state="waiting"\} 0$/m);
    expect(metrics).toMatch(/^rootnote_queue_depth\{queue="subagents",state="waiting"\} 0$/m);
  });

  test('while no worker decides, everybody who asks is told, and who receives goes on to', async () => {
    await redis.xadd('rootnote:inbox', '1-1', 'arrival', '{}');
    const env = { REDIS_URL: server.url };
    const serve = await startRootnote('serve', env);
    await eventually('it is ready', async () => (await probe(serve)).ready);
    const page: unknown = await (await fetch(`${serve.url}/api/v1/incidents`)).json();
    expect(page).toMatchObject({
      incidents: [],
      undecided: { notifications: 1, oldestAgeSeconds: expect.any(Number) },
    });
    const told = /1 notification waits to be decided, the first for .*: no worker decides what comes in/;
    expect((await runRootnote(['incidents', 'list'], env)).stdout).toMatch(told);
    const asJson = await runRootnote(['incidents', 'list', '--json'], env);
    expect(JSON.parse(asJson.stdout)).toEqual([]);
    expect(asJson.stderr).toMatch(told);
    expect((await runRootnote(['doctor'], { ...env, PORT: '0' })).stdout).toMatch(
      new RegExp(`! redis .*${told.source}`),
    );
  });

  test('a Redis that is full, and one that is away, are told in words by probe, doctor and API', async () => {
    const env = { REDIS_URL: server.url };
    const rootnote = await startRootnote('all', env);
    await redis.config('SET', 'maxmemory', '1');
    const full = (await runRootnote(['doctor'], { ...env, PORT: '0' })).stdout;
    expect(full).toMatch(/✗ redis +Redis is full/);
    expect(full).toMatch(/– memory .*see redis/);

    await server.kill();
    const parts = await eventually(
      'it has noticed',
      async () => (await probe(rootnote)).parts,
      ({ redis: said = '' }) => said.includes('not reachable'),
    );
    expect(Object.values(parts).filter((part) => part.includes('Redis'))).toHaveLength(1);
    for (const path of ['incidents', 'incidents/i-abc', 'reports', 'reports/r-abc']) {
      const answer = await fetch(`${rootnote.url}/api/v1/${path}`);
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('5');
      expect(await answer.json()).toEqual({ error: expect.stringContaining('Redis is not reachable') });
    }
    expect(await (await fetch(`${rootnote.url}/metrics`)).text()).not.toMatch(/^rootnote_(?:inbox|queue_depth)/m);
    expect(rootnote.output()).not.toMatch(/ {4}at |\\n +at /);
    await eventually('it has tried in vain', () => rootnote.output().includes('Redis is not reachable; retrying'));
    await server.restart();
    await eventually('the log says that it is back', () => rootnote.output().includes('Redis is reachable again'));
  });

  test.each(['all', 'serve', 'work', 'schedule'] as const)(
    '%s on a Redis that may evict ends with one message, and with none of BullMQ',
    async (role) => {
      await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
      const { code, stdout, stderr } = await runRootnote([role], { REDIS_URL: server.url, PORT: '0' });
      expect(code).toBe(2);
      expect(stdout + stderr).toContain('maxmemory-policy allkeys-lru');
      expect(stdout + stderr).not.toContain('IMPORTANT');
    },
  );

  test('a role with the Redis of its folder says how others find it; all by itself does not', async () => {
    const found = /other roles find it only with the same STATE_DIR/;
    expect((await startRootnote('serve', {})).output()).toMatch(found);
    expect((await startRootnote('all', {})).output()).not.toMatch(found);
    expect((await startRootnote('serve', { REDIS_URL: server.url })).output()).not.toMatch(found);
  });
});
