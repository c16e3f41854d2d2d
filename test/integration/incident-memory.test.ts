import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import type { Brief } from '../../src/domain/brief.ts';
import type { Incident } from '../../src/domain/incident.ts';
import type { Report } from '../../src/domain/report.ts';
import { NO_USAGE } from '../../src/domain/session.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { findNode } from '../../src/platform/redis-nodes.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { createIncidentMemory, type IncidentMemory } from '../../src/sessions/incident-memory.ts';
import { createReportStore, type ReportStore } from '../../src/sessions/report-store.ts';
import { makeIncident, makeReport } from '../support/delivery-content.ts';
import { describeIf } from '../support/describe-if.ts';
import { REDIS } from '../support/programs.ts';
import { prefixOf, startTestRedis, type TestRedis } from '../support/redis.ts';

const START = Date.parse('2026-11-29T10:00:00Z');
const HOUR = 3_600_000;
const POOL =
  'New error "connection pool exhausted: no connection to ledger-db within <*> (<*> of <*> in use)"; 300 lines where none is usual in payments';

function briefWith(...statements: readonly string[]): Brief {
  const evidence = statements.map((statement, i) => ({
    id: `L${i + 1}`,
    kind: 'log' as const,
    service: 'x',
    statement,
    atMs: undefined,
  }));
  return {
    text: '',
    tokens: 0,
    rawTokens: 0,
    ranking: { suspects: [], confidence: 0, confidenceReasons: [] },
    evidence,
    gaps: [],
  };
}

const alertOf = (
  name: string,
  service: string | undefined,
  startsAtMs: number,
  id = `inc_${name}_${startsAtMs}`,
): Incident => makeIncident({ id, title: name, service, startsAtMs, labels: { alertname: name } });

(await describeIf(REDIS))('earlier incidents', () => {
  let server: TestRedis;
  let redis: Redis;
  let prefix = '';
  let reports: ReportStore;
  let memory: IncidentMemory;
  let resolvedAtMs: number | undefined;

  beforeAll(async () => {
    server = await startTestRedis();
    redis = openWorkerRedis(server.target, silentLogger());
  });
  beforeEach(() => {
    prefix = prefixOf(`t${randomUUID()}`);
    resolvedAtMs = undefined;
    reports = createReportStore(redis, prefix);
    memory = createIncidentMemory(redis, prefix, {
      reports,
      incidents: { getResolvedAtMs: () => Promise.resolve(resolvedAtMs) },
      redact: (text) => text.replaceAll('tok_secret', '[REDACTED:token:ab12]'),
    });
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  /** Stores and files a report, as a worker does. */
  async function past(
    incident: Incident,
    logs: readonly string[] = [],
    overrides: Partial<Report> = {},
  ): Promise<string> {
    const id = `rep_${incident.id}`;
    const evidence = logs.map((statement, i) => ({
      id: `L${i + 1}`,
      kind: 'log' as const,
      statement,
      at: null,
      relative: null,
      query: null,
      link: null,
    }));
    const base = makeReport();
    const about = { ...base.incident, id: incident.id, title: incident.title, service: incident.service ?? null };
    const report = { ...base, id, evidence, incident: about, ...overrides };
    const session = {
      id: `ses_${incident.id}`,
      incidentId: incident.id,
      startedAtMs: 1,
      finishedAtMs: 2,
      brief: '',
      entries: [],
      usage: NO_USAGE,
      terminationReason: 'done',
    };
    await reports.saveFirst(report, session, incident);
    await memory.file(incident, report);
    return id;
  }
  const idsFor = async (incident: Incident, brief = briefWith()) =>
    (await memory.findEarlier(incident, brief)).map(({ reportId }) => reportId);

  test('an earlier report on the same alert comes with its outcome', async () => {
    const id = await past(alertOf('CheckoutSlow', 'checkout', START));
    resolvedAtMs = START + 20 * 60_000;
    expect(await memory.findEarlier(alertOf('CheckoutSlow', 'other', START + HOUR), briefWith())).toEqual([
      {
        reportId: id,
        startsAtMs: START,
        title: 'CheckoutSlow',
        service: 'checkout',
        alike: ['alert'],
        status: 'determined',
        rootCauseService: 'orders-db',
        rootCauseType: 'connection_exhaustion',
        confidence: 0.86,
        summary: expect.stringContaining('orders-db ran out of connections'),
        resolvedAfterMs: 20 * 60_000,
      },
    ]);
  });

  test('most alike first: the same error before the same alert before the same service, then the newest', async () => {
    const byService = await past(alertOf('A', 'checkout', START + 3 * HOUR));
    const byAlert = await past(alertOf('CheckoutSlow', 'x', START + 2 * HOUR));
    const byError = await past(alertOf('B', 'payments', START), [POOL]);
    const now = alertOf('CheckoutSlow', 'checkout', START + 9 * HOUR);
    expect(await idsFor(now, briefWith(POOL))).toEqual([byError, byAlert, byService]);
    const newer = await past(alertOf('CheckoutSlow', 'y', START + 4 * HOUR));
    expect(await idsFor(now)).toEqual([newer, byAlert, byService]);
  });

  test('an error is known by its wording, not by the values, the number of lines or a secret in it', async () => {
    const id = await past(alertOf('A', 'a', START), [
      'New error "token [REDACTED:token:9f9f] refused by host-17 after 2000 ms"; 3 lines where none is usual in a',
    ]);
    const now = alertOf('B', 'b', START + HOUR);
    expect(
      await idsFor(
        now,
        briefWith('More of the error "token tok_secret refused by <*> after <*> ms"; 99 lines where 2 are usual in b'),
      ),
    ).toEqual([id]);
    expect(await idsFor(now, briefWith('New error "token refused"; 3 lines'))).toEqual([]);
  });

  test('what is no error says nothing: log lines, vanished errors, errors of one word', async () => {
    const statements = [
      'New log line "order placed for cart <*>"; 3 lines',
      'No more of the error "pool is exhausted"; 0 lines',
      'New error "failed"; 3 lines',
    ];
    await past(alertOf('A', 'a', START), statements);
    expect(await idsFor(alertOf('B', 'b', START + HOUR), briefWith(...statements))).toEqual([]);
  });

  test('never itself, never one that began later, never more than three', async () => {
    const now = alertOf('CheckoutSlow', 'checkout', START + HOUR);
    await past(now);
    await past(alertOf('CheckoutSlow', 'checkout', START + 2 * HOUR));
    expect(await idsFor(now)).toEqual([]);
    for (let n = 0; n < 5; n++) await past(alertOf('CheckoutSlow', 'checkout', START + n));
    const ids = await idsFor(now);
    expect(ids).toHaveLength(3);
    expect(ids).not.toContain(`rep_${now.id}`);
  });

  test('a report that is forgotten by now is passed over', async () => {
    const gone = await past(alertOf('CheckoutSlow', 'checkout', START + 1));
    const there = await past(alertOf('CheckoutSlow', 'checkout', START));
    await redis.del(`${prefix}:report:${gone}`);
    expect(await idsFor(alertOf('CheckoutSlow', 'checkout', START + HOUR))).toEqual([there]);
  });

  test('a check that found all well is not filed; one that found trouble is', async () => {
    const check = makeIncident({ id: 'check_a', kind: 'check', service: 'checkout', startsAtMs: START, labels: {} });
    await past(check, [], { kind: 'check', status: 'healthy' });
    expect(await idsFor(alertOf('A', 'checkout', START + HOUR))).toEqual([]);
    const ill = { ...check, id: 'check_b' };
    const id = await past(ill, [], { kind: 'check' });
    expect(await idsFor(alertOf('A', 'checkout', START + HOUR))).toEqual([id]);
  });

  test('the index is bounded in number and in time, and filing twice changes nothing', async () => {
    for (let n = 0; n < 40; n++) await past(alertOf('Busy', undefined, START + n));
    await past(alertOf('Busy', undefined, START + 39));
    const keys = (await (await findNode(redis, prefix))?.keys(`${prefix}:alike:*`)) ?? [];
    expect(keys).toHaveLength(1);
    expect(await redis.zcard(keys[0] ?? '')).toBe(30);
    expect(await redis.ttl(keys[0] ?? '')).toBeGreaterThan(86_400);
  });
});
