import { expect, test } from '@jest/globals';
import type { Process } from '../../../src/app/process.ts';
import { createGrowthInvestigator, type GrowthWork } from '../../../src/app/work-on-growth.ts';
import { silentLogger } from '../../../src/platform/logger.ts';
import { NotYet, type JobContext } from '../../../src/queue/job-worker.ts';
import { makeIncident, makeReport } from '../../support/delivery-content.ts';

/** A grown job that has to wait for the cool-down after round 2. Returns the stages that it noted. */
async function waitsAfterRound(ownerOfRound: string | undefined): Promise<readonly string[]> {
  const noted: string[] = [];
  const incident = makeIncident({ alertCount: 2 });
  const standing = {
    report: makeReport(),
    incident: makeIncident({ alertCount: 1 }),
    round: 2,
    roundEndedAtMs: Date.now(),
  };
  const work = {
    reports: { getReported: () => Promise.resolve(standing) },
    updates: { jobOf: (workId: string) => Promise.resolve(workId.endsWith('-r2') ? ownerOfRound : undefined) },
    incidents: { noteProgress: (_id: string, stage: string) => Promise.resolve(void noted.push(stage)) },
    spending: { settle: () => Promise.resolve() },
    resume: { clear: () => Promise.resolve() },
    lookMinutes: [],
    coolDownMs: 60_000,
  } as unknown as GrowthWork;
  const grown = createGrowthInvestigator({ log: silentLogger() } as unknown as Process, work);
  const context = { jobId: 'grown_inc_2', waitedMs: 0 } as JobContext;
  await expect(grown(incident, context)).rejects.toBeInstanceOf(NotYet);
  return noted;
}

test('a job that waits for its turn leaves the record of decisions alone: what stands is of another job', async () => {
  expect(await waitsAfterRound('grown_inc_1')).toEqual([]);
});

test.each([
  ['its own, which died before all was told', 'grown_inc_2'],
  ['of a job that is not known any more', undefined],
])('a round that stands and is %s is settled', async (_what, owner) => {
  expect(await waitsAfterRound(owner)).toEqual(['reported']);
});
