import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Job } from '../../src/domain/check.ts';
import type { Probe } from '../../src/domain/probe.ts';
import { Report } from '../../src/domain/report.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openReceiverRedis } from '../../src/platform/redis.ts';
import { createIncidentQueue } from '../../src/queue/incident-queue.ts';
import { sweepOutbox } from '../../src/queue/outbox-sweep.ts';
import { checkId, planJob } from '../../src/schedule/decide-ticks.ts';
import { createScheduler } from '../../src/schedule/scheduler.ts';
import { createOutbox } from '../../src/sessions/admission/admission-store.ts';
import { createCheckStore } from '../../src/sessions/check-store.ts';
import { makeJob } from '../support/check-jobs.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { startPrometheusImitation, type PrometheusImitation } from '../support/prometheus-api.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { startRootnote, stopRootnotes, temporaryFolder, type RootnoteProcess } from '../support/rootnote-process.ts';

const PREFIX = 'rootnote';
const MINUTE_MS = 60_000;
const START = Date.parse('2026-11-29T10:00:00Z');
const QUERY = 'sum by (service) (queue_waiting_jobs)';
const PROBE: Probe = {
  kind: 'metric',
  name: 'jobs-waiting',
  severity: 'critical',
  query: QUERY,
  over: '15m',
  reduce: 'last',
  above: 100,
  unit: 'jobs',
  ignore: [],
  type: 'queue_backlog',
  remedy: 'Look whether the workers are up.',
};

const suite = await describeIf(REDIS);

suite('D5: a scheduled check on the road of the workers', () => {
  let redis: TestRedis;
  let prometheus: PrometheusImitation;
  let worker: RootnoteProcess;
  let reportDir = '';
  /** What the queue holds; undefined: nothing can be asked. */
  let waiting: number | undefined = 0;
  let minute = 0;

  beforeAll(async () => {
    redis = await startTestRedis();
    prometheus = await startPrometheusImitation(({ path, params }) => {
      if (path !== '/api/v1/query_range' || params.get('query') !== QUERY) return undefined;
      if (waiting === undefined) return { status: 503, body: 'away' };
      const times = [Number(params.get('end')) - 60, Number(params.get('end'))];
      const values = times.map((time) => [time, String(waiting)]);
      return { data: { resultType: 'matrix', result: [{ metric: { service: 'mailer' }, values }] } };
    });
    reportDir = join(await temporaryFolder(), 'reports');
    await mkdir(reportDir);
    worker = await startRootnote('work', {
      REDIS_URL: redis.url,
      PROMETHEUS_URL: prometheus.url,
      REPORT_DIR: reportDir,
    });
  }, 200_000);
  afterAll(async () => {
    await stopRootnotes();
    await prometheus.stop();
    await redis.stop();
  });

  /** One tick of the check, worked on to its end: its result, and the reports that were delivered by then for it. */
  async function tick(changes: Partial<Job> = {}) {
    const job = makeJob({ name: 'queues', description: 'Queues of the shop', probes: [PROBE], ...changes });
    const connection = openReceiverRedis(redis.target, silentLogger());
    await new Promise((resolve) => connection.once('ready', resolve));
    const tickMs = START + MINUTE_MS * minute++;
    const store = { ...createCheckStore(connection, PREFIX), nowMs: () => Promise.resolve(tickMs) };
    const parts = { store, now: () => tickMs, maxRunMs: () => 0, onTicks: () => undefined, log: silentLogger() };
    await createScheduler([planJob(job)], parts).beat();
    // As workers do from time to time: the test need not wait for that.
    const queue = createIncidentQueue(connection, PREFIX, silentLogger());
    await sweepOutbox(createOutbox(connection, PREFIX), queue, -1000);
    await queue.close();
    const result = await eventually(
      `the tick of minute ${minute} has a result`,
      () => store.lastResult(job.name),
      (last) => last?.tickMs === tickMs,
    );
    connection.disconnect();
    const id = checkId(job.name, tickMs);
    // Whether it is told is decided with the result: "reported" follows both.
    await eventually(
      'the worker is done with it',
      () => worker.output(),
      (output) => output.split('\n').some((line) => line.includes('"msg":"reported"') && line.includes(id)),
    );
    return { id, status: result?.status, summary: result?.summary ?? '' };
  }

  async function delivered(id: string): Promise<Report | undefined> {
    const files = (await readdir(reportDir)).filter((name) => name.endsWith('.json') && name.includes(id));
    return files[0] === undefined
      ? undefined
      : Report.parse(JSON.parse(await readFile(join(reportDir, files[0]), 'utf8')));
  }

  const isDelivered = async (id: string) =>
    eventually(
      'its report is delivered',
      () => delivered(id),
      (report) => report !== undefined,
    );

  test('a first run that finds all well is told nobody', async () => {
    waiting = 3;
    const { id, status } = await tick();
    expect(status).toBe('healthy');
    // Something that is told after it, so that "not yet" cannot be taken for "never".
    waiting = 250;
    await isDelivered((await tick()).id);
    expect(await delivered(id)).toBeUndefined();
  });

  test('what is found is told with its evidence, and once while it stays', async () => {
    waiting = 260;
    const again = await tick();
    expect(again.status).toBe('found');
    waiting = 3;
    const recovered = await tick();
    await isDelivered(recovered.id);
    expect(await delivered(again.id)).toBeUndefined();
    const report = await delivered(recovered.id);
    expect(report).toMatchObject({ status: 'healthy', kind: 'check' });
    expect(report?.summary).toMatch(/^Recovered, no longer found: mailer \(jobs-waiting, critical\)\. All clear/);
  });

  test('the report names the service, the value and the limit, and asks the model nothing about a healthy run', async () => {
    waiting = 400;
    const { id } = await tick({ post: 'always' });
    await isDelivered(id);
    const report = await delivered(id);
    expect(report).toMatchObject({
      status: 'determined',
      root_cause_service: 'mailer',
      root_cause_type: 'queue_backlog',
      check: { findings: [{ probe: 'jobs-waiting', service: 'mailer', value: '400 jobs', limit: 'limit 100 jobs' }] },
    });
    const cited = report?.evidence.find((item) => item.id === report.check?.findings[0]?.evidence);
    expect(cited).toMatchObject({ kind: 'metric', query: QUERY, statement: expect.stringContaining('400 jobs') });
    expect(cited?.link).toContain('/graph?');
  });

  test('a provider that is away makes a run that could not look: it is told once, and never as healthy or over', async () => {
    waiting = undefined;
    const blind = await tick();
    expect(blind.status).toBe('found');
    expect(blind.summary).toMatch(/^Not known to be over, .*: mailer \(jobs-waiting, critical\)\.$/);
    const fresh = await tick({ name: 'other' });
    expect(fresh.status).toBe('failed');
    await isDelivered(fresh.id);
    expect(await delivered(blind.id)).toBeUndefined();
    expect(await delivered(fresh.id)).toMatchObject({ status: 'inconclusive', confidence: 0 });
  });

  test('`post: always` tells a healthy run; destinations of the file go before the routes', async () => {
    waiting = 3;
    const elsewhere = await tick({ name: 'third', post: 'always', destinations: ['slack'] });
    const { id } = await tick({ name: 'fourth', post: 'always', destinations: ['file'] });
    await isDelivered(id);
    expect((await delivered(id))?.status).toBe('healthy');
    expect(await delivered(elsewhere.id)).toBeUndefined();
  });
});
