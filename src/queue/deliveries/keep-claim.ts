import type { Turns } from '../../domain/delivery.ts';
import type { DeliveryChains } from './chains.ts';
import { JobStopped } from '../running-jobs.ts';
import type { ChainKey } from './keys.ts';

/** How often a claim is renewed before it runs out. */
const RENEWALS_PER_CLAIM = 4;
const TAKEN_OVER = 'another worker took the delivery over';

interface ClaimDeps {
  readonly chains: DeliveryChains;
  readonly lockMs: number;
}

export interface Ownership {
  readonly token: string;
  /** When it was asked for, by `performance.now()`: the answer may have come late. */
  readonly claimedAtMs: number;
}

/**
 * Renews the claim until it is stopped. The signal aborts when somebody else has it, and when Redis has been away for so long that somebody else may: to
 * go on posting then is how one report becomes two. A process that was frozen sees answers before its timers, so `require` looks at the clock: it aborts
 * and throws when the claim has run out, and is for the moment before a post.
 */
export function keepClaim(
  { chains, lockMs }: ClaimDeps,
  key: ChainKey,
  { token, claimedAtMs }: Ownership,
  signal: AbortSignal,
) {
  const lost = new AbortController();
  let renewedAtMs = claimedAtMs;
  const abortWhenOver = () => {
    if (performance.now() - renewedAtMs > lockMs) lost.abort(new Error('the claim could not be renewed'));
  };
  const renew = async () => {
    const askedAtMs = performance.now();
    abortWhenOver();
    const isOurs = await chains.renew(key, token, lockMs);
    if (isOurs) renewedAtMs = askedAtMs;
    else lost.abort(new Error(TAKEN_OVER));
  };
  // That Redis is away is no news; the time decides.
  const timer = setInterval(() => void renew().catch(() => undefined), lockMs / RENEWALS_PER_CLAIM);
  // A destination that does not heed the signal must not hold the claim for ever.
  signal.addEventListener('abort', () => clearInterval(timer));
  return {
    signal: AbortSignal.any([signal, lost.signal]),
    require: () => {
      abortWhenOver();
      lost.signal.throwIfAborted();
    },
    /** True when it was not for the destination that the attempt ended: the claim or the job went to another worker, or the process stops. */
    isLost: () => lost.signal.aborted || (signal.reason instanceof JobStopped && signal.reason.reason !== 'deadline'),
    stop: () => clearInterval(timer),
  };
}

/** Every turn may have been waited for so long that the claim has run out. While one is waited for, the chain knows. */
export function takeTurns(
  { chains, turns }: Pick<ClaimDeps, 'chains'> & { readonly turns: Turns },
  key: ChainKey,
  token: string,
  requireClaim: () => void,
): Turns['take'] {
  let rests = false;
  return async (place, everyMs) => {
    const afterMs = await turns.take(place, everyMs);
    const waits = afterMs > 0;
    if (waits !== rests && !(await chains.rest(key, token, waits))) throw new Error(TAKEN_OVER);
    rests = waits;
    requireClaim();
    return afterMs;
  };
}
