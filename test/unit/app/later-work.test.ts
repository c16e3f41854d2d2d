import { expect, test } from '@jest/globals';
import { scheduleLooks, type LaterDeps } from '../../../src/app/later-work.ts';
import { makeIncident, makeReport } from '../../support/delivery-content.ts';

const MINUTE = 60_000;

function deps(scheduled: number[]): LaterDeps {
  const looks = {
    schedule: (_look: unknown, afterMs: number) => Promise.resolve(void scheduled.push(Math.round(afterMs / MINUTE))),
  };
  return { looks, lookMinutes: [5, 15] } as unknown as LaterDeps;
}

test('looks are counted from the round that they follow, also where an older report still stands', async () => {
  const scheduled: number[] = [];
  const report = makeReport({ generatedAt: new Date(Date.now() - 60 * MINUTE).toISOString() });
  const standing = { report, incident: makeIncident(), round: 2, roundEndedAtMs: Date.now() };
  await scheduleLooks(deps(scheduled), standing);
  const tookMinutes = Math.round(report.usage.duration_ms / MINUTE);
  expect(scheduled).toEqual([5 - tookMinutes, 15 - tookMinutes]);
});
