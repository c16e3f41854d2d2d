import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { Report } from '../../src/domain/report.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openReceiverRedis } from '../../src/platform/redis.ts';
import { planJob } from '../../src/schedule/decide-ticks.ts';
import { readJobs } from '../../src/schedule/read-jobs.ts';
import { createScheduler } from '../../src/schedule/scheduler.ts';
import { createCheckStore } from '../../src/sessions/check-store.ts';
import { groupText, numberedAlert } from '../support/alertmanager-bodies.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { startRootnote, stopRootnotes, temporaryFolder, type RootnoteProcess } from '../support/rootnote-process.ts';

const BODY = groupText({ alerts: [numberedAlert(1)] });
const CHECK = '---\ncron: "* * * * *"\ndescription: Golden signals of the shop\n---\nLook at errors and latency.\n';

/** A folder with checks, read. */
async function jobsIn(files: Readonly<Record<string, string>>) {
  const folder = join(await temporaryFolder(), 'jobs');
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return { folder, ...(await readJobs(folder)) };
}

afterEach(stopRootnotes);
const suite = await describeIf(REDIS);

suite('split roles', () => {
  let redis: TestRedis;
  beforeEach(async () => {
    redis = await startTestRedis();
  });
  afterEach(() => redis.stop());

  async function connect(): Promise<Redis> {
    const connection = openReceiverRedis(redis.target, silentLogger());
    await new Promise((resolve) => connection.once('ready', resolve));
    return connection;
  }

  test('D2: what `serve` takes in, `work` investigates; each has probes and metrics, and only the first webhooks and reports', async () => {
    const reportDir = await temporaryFolder();
    const env = { REDIS_URL: redis.url, REPORT_DIR: reportDir };
    const [receiver, worker] = await Promise.all([startRootnote('serve', env), startRootnote('work', env)]);

    for (const path of ['/healthz', '/metrics'])
      expect([await receiver.status(path), await worker.status(path)]).toEqual([200, 200]);
    for (const one of [receiver, worker]) await untilReady(one);
    expect((await worker.post(BODY)).status).toBe(404);
    expect(await worker.status('/api/v1/reports')).toBe(404);

    expect((await receiver.post(BODY)).status).toBe(202);
    const reports = await eventually(
      'the receiver shows the report',
      () => listReports(receiver.url),
      (list) => list.length > 0,
    );
    expect(reports).toEqual([expect.objectContaining({ mode: 'analyst', title: 'CheckoutErrors' })]);
    expect(receiver.output()).not.toContain('"msg":"reported"');
    expect(worker.output()).toMatch(/"providers":\[\],"model":"offline analyst: .*"destinations":\["file"\]/);
    expect(worker.output()).toContain('no telemetry provider is configured');
    expect(await receiver.terminate()).toBe(0);
    expect(await worker.terminate()).toBe(0);
  });

  test('a worker outlives the reader of its log', async () => {
    const rootnote = await startRootnote('all', { REDIS_URL: redis.url });
    rootnote.stopReading();
    expect((await rootnote.post(BODY)).status).toBe(202);
    await eventually(
      'the report is there',
      () => listReports(rootnote.url),
      (list) => list.length > 0,
    );
    await untilReady(rootnote);
  });

  test('D5: the tick of five replicas is one check with one report', async () => {
    const { jobs } = await jobsIn({ 'golden.md': CHECK });
    const tickMs = Date.parse('2026-11-29T10:00:00.000Z');
    const connection = await connect();
    const replicas = Array.from({ length: 5 }, () =>
      createScheduler(jobs.map(planJob), {
        store: { ...createCheckStore(connection, 'rootnote'), nowMs: () => Promise.resolve(tickMs) },
        now: () => tickMs,
        maxRunMs: () => 0,
        onTicks: () => undefined,
        log: silentLogger(),
      }),
    );
    await Promise.all(replicas.map((replica) => replica.beat()));
    connection.disconnect();
    const reportDir = await temporaryFolder();
    const worker = await startRootnote('work', { REDIS_URL: redis.url, REPORT_DIR: reportDir });
    const files = await eventually(
      'its report is delivered',
      () => readdir(reportDir),
      (names) => names.some(isReport),
    );
    const report = Report.parse(JSON.parse(await readFile(join(reportDir, files.find(isReport) ?? ''), 'utf8')));
    expect(report).toMatchObject({ kind: 'check', incident: { id: 'check_golden_202611291000', source: 'schedule' } });
    const reported = () => worker.output().match(/"msg":"reported"/g) ?? [];
    expect(await eventually('it is told', reported, ({ length }) => length > 0)).toHaveLength(1);
  });

  test('D5: a broken check is named with file and line; the role stays up and the other check runs', async () => {
    const { folder } = await jobsIn({
      'golden.md': CHECK,
      'wrong.md': '---\ndescription: no such minute\ncron: "99 * * * *"\n---\nLook.\n',
    });
    const connection = await connect();
    const scheduler = await startRootnote('schedule', { REDIS_URL: redis.url, JOBS_DIR: folder });
    const output = await eventually(
      'it lists its checks',
      () => scheduler.output(),
      (text) => text.includes('"enabled"'),
    );
    const lines = output.split('\n');
    const complaint = lines.find((line) => line.includes('this scheduled check is broken')) ?? '';
    expect(JSON.parse(complaint)).toMatchObject({
      file: join(folder, 'wrong.md'),
      mistakes: [expect.stringContaining('wrong.md:3: cron: ')],
    });
    expect(JSON.parse(lines.find((line) => line.includes('"enabled"')) ?? '{}')).toMatchObject({ enabled: ['golden'] });
    expect((await scheduler.post(BODY)).status).toBe(404);

    // Every minute is one of its ticks, and so is that of its start.
    await eventually(
      'its first ticks are decided',
      async () => (await fetch(`${scheduler.url}/metrics`)).text(),
      (text) => /^rootnote_check_ticks_total\{.*outcome="run".*\} [1-9]/m.test(text),
    );
    // Without a worker nobody else queues them.
    await eventually(
      'they are queued',
      async () => [await connection.zcard('rootnote:outbox'), await connection.zcard('rootnote:incidents:prioritized')],
      ([left = 0, queued = 0]) => left === 0 && queued > 0,
    );
    const metrics = await (await fetch(`${scheduler.url}/metrics`)).text();
    expect(metrics).not.toMatch(/^rootnote_check_ticks_total\{.*outcome="failed".*\} [1-9]/m);
    expect(scheduler.output()).not.toContain('cannot be decided');
    expect(await scheduler.terminate()).toBe(0);
    connection.disconnect();
  });
});

/** A part that has not answered within a second counts as not ready, so that one answer alone may be of a busy machine. */
async function untilReady(one: RootnoteProcess): Promise<void> {
  await eventually('it is ready', async () => (await one.status('/readyz')) === 200);
}

function isReport(name: string): boolean {
  return name.endsWith('.json') && !name.startsWith('.');
}

async function listReports(url: string): Promise<readonly unknown[]> {
  const answer = (await (await fetch(`${url}/api/v1/reports`)).json()) as { reports: unknown[] };
  return answer.reports;
}
