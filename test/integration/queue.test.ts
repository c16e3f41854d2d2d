import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import type { Incident } from '../../src/domain/incident.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { EvictionPolicyError } from '../../src/queue/eviction-policy.ts';
import { createIncidentQueue } from '../../src/queue/incident-queue.ts';
import {
  startInvestigationWorker,
  type GivenUp,
  type InvestigationWorkerDeps,
} from '../../src/queue/investigation-worker.ts';
import type { JobWorker } from '../../src/queue/job-worker.ts';
import { parseNotification } from '../../src/sources/alertmanager/parse-notification.ts';
import { createAdmittingIntake } from '../support/admitting-intake.ts';
import { groupBody, numberedAlert, type BodyAlert } from '../support/alertmanager-bodies.ts';
import { startChild } from '../support/child.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { gate } from '../support/gate.ts';
import { keepCheck } from '../support/keep-check.ts';
import { REDIS } from '../support/programs.ts';
import { prefixOf, startTestRedis, type TestRedis } from '../support/redis.ts';

const describeRedis = await describeIf(REDIS);
const log = silentLogger();
const notify = (alerts: readonly BodyAlert[]) => parseNotification(groupBody({ alerts }));

describeRedis('D2: the investigation queue', () => {
  let server: TestRedis;
  let redis: Redis;
  let prefix = '';
  const workers: JobWorker[] = [];

  beforeAll(async () => {
    server = await startTestRedis();
    redis = openWorkerRedis(server.target, log);
  });
  beforeEach(() => {
    prefix = prefixOf(`t${randomUUID()}`);
  });
  afterAll(async () => {
    for (const worker of workers) await worker.close(1000);
    redis.disconnect();
    await server.stop();
  });

  const admit = async (alerts: readonly BodyAlert[]) => {
    const intake = createAdmittingIntake(redis, prefix);
    const { incidentId } = await intake.receive(notify(alerts));
    await intake.queued();
    return incidentId ?? '';
  };
  const work = async (deps: Partial<InvestigationWorkerDeps>) => {
    const worker = await startInvestigationWorker({
      redis: server.target,
      prefix,
      concurrency: 4,
      timeoutMs: 30_000,
      log,
      redact: (text) => text,
      investigate: () => Promise.resolve(),
      onResolved: () => Promise.resolve(),
      onPoison: () => Promise.resolve(),
      ...deps,
    });
    workers.push(worker);
    return worker;
  };
  const inspect = async <T>(look: (queue: Queue) => Promise<T>): Promise<T> => {
    const queue = new Queue('incidents', { connection: redis, prefix });
    try {
      return await look(queue);
    } finally {
      await queue.close();
    }
  };

  test('an admitted alert reaches the investigator as an incident with its signal and attempt', async () => {
    const seen = gate<{ incident: Incident; attempt: number; aborted: boolean; jobId: string }>();
    const worker = await work({
      investigate: (incident, { attempt, signal, jobId }) => {
        seen.open({ incident, attempt, aborted: signal.aborted, jobId });
        return Promise.resolve();
      },
    });
    const incidentId = await admit([numberedAlert(1)]);
    expect(await seen.opened).toMatchObject({
      incident: { id: incidentId, title: 'CheckoutErrors', service: 'checkout' },
      attempt: 1,
      aborted: false,
      jobId: `investigate_${incidentId}`,
    });
    await worker.close(2000);
    expect(worker.isRunning()).toBe(false);
  });

  test('a resolved incident is told by its id', async () => {
    const told = gate<string>();
    const worker = await work({ onResolved: ({ id }) => Promise.resolve(told.open(id)) });
    const incidentId = await admit([numberedAlert(1)]);
    await admit([numberedAlert(1, { status: 'resolved' })]);
    expect(await told.opened).toBe(incidentId);
    await worker.close(2000);
  });

  test('a scheduled check enters the same queue', async () => {
    const check: Incident = {
      id: 'check_disks_202611030700',
      kind: 'check',
      source: 'schedule',
      receiver: 'disks',
      title: 'Are the disks filling up?',
      service: undefined,
      severity: 'info',
      startsAtMs: Date.parse('2026-11-03T07:00:00Z'),
      state: 'firing',
      labels: {},
      annotations: { check: 'Look at every disk.' },
      alerts: [],
      alertCount: 0,
      truncatedAlerts: 0,
      link: undefined,
    };
    const seen = gate<Incident>();
    const worker = await work({ investigate: (incident) => Promise.resolve(seen.open(incident)) });
    await keepCheck(redis, prefix, check);
    await createIncidentQueue(redis, prefix, log).add({ kind: 'investigate', incidentId: check.id });
    expect(await seen.opened).toEqual({ ...check });
    await worker.close(2000);
  });

  test('a job that does not end in the grace period is handed back, and the next worker does it', async () => {
    const started = gate();
    const aborted = gate();
    const stubborn = await work({
      investigate: (_, { signal }) => {
        started.open();
        signal.addEventListener('abort', () => aborted.open());
        return new Promise(() => undefined);
      },
    });
    const incidentId = await admit([numberedAlert(1)]);
    await started.opened;
    // A fifth of it is for handing back.
    await stubborn.close(5000);
    await aborted.opened;
    expect(await inspect((queue) => queue.getJobCounts('active', 'waiting', 'failed'))).toEqual({
      active: 0,
      waiting: 1,
      failed: 0,
    });
    const done = gate<string>();
    const next = await work({ investigate: (incident) => Promise.resolve(done.open(incident.id)) });
    expect(await done.opened).toBe(incidentId);
    await next.close(2000);
  });

  test('hand-backs do not make a job poison', async () => {
    const incidentId = await admit([numberedAlert(1)]);
    const key = `${prefix}:incidents:investigate_${incidentId}`;
    // As six deployments before left it; the first five alone would make it poison.
    await redis.hset(key, 'ats', '6', 'data', JSON.stringify({ incidentId, handBacks: 6 }));
    const started = gate();
    const worker = await work({
      investigate: () => {
        started.open();
        return new Promise(() => undefined);
      },
    });
    await started.opened;
    await worker.close(5000);
    expect(JSON.parse((await redis.hget(key, 'data')) ?? '')).toEqual({ incidentId, handBacks: 7 });
    const done = gate<string>();
    const next = await work({ investigate: ({ id }) => Promise.resolve(done.open(id)) });
    expect(await done.opened).toBe(incidentId);
    await next.close(2000);
    expect(await inspect((queue) => queue.getJobCounts('waiting', 'failed'))).toEqual({ waiting: 0, failed: 0 });
  });

  test('a running job may finish within the grace period', async () => {
    const started = gate();
    const finish = gate();
    const worker = await work({
      investigate: () => {
        started.open();
        return finish.opened;
      },
    });
    await admit([numberedAlert(1)]);
    await started.opened;
    const closed = worker.close(20_000);
    finish.open();
    await closed;
    expect(await inspect((queue) => queue.getCompletedCount())).toBe(1);
  });

  test('a job past its deadline is told by its signal', async () => {
    const aborted = gate();
    const worker = await work({
      timeoutMs: 50,
      investigate: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            aborted.open();
            resolve();
          });
        }),
    });
    await admit([numberedAlert(1)]);
    await aborted.opened;
    await worker.close(2000);
    expect(await inspect((queue) => queue.getCompletedCount())).toBe(1);
  });

  test('a job that fails at every attempt becomes a dead letter and is told once', async () => {
    const told: GivenUp[] = [];
    const given = gate();
    let attempts = 0;
    const worker = await work({
      investigate: () => {
        attempts += 1;
        return Promise.reject(new Error('no way'));
      },
      onPoison: (givenUp) => {
        told.push(givenUp);
        given.open();
        return Promise.resolve();
      },
    });
    const incidentId = await admit([numberedAlert(1)]);
    await given.opened;
    await worker.close(2000);
    expect(attempts).toBe(3);
    expect(told).toMatchObject([{ incidentId, reason: 'failed', error: new Error('no way') }]);
    expect(await inspect((queue) => queue.getFailedCount())).toBe(1);
  });

  test('starts that got further than the one before do not make a job poison', async () => {
    const incidentId = await admit([numberedAlert(1)]);
    const key = `${prefix}:incidents:investigate_${incidentId}`;
    await redis.hset(key, 'ats', '7', 'data', JSON.stringify({ incidentId, progressed: 4 }));
    const tried = gate<string>();
    const worker = await work({
      investigate: async ({ id }, { progress }) => {
        await progress();
        await progress();
        tried.open(id);
      },
    });
    expect(await tried.opened).toBe(incidentId);
    await worker.close(2000);
    expect(JSON.parse((await redis.hget(key, 'data')) ?? '')).toEqual({ incidentId, progressed: 5 });
  });

  test('a job that has killed five workers is given up without a sixth try', async () => {
    const incidentId = await admit([numberedAlert(1)]);
    await redis.hset(`${prefix}:incidents:investigate_${incidentId}`, 'ats', '5');
    const given = gate<GivenUp>();
    let tries = 0;
    const worker = await work({
      investigate: () => {
        tries += 1;
        return Promise.resolve();
      },
      onPoison: (givenUp) => Promise.resolve(given.open(givenUp)),
    });
    expect(await given.opened).toMatchObject({ incidentId, reason: 'poison' });
    await worker.close(2000);
    expect(tries).toBe(0);
    expect(await inspect((queue) => queue.getFailedCount())).toBe(1);
  });

  test('a resolved message that is given up claims nothing about the investigation, which may still be waiting', async () => {
    const told: GivenUp[] = [];
    const incidentId = await admit([numberedAlert(1)]);
    await admit([numberedAlert(1, { status: 'resolved' })]);
    await redis.hset(`${prefix}:incidents:resolved_${incidentId}`, 'ats', '5');
    const investigated = gate<string>();
    const worker = await work({
      concurrency: 1,
      investigate: ({ id }) => Promise.resolve(investigated.open(id)),
      onResolved: () => Promise.reject(new Error('given up before it is tried')),
      onPoison: (givenUp) => Promise.resolve(void told.push(givenUp)),
    });
    expect(await investigated.opened).toBe(incidentId);
    await eventually('the resolved message is a dead letter', () => inspect((queue) => queue.getFailedCount()));
    await worker.close(2000);
    expect(told).toEqual([]);
  });

  test('what a dead receiver left unqueued is queued when a worker starts', async () => {
    const dying = createAdmittingIntake(redis, prefix, {
      queue: { addAll: () => Promise.reject(new Error('killed')) },
    });
    await dying.receive(notify([numberedAlert(1)])).catch(() => undefined);
    const [member = ''] = await redis.zrange(`${prefix}:outbox`, 0, '0');
    await redis.zincrby(`${prefix}:outbox`, -10_000, member);
    const seen = gate<string>();
    const worker = await work({ investigate: (incident) => Promise.resolve(seen.open(incident.id)) });
    expect(member).toBe(`investigate ${await seen.opened} - 0`);
    await worker.close(2000);
  });

  test('the status tells depth and age', async () => {
    await admit([numberedAlert(1)]);
    const status = await createIncidentQueue(redis, prefix, log).status();
    expect(status.depth).toEqual({ waiting: 1, active: 0, delayed: 0, failed: 0 });
    expect(status.oldestAgeMs).toBeGreaterThanOrEqual(0);
  });

  test('a Redis that may evict is refused by name and remedy', async () => {
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const refused = work({});
    await expect(refused).rejects.toBeInstanceOf(EvictionPolicyError);
    await expect(refused).rejects.toThrow(/allkeys-lru.*noeviction/);
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
  });
});

describeRedis('D2: workers and a Redis that is away', () => {
  let server: TestRedis;
  beforeAll(async () => {
    server = await startTestRedis();
  });
  afterAll(() => server.stop());

  const start = (seen: (incident: Incident) => void) =>
    startInvestigationWorker({
      redis: server.target,
      prefix: 'away',
      concurrency: 1,
      timeoutMs: 30_000,
      log,
      redact: (text) => text,
      investigate: (incident) => Promise.resolve(seen(incident)),
      onResolved: () => Promise.resolve(),
      onPoison: () => Promise.resolve(),
    });
  const admit = async (n: number) => {
    const redis = openWorkerRedis(server.target, log);
    const intake = createAdmittingIntake(redis, 'away', { deadlineMs: 10_000 });
    const { incidentId } = await intake.receive(notify([numberedAlert(n)]));
    await intake.queued();
    redis.disconnect();
    return incidentId;
  };

  test('never reachable: it starts, waits, and closes', async () => {
    await server.kill();
    const worker = await start(() => undefined);
    expect(worker.isRunning()).toBe(false);
    await worker.close(500);
    await server.restart();
  });

  test('reachable later: it begins then; gone and back: it goes on; gone for good: it closes', async () => {
    await server.kill();
    let next = gate<Incident>();
    const worker = await start((incident) => next.open(incident));
    await server.restart();
    const first = await admit(1);
    expect((await next.opened).id).toBe(first);
    next = gate<Incident>();
    await server.restart();
    const second = await admit(2);
    expect((await next.opened).id).toBe(second);
    await server.kill();
    await worker.close(500);
  });
});

describeRedis('D2: a worker process that is killed', () => {
  test('its job starts again in another process', async () => {
    const server = await startTestRedis();
    const redis = openWorkerRedis(server.target, log);
    const intake = createAdmittingIntake(redis, 'killed');
    const { incidentId } = await intake.receive(notify([numberedAlert(1)]));
    await intake.queued();

    const worker = await startChild(process.execPath, [
      '--import',
      './test/support/typescript-loader.mjs',
      './test/support/stuck-worker.ts',
      server.url,
      'killed',
    ]);
    while (!worker.output().includes('started')) {
      if (worker.exited()) throw new Error(worker.output());
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await worker.kill();

    const seen = gate<{ id: string; attempt: number }>();
    const next = await startInvestigationWorker({
      redis: server.target,
      prefix: 'killed',
      concurrency: 1,
      timeoutMs: 30_000,
      log,
      redact: (text) => text,
      investigate: ({ id }, { attempt }) => Promise.resolve(seen.open({ id, attempt })),
      onResolved: () => Promise.resolve(),
      onPoison: () => Promise.resolve(),
    });
    expect(await seen.opened).toEqual({ id: incidentId, attempt: 2 });
    await next.close(2000);
    redis.disconnect();
    await server.stop();
  });
});
