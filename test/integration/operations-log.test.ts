import { beforeEach, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import type { DeliveryRecord } from '../../src/domain/delivery.ts';
import type { OperationsLog } from '../../src/domain/operations.ts';
import { NO_USAGE } from '../../src/domain/session.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { createIncidentQueue } from '../../src/queue/incident-queue.ts';
import { createIncidentStore } from '../../src/sessions/incident-store.ts';
import { createOperationsLog } from '../../src/sessions/operations-log.ts';
import { createReportStore } from '../../src/sessions/report-store.ts';
import { parseNotification } from '../../src/sources/alertmanager/parse-notification.ts';
import { createAdmittingIntake } from '../support/admitting-intake.ts';
import { groupBody, numberedAlert, type BodyAlert } from '../support/alertmanager-bodies.ts';
import { makeIncident, makeReport } from '../support/delivery-content.ts';
import { describeIf } from '../support/describe-if.ts';
import { keepCheck } from '../support/keep-check.ts';
import { REDIS } from '../support/programs.ts';
import { useRedis } from '../support/use-redis.ts';

const describeRedis = await describeIf(REDIS);

const DELIVERED: DeliveryRecord = {
  destination: 'slack',
  content: 'report',
  state: 'gave-up',
  attempts: 2,
  reason: 'HTTP 404\nsecond line',
  handle: undefined,
  updatedAtMs: Date.parse('2026-11-29T10:01:00Z'),
};

describeRedis('B14: what Rootnote itself did', () => {
  let redis: Redis;
  let prefix: string;
  let log: OperationsLog;

  const used = useRedis();
  beforeEach(() => {
    ({ redis, prefix } = used);
    log = createOperationsLog({
      incidents: createIncidentStore(redis, prefix),
      reports: createReportStore(redis, prefix),
      deliveriesOf: (id) => Promise.resolve(id === 'check_nightly_1' ? [DELIVERED] : []),
    });
  });

  const admit = async (alerts: readonly BodyAlert[], groupKey: string) => {
    const queue = createIncidentQueue(redis, prefix, silentLogger());
    const intake = createAdmittingIntake(redis, prefix, { queue });
    const { incidentId } = await intake.receive(parseNotification(groupBody({ alerts, groupKey })));
    await intake.queued();
    await queue.close();
    return incidentId ?? '';
  };
  const check = makeIncident({
    id: 'check_nightly_1',
    kind: 'check',
    source: 'schedule',
    title: 'nightly',
    startsAtMs: Date.parse('2026-11-29T09:59:00Z'),
  });
  const reportCheck = async () => {
    await keepCheck(redis, prefix, check);
    const report = makeReport({ id: 'rep_check_nightly_1', generatedAt: '2026-11-29T10:00:41.000Z' });
    const session = {
      id: 'ses_check_nightly_1',
      incidentId: check.id,
      startedAtMs: 1,
      finishedAtMs: 2,
      brief: '',
      entries: [],
      usage: NO_USAGE,
      terminationReason: 'done',
    };
    await createReportStore(redis, prefix).saveFirst(report, session, check);
  };

  test('incidents and checks are listed newest first, with state and verdict', async () => {
    await reportCheck();
    const first = await admit([numberedAlert(1)], '{}:{a="1"}');
    const second = await admit([numberedAlert(2)], '{}:{a="2"}');
    await admit([numberedAlert(2, { status: 'resolved' })], '{}:{a="2"}');
    const records = await log.listIncidents(10);
    const textOf = (id: string) => records.find((record) => record.id === id)?.text;
    expect(records.map(({ id }) => id).toSorted()).toEqual([check.id, first, second].toSorted());
    expect(records.map(({ atMs }) => atMs)).toEqual(records.map(({ atMs }) => atMs).toSorted((a, b) => b - a));
    expect(textOf(first)).toMatch(/^firing: .*; no report yet$/);
    expect(textOf(second)).toMatch(/^resolved after .*; no report yet$/);
    expect(textOf(check.id)).toBe(
      'scheduled check: nightly (checkout, critical); report rep_check_nightly_1: determined, orders-db, connection_exhaustion, confidence 0.86 (agent)',
    );
  });

  test('no more than asked for, of one incident when asked for one, and nothing of one that is not known', async () => {
    await reportCheck();
    await admit([numberedAlert(1)], '{}:{a="1"}');
    expect(await log.listIncidents(1)).toHaveLength(1);
    expect((await log.listEvents(10, check.id)).every(({ id }) => id === check.id)).toBe(true);
    expect(await log.listEvents(10, 'inc_unknown')).toEqual([]);
    expect(await log.listExecutions(10, 'inc_unknown')).toEqual([]);
  });

  test('events say what began, was written and was not delivered, one line each', async () => {
    await reportCheck();
    expect((await log.listEvents(10)).map(({ text }) => text)).toEqual([
      'report to slack gave-up (2 attempts, HTTP 404 second line): nightly',
      'report rep_check_nightly_1 written (finished): nightly',
      'check began: nightly',
    ]);
  });

  test('executions say how investigations ended, what they cost, and that proposals were not executed', async () => {
    await reportCheck();
    await admit([numberedAlert(1)], '{}:{a="1"}');
    const [only, ...others] = await log.listExecutions(10);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ id: 'ses_check_nightly_1', atMs: Date.parse('2026-11-29T10:00:41.000Z') });
    expect(only?.text).toMatch(
      /^investigation of check_nightly_1 ended finished after 38 s: 4 turns, 1 sub-agents, 12345 tokens in, 812 out, 0\.0412 USD; .*; proposed, not executed: Roll back release 812 \[R2, needs approval\]$/,
    );
  });
});
