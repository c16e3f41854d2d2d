import { expect, test } from '@jest/globals';
import type { AdmissionStore, Decided, PendingJob } from '../../../src/intake/admission.ts';
import { startAdmitting } from '../../../src/intake/admit-arrivals.ts';
import { eventually } from '../../support/eventually.ts';
import { gate } from '../../support/gate.ts';

const JOB: PendingJob = { kind: 'investigate', incidentId: 'inc_1' };
const decided = (arrivalId: string): Decided => ({
  arrivalId,
  source: 'alertmanager',
  alerts: 1,
  firing: 1,
  decision: 'new',
  incidentId: 'inc_1',
  pending: [JOB],
});

/** An inbox that answers what it is given, one batch a call, and whose bell never rings by itself. */
function start(batches: (readonly Decided[] | Error)[], retryAside = () => Promise.resolve(0)) {
  const bell = gate<undefined>();
  const told: string[] = [];
  const store: AdmissionStore = {
    admitNext: () => {
      const batch = batches.shift() ?? [];
      return batch instanceof Error ? Promise.reject(batch) : Promise.resolve(batch);
    },
    retryAside,
    settle: (jobs) => Promise.resolve(void told.push(`settled ${jobs.length}`)),
  };
  const admitting = startAdmitting({
    store,
    queue: { addAll: (jobs) => Promise.resolve(void told.push(`queued ${jobs.length}`)) },
    waitForArrival: () => bell.opened,
    onDecided: (one) => told.push(one.arrivalId),
    onRetry: (arrivals) => told.push(`again ${arrivals}`),
    onFailure: (error) => told.push(String(error)),
  });
  const stop = () => {
    bell.open(undefined);
    return admitting.stop();
  };
  return { told, stop };
}

test('all that waits is decided and queued, and then the bell is waited for', async () => {
  const { told, stop } = start([[decided('1-0'), decided('2-0')], [decided('3-0')]]);
  await eventually('all are decided', () => told.includes('3-0'));
  await stop();
  expect(told.filter((line) => line.endsWith('-0'))).toEqual(['1-0', '2-0', '3-0']);
  expect(told).toContain('settled 1');
});

test('a store that is away is told once and asked again until it answers', async () => {
  const away = new Error('away');
  const { told, stop } = start([away, away, [decided('1-0')]]);
  await eventually('it is decided', () => told.includes('1-0'));
  await stop();
  expect(told.filter((line) => line === 'Error: away')).toHaveLength(1);
});

test('what was kept aside is tried again once, and told', async () => {
  const { told, stop } = start([[decided('1-0')]], () => Promise.resolve(2));
  await eventually('it is decided', () => told.includes('1-0'));
  await stop();
  expect(told.filter((line) => line === 'again 2')).toHaveLength(1);
});

test('what cannot be put back into the inbox holds up nobody', async () => {
  const { told, stop } = start([[decided('1-0')], [], [decided('2-0')]], () =>
    Promise.reject(new Error('of another type')),
  );
  await eventually('all are decided', () => told.includes('2-0'));
  await stop();
  expect(told.filter((line) => line === 'Error: of another type')).toHaveLength(1);
});

test('stopping waits until what was decided is in the queue', async () => {
  const { told, stop } = start([[decided('1-0')]]);
  await eventually('it is decided', () => told.includes('1-0'));
  await stop();
  expect(told.at(-1)).toBe('settled 1');
});
