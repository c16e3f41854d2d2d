import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { readBack } from '../../src/app/read-back.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { NO_USAGE } from '../../src/domain/session.ts';
import { reportId, sessionId } from '../../src/investigate/write-report.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { createIncidentQueue } from '../../src/queue/incident-queue.ts';
import { incidentKey, incidentsKey } from '../../src/sessions/keys.ts';
import { createReportStore } from '../../src/sessions/report-store.ts';
import { createUpdateStore } from '../../src/sessions/update-store.ts';
import { makeIncident, makeReport } from '../support/delivery-content.ts';
import { describeIf } from '../support/describe-if.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';

const suite = await describeIf(REDIS);
const RESOLVED_AT = '2026-11-29T10:20:00.000Z';

suite('rootnote reports and rootnote sessions', () => {
  let server: TestRedis;
  let redis: Redis;

  beforeAll(async () => {
    server = await startTestRedis();
    redis = openWorkerRedis(server.target, silentLogger());
    const store = createReportStore(redis, 'rootnote');
    for (const id of ['inc_firing', 'inc_over']) {
      const incident = makeIncident({ id });
      const report = makeReport({ id: reportId(id), incident: { ...makeReport().incident, id } });
      await store.saveFirst(report, sessionOf(id), incident);
    }
    await redis.hset(incidentKey('rootnote', 'inc_over'), 'resolvedAtMs', String(Date.parse(RESOLVED_AT)));
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  const ask = (what: 'reports' | 'sessions', id?: string, json = false) =>
    readBack(
      parseConfig({ REDIS_URL: server.url }),
      { what, json, colour: false, ...(id === undefined ? {} : { id }) },
      () => undefined,
    );
  const read = async (what: 'reports' | 'sessions', id?: string, json = false) => {
    const { text, isFound } = await ask(what, id, json);
    return isFound ? text : undefined;
  };

  test('the list says which incidents are resolved, in words and in JSON', async () => {
    const lines = (await read('reports'))?.split('\n') ?? [];
    expect(lines.find((line) => line.includes('rep_inc_over'))).toContain('determined 0.86, resolved  ');
    expect(lines.find((line) => line.includes('rep_inc_firing'))).not.toContain('resolved');
    const rows = JSON.parse((await read('reports', undefined, true)) ?? '') as { id: string; resolvedAt: unknown }[];
    expect(Object.fromEntries(rows.map((row) => [row.id, row.resolvedAt]))).toEqual({
      rep_inc_over: RESOLVED_AT,
      rep_inc_firing: null,
    });
  });

  test.each(['inc_over', 'rep_inc_over', 'ses_inc_over'])('%s finds the report and the session', async (id) => {
    expect(await read('reports', id)).toContain(`\nresolved ${RESOLVED_AT}\n`);
    expect(await read('sessions', id)).toMatch(/^ses_inc_over\n/);
  });

  test('B16: the session of the main agent tells those of its sub-agents, in words and as a tree; each is found by its own id', async () => {
    const store = createReportStore(redis, 'rootnote');
    const parentId = sessionId('inc_over');
    const said = { role: 'assistant', text: 'The pool is full.', atMs: 1 } as const;
    for (const place of [1, 2])
      await store.saveSubSession(parentId, {
        ...sessionOf('inc_over'),
        id: `${parentId}.2.${place}`,
        parentId,
        task: `Look at part ${place}.`,
        entries: [said],
      });
    const story = (await read('sessions', 'inc_over')) ?? '';
    expect(story).toMatch(/task: Look at part 1\.[^]*The pool is full\.[^]*task: Look at part 2\./);
    const tree = JSON.parse((await read('sessions', 'inc_over', true)) ?? '') as { subSessions: { id: string }[] };
    expect(tree.subSessions.map(({ id }) => id)).toEqual([`${parentId}.2.1`, `${parentId}.2.2`]);
    expect(await read('sessions', `${parentId}.2.2`)).toMatch(
      new RegExp(`^${parentId}\\.2\\.2\n[^]*task: Look at part 2\\.\nworks for: ${parentId}\n`),
    );
    expect(await read('sessions', `${parentId}.9.9`)).toBeUndefined();
    expect(await read('sessions')).not.toContain(`${parentId}.2.1`);
  });

  test('the list of sessions says of each what came of it and what all agents cost', async () => {
    const store = createReportStore(redis, 'rootnote');
    const result = {
      title: 'CheckoutSlow',
      status: 'determined',
      rootCauseService: 'payments',
      confidence: 0.8,
      subAgents: 2,
      costUsd: 0.321,
    };
    await store.saveSession({ ...sessionOf('inc_rich'), result });
    const line = ((await read('sessions')) ?? '').split('\n').find((one) => one.includes('ses_inc_rich'));
    expect(line).toContain(', 2 sub-agents, $0.32, ');
    expect(line).toContain('  CheckoutSlow: determined payments 0.80');
    const rows = JSON.parse((await read('sessions', undefined, true)) ?? '') as { id: string; state: string }[];
    expect(rows.find(({ id }) => id === 'ses_inc_rich')).toMatchObject({ state: 'ended', result });
  });

  test('the first investigation of an incident that another one covered, by the job of its growth, is listed as under way', async () => {
    const id = 'inc_grown';
    const header = JSON.stringify({ source: 'alertmanager', receiver: 'rootnote', groupLabels: {} });
    const counts = { alertCount: '0', truncatedAlerts: '0', startsAtMs: '1' };
    await redis.hset(incidentKey('rootnote', id), { header, state: 'firing', stage: 'investigating', ...counts });
    await redis.zadd(incidentsKey('rootnote'), Date.now(), id);
    await createUpdateStore(redis, 'rootnote').takeRound(id, `grown_${id}_1`);
    const queue = createIncidentQueue(redis, 'rootnote', silentLogger());
    await queue.add({ kind: 'grown', incidentId: id, round: 1 });
    expect(await read('sessions')).toMatch(/ {2}ses_inc_grown {2}waiting, attempt 0, 0 turns so far {2}/);
    await queue.close();
  });

  test('why a session ended is said in words', async () => {
    const store = createReportStore(redis, 'rootnote');
    await store.saveSession({ ...sessionOf('inc_modelless'), terminationReason: 'no_model' });
    expect(await read('sessions')).toMatch(/ses_inc_modelless {2}no model was asked, 1 ms\n/);
    expect(await read('sessions', 'inc_modelless')).toContain('\nended: no model was asked, after 1 ms\n');
  });

  test('a first look is marked as one, in the list and alone', async () => {
    const report = makeReport({ id: 'rep_inc_early', stage: 'first_look' });
    await createReportStore(redis, 'rootnote').saveFirstLook(report, makeIncident({ id: 'inc_early' }));
    expect(await read('reports')).toMatch(/rep_inc_early {2}first look, determined/);
    expect(await read('reports', 'inc_early')).toContain('First look, by the analyst: an agent is at work');
  });

  test.each(['inc_over-r2', 'ses_inc_over-look1', 'ses_inc_over-r2-look1'])(
    '%s finds the one report of its incident',
    async (id) => {
      expect(JSON.parse((await read('reports', id, true)) ?? '')).toMatchObject({ id: 'rep_inc_over' });
    },
  );

  test('of a known incident without a report it is said why', async () => {
    const key = (id: string) => incidentKey('rootnote', id);
    const header = JSON.stringify({ source: 'alertmanager', receiver: 'rootnote', groupLabels: {} });
    const know = (id: string, fields: Readonly<Record<string, string>>) =>
      redis.hset(key(id), {
        header,
        state: 'firing',
        startsAtMs: '1',
        alertCount: '0',
        truncatedAlerts: '0',
        ...fields,
      });
    await know('inc_muted', { stage: 'muted', 'decision:1': '1 1 muted planned work' });
    await know('inc_line', { stage: 'joined', placement: 'summary-only', storm: 'storm_1' });
    await know('inc_covered', { stage: 'joined', placement: 'member inc_slow' });
    await know('inc_busy', { stage: 'investigating' });
    await know('inc_new', {});
    const why = async (id: string) => (await ask('reports', id)).text;
    expect(await why('inc_muted')).toMatch(/^inc_muted is muted \(planned work\): there is no report;/);
    expect(await why('inc_line')).toContain(
      'only a line of the summary of its storm; see rootnote incidents show storm_1',
    );
    expect(await why('inc_covered')).toContain('is investigated with inc_slow, whose report is not there yet');
    expect(await why('inc_busy')).toContain('is being investigated: there is no report yet');
    expect(await why('inc_new')).toContain('inc_new has no report, it is waiting');
    expect(await ask('sessions', 'inc_muted')).toMatchObject({ isFound: false });
  });

  test('a report whose incident fires says nothing about its end; an unknown id finds nothing', async () => {
    expect(await read('reports', 'inc_firing')).not.toContain('resolved');
    expect(await read('reports', 'inc_unknown')).toBeUndefined();
    expect(await read('sessions', 'rep_inc_unknown')).toBeUndefined();
  });
});

function sessionOf(incidentId: string) {
  const times = { startedAtMs: 1, finishedAtMs: 2 };
  return {
    id: sessionId(incidentId),
    incidentId,
    ...times,
    brief: '',
    entries: [],
    usage: NO_USAGE,
    terminationReason: 'done',
  };
}
