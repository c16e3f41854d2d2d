import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { packTexts } from '../../src/agent/pack-texts.ts';
import { Report } from '../../src/domain/report.ts';
import { NO_USAGE } from '../../src/domain/session.ts';
import { reportId, sessionId } from '../../src/investigate/write-report.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { createIncidentQueue } from '../../src/queue/incident-queue.ts';
import { createAllowance } from '../../src/sessions/day-spend.ts';
import { createReportStore } from '../../src/sessions/report-store.ts';
import { createResumeStore } from '../../src/sessions/resume-store.ts';
import { makeIncident, makeReport } from '../support/delivery-content.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { keepCheck } from '../support/keep-check.ts';
import { REDIS } from '../support/programs.ts';
import { startPrometheusImitation, type PrometheusImitation } from '../support/prometheus-api.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { stateOf } from '../support/sub-agent-orders.ts';
import { startRootnote, stopRootnotes, temporaryFolder } from '../support/rootnote-process.ts';

const suite = await describeIf(REDIS);
const INCIDENT = makeIncident({ id: 'check_shop_202611291000', kind: 'check' });

suite('a job that runs again', () => {
  let server: TestRedis;
  let redis: Redis;
  let prometheus: PrometheusImitation;

  beforeEach(async () => {
    server = await startTestRedis();
    redis = openWorkerRedis(server.target, silentLogger());
    prometheus = await startPrometheusImitation(() => undefined);
    await keepCheck(redis, 'rootnote', INCIDENT);
  });
  afterEach(async () => {
    await stopRootnotes();
    redis.disconnect();
    await server.stop();
    await prometheus.stop();
  });

  const enqueue = () =>
    createIncidentQueue(redis, 'rootnote', silentLogger()).add({ kind: 'investigate', incidentId: INCIDENT.id });
  const startWorker = async (settings: Readonly<Record<string, string>> = {}) => {
    const reportDir = await temporaryFolder();
    const env = { REDIS_URL: server.url, PROMETHEUS_URL: prometheus.url, REPORT_DIR: reportDir, ...settings };
    const worker = await startRootnote('work', env);
    return { worker, delivered: () => reportsIn(reportDir) };
  };

  test('D2: its worker died after it had stored the report: that one is delivered, and nothing is investigated again', async () => {
    const stored = makeReport({ id: reportId(INCIDENT.id), summary: 'written by the worker that died' });
    await createReportStore(redis, 'rootnote').saveFirst(stored, sessionOf(INCIDENT.id), INCIDENT);
    await enqueue();
    const { delivered } = await startWorker();
    const [report] = await eventually('the report is delivered', delivered, (reports) => reports.length > 0);
    expect(report?.summary).toBe('written by the worker that died');
    expect(prometheus.asked).toEqual([]);
  });

  test('D2 R11: one that ends its workers is reported as such, and counted as failed', async () => {
    await enqueue();
    await redis.hset(`rootnote:incidents:investigate_${INCIDENT.id}`, 'ats', '5');
    const { worker, delivered } = await startWorker();
    const [report] = await eventually('the report is delivered', delivered, (reports) => reports.length > 0);
    expect(report).toMatchObject({ status: 'inconclusive', confidence: 0 });
    expect(report?.gaps.join()).toContain('ended its worker process every time');
    const metrics = await (await fetch(`${worker.url}/metrics`)).text();
    expect(metrics).toContain('rootnote_investigations_total{outcome="failed",termination_reason="given_up"} 1');
  });

  test('one that is given up is booked with what it had cost, and leaves nothing to resume', async () => {
    const usage = { ...NO_USAGE, turns: 3, inputTokens: 5000, costUsd: 0.25 };
    const main = { version: 1, state: packTexts({ ledger: { own: usage, toolCalls: { own: 4 } } }) };
    const journal = createResumeStore(redis, 'rootnote', silentLogger()).journal(INCIDENT.id);
    await journal.save(stateOf());
    await journal.main.save(main);
    await createAllowance(redis, 'rootnote', { name: 'spend', cap: 5 }, Date.now).reserve(INCIDENT.id, 1);
    await enqueue();
    await redis.hset(`rootnote:incidents:investigate_${INCIDENT.id}`, 'ats', '5');
    const { delivered } = await startWorker({ AGENT_MAX_COST_USD_PER_DAY: '5' });
    const [report] = await eventually('the report is delivered', delivered, (reports) => reports.length > 0);
    expect(report?.usage).toMatchObject({
      turns: 3,
      input_tokens: 5000,
      cost_usd: 0.25,
      termination_reason: 'given_up',
    });
    const [book = ''] = await redis.keys('rootnote:spend:*');
    expect(await redis.hgetall(book)).toEqual({ total: '250000' });
    expect(await redis.exists(`rootnote:resume:${INCIDENT.id}`)).toBe(0);
  });
});

function sessionOf(incidentId: string) {
  return {
    id: sessionId(incidentId),
    incidentId,
    startedAtMs: 1,
    finishedAtMs: 2,
    brief: '',
    entries: [],
    usage: NO_USAGE,
    terminationReason: 'done',
  };
}

async function reportsIn(folder: string): Promise<readonly Report[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.map((text) => Report.parse(JSON.parse(text)));
}
