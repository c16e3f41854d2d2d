import { expect, test } from '@jest/globals';
import { tellReport, type IncidentWork } from '../../../src/app/work-on-incident.ts';
import type { CheckOutcome } from '../../../src/domain/check.ts';
import type { Report } from '../../../src/domain/report.ts';
import { checkIncident } from '../../../src/schedule/scheduler.ts';
import { makeJob } from '../../support/check-jobs.ts';

const tick = { job: makeJob({}), lateMs: 0, unrun: [] };
const incident = checkIncident(tick, Date.parse('2026-11-29T10:00:00Z'));

function reportOf(status: Report['status'], findings: readonly object[]): Report {
  const probes = [{ name: 'disk', status: findings.length > 0 ? 'found' : 'clear', note: null }];
  const generatedAt = '2026-11-29T10:00:10.000Z';
  return {
    id: 'rep_1',
    status,
    summary: status,
    generatedAt,
    confidence: 0.9,
    evidence: [],
    check: { probes, findings },
  } as unknown as Report;
}
const HEALTHY = reportOf('healthy', []);
const FOUND = reportOf('determined', [{ probe: 'disk', severity: 'critical', object: 'shop/data-0' }]);

/** What is kept and told of a run whose worker comes with `own`, while `standing` was stored before. */
async function tell(own: Report, standing: Report | undefined) {
  const kept: CheckOutcome[] = [];
  const told: string[] = [];
  const work = {
    reports: { getReport: () => Promise.resolve(standing) },
    checks: {
      lastResult: () => Promise.resolve(undefined),
      noteResult: (_: string, outcome: CheckOutcome) => Promise.resolve(void kept.push(outcome)),
    },
    deliveries: { schedule: (_: unknown, what: string) => Promise.resolve(void told.push(what)) },
    routing: { sinkOf: () => undefined },
  } as unknown as IncidentWork;
  await tellReport(work, incident, own);
  return { status: kept[0]?.status, told };
}

test('D5: of a run that two workers did the report that stands is told, and compared with the next', async () => {
  expect(await tell(HEALTHY, FOUND)).toEqual({ status: 'found', told: ['report'] });
  expect(await tell(FOUND, HEALTHY)).toEqual({ status: 'healthy', told: [] });
  expect(await tell(FOUND, undefined)).toEqual({ status: 'found', told: ['report'] });
});
