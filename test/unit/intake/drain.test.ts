import { expect, test } from '@jest/globals';
import type { PendingJob, TracedJob } from '../../../src/intake/admission.ts';
import { createDrain } from '../../../src/intake/drain.ts';

const job = (n: number): TracedJob => ({ kind: 'investigate', incidentId: `inc_${n}` });
const ids = (jobs: readonly PendingJob[]) => jobs.map(({ incidentId }) => incidentId);

function recorded(addAll: (jobs: readonly TracedJob[]) => Promise<void> = () => Promise.resolve()) {
  const added: string[][] = [];
  const settled: string[][] = [];
  const drain = createDrain(
    { settle: (jobs) => Promise.resolve(void settled.push(ids(jobs))) },
    {
      addAll: (jobs) => {
        added.push(ids(jobs));
        return addAll(jobs);
      },
    },
  );
  return { drain, added, settled };
}

test('what comes in at one time is queued in one go, each job once, and then taken out of the outbox', async () => {
  const { drain, added, settled } = recorded();
  drain.put([job(1)]);
  drain.put([job(2), job(1)]);
  drain.put([{ ...job(1), round: 2 }]);
  await drain.emptied();
  expect(added).toEqual([['inc_1', 'inc_2', 'inc_1']]);
  expect(settled).toEqual(added);
});

test('one batch is under way at a time, of a hundred jobs at most', async () => {
  let running = 0;
  let most = 0;
  const { drain, added } = recorded(async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 1));
    running -= 1;
  });
  for (let n = 0; n < 250; n++) drain.put([job(n)]);
  await drain.emptied();
  expect(added.map((batch) => batch.length)).toEqual([100, 100, 50]);
  expect(most).toBe(1);
});

test('what is refused once, as when Redis has just been away, is tried again until it is in', async () => {
  let refusals = 2;
  const { drain, added, settled } = recorded(() =>
    refusals-- > 0 ? Promise.reject(new Error('Redis is away')) : Promise.resolve(),
  );
  drain.put([job(1)]);
  await drain.emptied();
  expect(added).toEqual([['inc_1'], ['inc_1'], ['inc_1']]);
  expect(settled).toEqual([['inc_1']]);
});

test('what cannot be queued is left to the sweep after ten attempts, and what comes later is tried', async () => {
  let isAway = true;
  const { drain, added, settled } = recorded(() =>
    isAway ? Promise.reject(new Error('Redis is away')) : Promise.resolve(),
  );
  drain.put([job(1)]);
  await drain.emptied();
  expect(added).toHaveLength(10);
  isAway = false;
  drain.put([job(2)]);
  await drain.emptied();
  expect(settled).toEqual([['inc_2']]);
});

test('while Redis takes nothing, the memory is bounded', async () => {
  const { drain, added } = recorded();
  drain.put(Array.from({ length: 12_000 }, (_, n) => job(n)));
  await drain.emptied();
  expect(added.flat()).toHaveLength(10_000);
});

test('nothing to put is nothing to wait for', async () => {
  const { drain, added } = recorded();
  drain.put([]);
  await drain.emptied();
  expect(added).toEqual([]);
});
