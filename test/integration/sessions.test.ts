import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import type { Session } from '../../src/domain/session.ts';
import { NO_USAGE } from '../../src/domain/session.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { createKeptList } from '../../src/sessions/kept-list.ts';
import { createReportStore, type ReportStore } from '../../src/sessions/report-store.ts';
import { createUpdateStore } from '../../src/sessions/update-store.ts';
import { reportContent } from '../support/delivery-content.ts';
import { describeIf } from '../support/describe-if.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';

const SESSION: Session = {
  id: 'ses_a',
  incidentId: 'inc_a',
  startedAtMs: 1,
  finishedAtMs: 2,
  brief: 'the brief',
  entries: [{ role: 'user', text: 'look', atMs: 1 }],
  usage: NO_USAGE,
  terminationReason: 'done',
};

const describeRedis = await describeIf(REDIS);

describeRedis('reports and sessions', () => {
  let server: TestRedis;
  let redis: Redis;
  let prefix = '';
  let store: ReportStore;

  beforeAll(async () => {
    server = await startTestRedis();
    redis = openWorkerRedis(server.target, silentLogger());
  });
  beforeEach(() => {
    prefix = `t${randomUUID()}`;
    store = createReportStore(redis, prefix);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  const written = (id: string, generatedAt: string) => {
    const { report, incident } = reportContent();
    return { report: { ...report, id, generatedAt }, incident };
  };

  test('a first look stands until the report is there, and is kept as it was told', async () => {
    const { report, incident } = written('rep_a', '2026-11-29T10:00:00.000Z');
    const first = { ...report, stage: 'first_look' as const, summary: 'at first sight' };
    expect(await store.saveFirstLook(first, incident)).toBe(true);
    expect(await store.saveFirstLook({ ...first, summary: 'again, by another worker' }, incident)).toBe(false);
    expect(await store.listReports(5)).toMatchObject([{ id: 'rep_a', stage: 'first_look', summary: 'at first sight' }]);

    expect(await store.saveFirst(report, SESSION, incident)).toBe(true);
    expect(await store.getReport('rep_a')).toEqual(report);
    expect(await store.listReports(5)).toHaveLength(1);
    expect(await store.saveFirstLook(first, incident)).toBe(false);
    expect(await store.getReport('rep_a')).toEqual(report);
    expect(await store.getFirstLook('rep_a')).toEqual({ report: first, incident });
  });

  test('of many later looks at the same report one takes its place, with its session', async () => {
    const { report, incident } = written('rep_a', '2026-11-29T10:00:00.000Z');
    await store.saveFirst(report, SESSION, incident);
    const standing = await store.getReported('rep_a');
    if (!standing) throw new Error('nothing stands');
    const replaced = await Promise.all(
      [1, 2, 3].map((n) => {
        const later = { workId: `inc_a-look${n}`, news: `news ${n}` };
        const next = { ...standing, report: { ...report, summary: `look ${n}` }, later };
        return store.replace(standing, next, { ...SESSION, id: `ses_a-look${n}` });
      }),
    );
    expect(replaced.filter(Boolean)).toHaveLength(1);
    const n = replaced.indexOf(true) + 1;
    expect(await store.getReported('rep_a')).toMatchObject({
      report: { summary: `look ${n}` },
      later: { news: `news ${n}` },
    });
    expect((await store.listSessions(5)).map(({ id }) => id).toSorted()).toEqual(['ses_a', `ses_a-look${n}`]);
    expect(await store.listReports(5)).toHaveLength(1);
  });

  test('updates are numbered in one sequence; a cause that comes again keeps its number and its words', async () => {
    const updates = createUpdateStore(redis, prefix);
    const causes = ['look1', 'round2', 'taken1', 'look1', 'round2'];
    const numbers = await Promise.all(causes.map((cause) => updates.allot('inc_a', cause, `about ${cause}`)));
    expect(numbers).toEqual([1, 2, 3, 1, 2]);
    expect(await updates.allot('inc_b', 'look1', 'of another')).toBe(1);
    expect(await updates.allot('inc_a', 'look1', 'other words')).toBe(1);
    expect(await updates.newsOf('inc_a', 1)).toBe('about look1');
    expect(await updates.newsOf('inc_a', 4)).toBeUndefined();
  });

  test("a round is one job's, also when that starts again", async () => {
    const updates = createUpdateStore(redis, prefix);
    const taken = await Promise.all(['grown_a_1', 'grown_a_2'].map((job) => updates.takeRound('inc_a-r2', job)));
    expect(taken).toEqual([true, false]);
    expect(await updates.takeRound('inc_a-r2', 'grown_a_1')).toBe(true);
    expect(await updates.takeRound('inc_a-r3', 'grown_a_2')).toBe(true);
  });

  test('a report is read back whole, with the incident it was written about', async () => {
    const { report, incident } = written('rep_a', '2026-11-03T07:30:00.000Z');
    await store.saveFirst(report, SESSION, incident);
    expect(await store.getReport('rep_a')).toEqual(report);
    expect(await store.getReported('rep_a')).toEqual({ report, incident });
    expect(await store.getReport('rep_b')).toBeUndefined();
  });

  test('reports are listed newest first, shortly', async () => {
    for (const [id, at] of [
      ['rep_1', '2026-11-03T07:30:00.000Z'],
      ['rep_3', '2026-11-03T09:30:00.000Z'],
      ['rep_2', '2026-11-03T08:30:00.000Z'],
    ] as const) {
      const { report, incident } = written(id, at);
      await store.saveFirst(report, SESSION, incident);
    }
    const listed = await store.listReports(2);
    expect(listed.map((report) => report.id)).toEqual(['rep_3', 'rep_2']);
    expect(listed[0]).not.toHaveProperty('evidence');
    expect(await store.listReports(0)).toEqual([]);
  });

  test('an investigation that runs twice leaves one report, the one that may be out already, with its session', async () => {
    const { report, incident } = written('rep_a', '2026-11-03T07:30:00.000Z');
    await store.saveFirst(report, SESSION, incident);
    const second = { ...report, summary: 'second run' };
    expect(await store.saveFirst(second, { ...SESSION, brief: 'second run' }, incident)).toBe(false);
    expect((await store.listReports(10)).map((listed) => listed.summary)).toEqual([report.summary]);
    expect((await store.getSession(SESSION.id))?.brief).toBe(SESSION.brief);
  });

  test('what another version wrote is passed over, not shown broken', async () => {
    const { report, incident } = written('rep_a', '2026-11-03T07:30:00.000Z');
    await store.saveFirst(report, SESSION, incident);
    await redis.set(`${prefix}:report:rep_a`, JSON.stringify({ report: { ...report, schemaVersion: 99 }, incident }));
    expect(await store.getReport('rep_a')).toBeUndefined();
    expect(await store.listReports(10)).toEqual([]);
  });

  test('while workers of two versions run, a report with fields that the older one does not know stands: it is read, and told once', async () => {
    const { report, incident } = written('rep_a', '2026-11-03T07:30:00.000Z');
    const newer = {
      ...report,
      incident: { ...report.incident, weather: 'fine' },
      usage: { ...report.usage, joules: 3 },
    };
    await redis.set(`${prefix}:report:rep_a`, JSON.stringify({ report: newer, incident }));
    expect(await store.saveFirst({ ...report, summary: 'another' }, SESSION, incident)).toBe(false);
    expect(await store.getReport('rep_a')).toEqual(newer);
    const broken = { ...newer, summary: 7 };
    await redis.set(`${prefix}:report:rep_a`, JSON.stringify({ report: broken, incident }));
    expect(await store.getReport('rep_a')).toBeUndefined();
  });

  test('a session is read back whole and listed without its transcript', async () => {
    const { report, incident } = written('rep_a', '2026-11-03T07:30:00.000Z');
    await store.saveFirst(report, SESSION, incident);
    expect(await store.getSession('ses_a')).toEqual(SESSION);
    const { entries: _entries, brief: _brief, ...summary } = SESSION;
    expect(await store.listSessions(5)).toEqual([summary]);
  });

  test('of workers that report at once the first report stands, with the session of the same worker', async () => {
    const workers = Array.from({ length: 8 }, (_, n) => {
      const { report, incident } = written('rep_a', '2026-11-03T07:30:00.000Z');
      return { report: { ...report, summary: `worker ${n}` }, session: { ...SESSION, brief: `worker ${n}` }, incident };
    });
    const others = workers.map(() => openWorkerRedis(server.target, silentLogger()));
    const saved = await Promise.all(
      workers.map(({ report, session, incident }, n) =>
        createReportStore(others[n] ?? redis, prefix).saveFirst(report, session, incident),
      ),
    );
    for (const other of others) other.disconnect();
    expect(saved.filter(Boolean)).toHaveLength(1);
    const first = `worker ${saved.indexOf(true)}`;
    expect(await store.getReport('rep_a')).toMatchObject({ summary: first });
    expect(await store.getSession('ses_a')).toMatchObject({ brief: first });
    expect(await store.listReports(5)).toHaveLength(1);
  });

  test('a report that was sent twice over a lost connection is the first; one of another version is replaced', async () => {
    const { report, incident } = written('rep_a', '2026-11-03T07:30:00.000Z');
    await redis.set(`${prefix}:report:rep_a`, JSON.stringify({ report: { schemaVersion: 0 }, incident }));
    expect(await store.saveFirst(report, SESSION, incident)).toBe(true);
    expect(await store.saveFirst(report, SESSION, incident)).toBe(true);
    expect(await store.saveFirst({ ...report, summary: 'another' }, SESSION, incident)).toBe(false);
    expect(await store.getReport('rep_a')).toEqual(report);
  });

  test('retention is by count and by age', async () => {
    const isText = (value: unknown): value is string => typeof value === 'string';
    const list = createKeptList(redis, prefix, 'note', isText, { maxRecords: 3 });
    for (let n = 0; n < 6; n++) await list.saveFirst(`n${n}`, n, `text ${n}`);
    expect(await list.list(10)).toEqual(['text 5', 'text 4', 'text 3']);
    expect(await list.get('n0')).toBeUndefined();
    expect(await redis.ttl(`${prefix}:note:n5`)).toBeGreaterThan(86_400);
  });

  test('B16: sessions of sub-agents are read back beside their parent, in the order of the orders, and are not listed with it', async () => {
    const { report, incident } = written('rep_a', '2026-11-03T07:30:00.000Z');
    const sub = (place: string): Session => ({
      ...SESSION,
      id: `ses_a.${place}`,
      parentId: 'ses_a',
      task: `task ${place}`,
    });
    for (const place of ['10.1', '2.2', '2.1']) await store.saveSubSession('ses_a', sub(place));
    await store.saveFirst(report, SESSION, incident);
    expect((await store.getSubSessions('ses_a')).map(({ id }) => id)).toEqual(['ses_a.2.1', 'ses_a.2.2', 'ses_a.10.1']);
    expect(await store.getSession('ses_a.2.2')).toEqual(sub('2.2'));
    expect(await store.getSession('ses_a.9.9')).toBeUndefined();
    expect((await store.listSessions(10)).map(({ id }) => id)).toEqual(['ses_a']);
    expect(await redis.ttl(`${prefix}:sub-sessions:ses_a`)).toBeGreaterThan(86_400);
  });

  test('B16: a session of a sub-agent is not replaced by one that tells less: of an overlapping run that was stopped, or of a lost one', async () => {
    const ended = (terminationReason: string): Session => ({ ...SESSION, id: 'ses_a.1.1', terminationReason });
    const kept = async () => (await store.getSession('ses_a.1.1'))?.terminationReason;
    for (const [reason, stands] of [
      ['lost', 'lost'],
      ['aborted', 'aborted'],
      ['lost', 'aborted'],
      ['turns', 'turns'],
      ['aborted', 'turns'],
      ['done', 'done'],
    ] as const) {
      await store.saveSubSession('ses_a', ended(reason));
      expect(await kept()).toBe(stands);
    }
  });

  test('B16: the sessions of sub-agents go with the session of their parent', async () => {
    const list = createKeptList(redis, prefix, 'note', (value): value is string => typeof value === 'string', {
      maxRecords: 1,
      companions: (id) => [`${prefix}:beside:${id}`],
    });
    for (const n of [1, 2]) {
      await redis.set(`${prefix}:beside:n${n}`, 'kept as long as its note');
      await list.saveFirst(`n${n}`, n, `text ${n}`);
    }
    expect(await redis.exists(`${prefix}:beside:n1`)).toBe(0);
    expect(await redis.exists(`${prefix}:beside:n2`)).toBe(1);
  });
});
