import { beforeEach, expect, test } from '@jest/globals';
import { createIncidentReader } from '../../src/app/incident-reader.ts';
import { showIncidents } from '../../src/app/incidents-command.ts';
import { listSessions } from '../../src/app/list-sessions.ts';
import { readBack } from '../../src/app/read-back.ts';
import { Config } from '../../src/config/schema.ts';
import { NO_USAGE } from '../../src/domain/session.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { createIncidentQueue } from '../../src/queue/incident-queue.ts';
import { sweepOutbox } from '../../src/queue/outbox-sweep.ts';
import { planJob } from '../../src/schedule/decide-ticks.ts';
import { createScheduler } from '../../src/schedule/scheduler.ts';
import { createOutbox } from '../../src/sessions/admission/admission-store.ts';
import { createCheckStore } from '../../src/sessions/check-store.ts';
import { createIncidentStore } from '../../src/sessions/incident-store.ts';
import { createReportStore } from '../../src/sessions/report-store.ts';
import { parseNotification } from '../../src/sources/alertmanager/parse-notification.ts';
import { createAdmittingIntake } from '../support/admitting-intake.ts';
import { groupBody, numberedAlert } from '../support/alertmanager-bodies.ts';
import { makeJob } from '../support/check-jobs.ts';
import { makeIncident, makeReport } from '../support/delivery-content.ts';
import { describeIf } from '../support/describe-if.ts';
import { REDIS } from '../support/programs.ts';
import { useRedis } from '../support/use-redis.ts';

const suite = await describeIf(REDIS);
const MINUTE_MS = 60_000;
const START = Date.parse('2026-11-29T10:00:00Z');
/** More than any list shows. */
const RUNS = 60;

suite('incidents beside many runs of scheduled checks', () => {
  const used = useRedis();
  let incidentId = '';
  const idAt = (minute: number) => `check_golden_2026112910${String(minute).padStart(2, '0')}`;

  /** An incident that ends, then a check of every minute for an hour: all runs are over but the last. */
  beforeEach(async () => {
    const { redis, prefix } = used;
    const queue = createIncidentQueue(redis, prefix, silentLogger());
    const intake = createAdmittingIntake(redis, prefix, { queue });
    for (const status of ['firing', 'resolved'] as const) {
      const told = await intake.receive(parseNotification(groupBody({ alerts: [{ ...numberedAlert(1), status }] })));
      incidentId = told.incidentId ?? incidentId;
    }
    let nowMs = START;
    const scheduler = createScheduler([planJob(makeJob())], {
      store: { ...createCheckStore(redis, prefix), nowMs: () => Promise.resolve(nowMs) },
      now: () => nowMs,
      maxRunMs: () => 0,
      onTicks: () => undefined,
      log: silentLogger(),
    });
    for (let minute = 0; minute < RUNS; minute += 1, nowMs += MINUTE_MS) await scheduler.beat();
    await sweepOutbox(createOutbox(redis, prefix), queue, -1000);
    await queue.close();
    const incidents = createIncidentStore(redis, prefix);
    for (let minute = 0; minute < RUNS - 1; minute += 1)
      await incidents.noteProgress(idAt(minute), 'reported', START + minute * MINUTE_MS + 4000);
  });

  const config = () => Config.parse({ REDIS_URL: used.server.url, REDIS_PREFIX: used.prefix });
  const shown = (request: { readonly id?: string; readonly checks?: boolean }) =>
    showIncidents(config(), { ...request, json: false }, () => undefined);

  test('D5: incidents list has incidents alone, also one that has ended; --checks has the latest runs', async () => {
    expect(await shown({})).toMatch(new RegExp(`^\\S+ {2}${incidentId} {2}resolved, .*\\n$`));
    const runs = (await shown({ checks: true })) ?? '';
    const lines = runs.trimEnd().split('\n');
    expect(lines).toHaveLength(30);
    expect(lines[0]).toContain(`  ${idAt(59)}  under way, waiting  [info] Golden signals`);
    expect(lines[1]).toContain(`  ${idAt(58)}  over, reported  [info] Golden signals`);
    expect(runs).not.toContain('open for');
  });

  test('D5: incidents show of a run says that it is over, and since when; the beginning of its id is enough', async () => {
    const text = (await shown({ id: idAt(58) })) ?? '';
    expect(text).toContain('\n  state     over, reported\n');
    expect(text).toContain('\n  over      2026-11-29T10:58:04.000Z\n');
    expect(text).not.toMatch(/firing|alerts|receiver/);
    expect(await shown({ id: idAt(59) })).toContain('\n  state     under way, waiting\n');
    await expect(shown({ id: 'check_' })).rejects.toThrow('several ids begin with check_');
  });

  test('the API pages through incidents, or through the runs of checks where they are asked for', async () => {
    const reader = createIncidentReader(used.redis, used.prefix);
    const all = await reader.listIncidents({ limit: 100, kind: 'incident' });
    expect(all).toMatchObject({ incidents: [{ id: incidentId, kind: 'incident' }], next: null });
    expect((await reader.listIncidents({ limit: 100, kind: 'incident', state: 'firing' })).incidents).toEqual([]);
    const first = await reader.listIncidents({ limit: 50, kind: 'check' });
    const rest = await reader.listIncidents({ limit: 50, kind: 'check', before: first.next ?? '' });
    expect([first.incidents.length, first.next, rest.incidents.length, rest.next]).toEqual([50, idAt(10), 10, null]);
    const running = await reader.listIncidents({ limit: 100, kind: 'check', state: 'firing' });
    expect(running.incidents).toMatchObject([{ id: idAt(59), state: 'firing', resolvedAt: null }]);
  });

  test('a run that waits or is under way is among the sessions', async () => {
    expect(await listSessions(used.redis, used.prefix, false)).toContain(`  ses_${idAt(59)}  waiting, `);
  });

  test('reports list has those of alerts alone; --checks has the others', async () => {
    const reports = createReportStore(used.redis, used.prefix);
    const save = async (id: string, kind: 'incident' | 'check', minute: number) => {
      const [reportId, generatedAt] = [`rep_${id}`, new Date(START + minute * MINUTE_MS).toISOString()];
      const incident = makeIncident({ id, kind });
      const report = makeReport({ id: reportId, kind, generatedAt });
      const [startedAtMs, finishedAtMs] = [START, START + 1];
      const about = { id: `ses_${id}`, incidentId: id, startedAtMs, finishedAtMs, brief: '', entries: [] };
      await reports.saveFirst(report, { ...about, usage: NO_USAGE, terminationReason: 'healthy' }, incident);
    };
    await save(incidentId, 'incident', 0);
    for (let minute = 1; minute < RUNS; minute += 1) await save(idAt(minute), 'check', minute);
    const list = async (checks: boolean) => {
      const request = { what: 'reports', checks, json: false, colour: false } as const;
      const { text } = await readBack(config(), request, () => undefined);
      return text.trimEnd().split('\n');
    };
    expect(await list(false)).toEqual([expect.stringContaining(`  rep_${incidentId}  `)]);
    const ofChecks = await list(true);
    expect([ofChecks.length, ofChecks[0]]).toEqual([50, expect.stringContaining(`  rep_${idAt(59)}  `)]);
  });
});
