import { describe, expect, test } from '@jest/globals';
import { keepClaim } from '../../../src/queue/deliveries/keep-claim.ts';
import { JobStopped, type StopReason } from '../../../src/queue/running-jobs.ts';
import type { DeliveryChains } from '../../../src/queue/deliveries/chains.ts';

const chains = { renew: () => Promise.resolve(true) } as unknown as DeliveryChains;
const key = { subjectId: 'inc_1', destination: 'chat' };

function keep(ageMs: number) {
  const job = new AbortController();
  const ownership = { token: 'a', claimedAtMs: performance.now() - ageMs };
  return { job, claim: keepClaim({ chains, lockMs: 60_000 }, key, ownership, job.signal) };
}

describe('a claim', () => {
  test.each<[StopReason, boolean]>([
    ['lock-lost', true],
    ['shutdown', true],
    ['deadline', false],
  ])('of a job that is stopped (%s) is lost, unless the destination took too long', (reason, isLost) => {
    const { job, claim } = keep(0);
    expect(claim.isLost()).toBe(false);
    job.abort(new JobStopped(reason));
    expect(claim.signal.aborted).toBe(true);
    expect(claim.isLost()).toBe(isLost);
    claim.stop();
  });

  test('that has run out unnoticed is lost as soon as it is required', () => {
    const { claim } = keep(60_001);
    expect(() => claim.require()).toThrow('the claim could not be renewed');
    expect(claim.isLost()).toBe(true);
    claim.stop();
  });
});
