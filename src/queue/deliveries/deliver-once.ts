import { randomUUID } from 'node:crypto';
import type { DeliveryContent, DeliveryHandle, DeliveryResult, Destination } from '../../domain/delivery.ts';
import { deliveryId, type Claim, type DeliveryKey, type DeliveryRecords, type Settlement } from './records.ts';

/** A claim that is not renewed for so long belongs to a dead worker. As long as BullMQ's lock, so that both end together. */
const CLAIM_MS = 15_000;
const RENEW_EVERY_MS = 4000;
/** A delivery that has ended so many workers ends the next one too. */
const MAX_CRASHES = 5;

/** Points at which tests stop or kill a worker. */
export type Step = 'claimed' | 'posted' | 'confirmed';

/** How long and how often a delivery is tried. */
export interface RetryPolicy {
  readonly firstMs: number;
  readonly maxMs: number;
  /** From the first attempt until it is given up. */
  readonly forMs: number;
}

export interface DeliverOnceDeps {
  readonly destination: Destination;
  readonly records: DeliveryRecords;
  readonly retry: RetryPolicy;
  readonly random: () => number;
  /** What other servers say becomes a stored reason. */
  readonly redact: (text: string) => string;
  readonly pause: (step: Step, key: DeliveryKey) => Promise<void>;
}

export type Attempt =
  | { readonly kind: 'delivered' | 'gave-up'; readonly attempts: number; readonly reason?: string }
  | { readonly kind: 'later'; readonly afterMs: number; readonly attempts: number; readonly reason: string }
  /** Settled before, or taken over by another worker: nothing to tell. */
  | { readonly kind: 'not-ours' };

/**
 * One attempt: claim, post, confirm. Whoever claims after a claim that ran out unconfirmed is told that a post may be out already.
 * `handle` is the report's post, for content that follows it.
 */
export async function deliverOnce(
  deps: DeliverOnceDeps,
  key: DeliveryKey,
  content: DeliveryContent | undefined,
  handle: DeliveryHandle | undefined,
  signal: AbortSignal,
): Promise<Attempt> {
  const token = randomUUID();
  const claim = await deps.records.claim(key, token, CLAIM_MS);
  if (claim.kind === 'settled') return { kind: 'not-ours' };
  if (claim.kind === 'held') {
    return { kind: 'later', afterMs: claim.forMs + 50, attempts: 0, reason: 'another worker is at it' };
  }
  await deps.pause('claimed', key);
  const hopeless = content === undefined ? 'nothing is stored to deliver' : crashVerdict(claim.crashes);
  const result: DeliveryResult =
    content === undefined || hopeless !== undefined
      ? { outcome: 'give-up', reason: hopeless ?? '' }
      : await post(deps, key, token, content, { handle, mayHavePosted: claim.mayHavePosted, signal });
  await deps.pause('posted', key);
  const outcome = judge(result, claim, deps);
  const settled = await deps.records.settle(key, token, outcome.settlement);
  await deps.pause('confirmed', key);
  return settled ? outcome.attempt : { kind: 'not-ours' };
}

function crashVerdict(crashes: number): string | undefined {
  return crashes > MAX_CRASHES ? `${crashes} workers died over it` : undefined;
}

async function post(
  { destination, records }: DeliverOnceDeps,
  key: DeliveryKey,
  token: string,
  content: DeliveryContent,
  context: {
    readonly handle: DeliveryHandle | undefined;
    readonly mayHavePosted: boolean;
    readonly signal: AbortSignal;
  },
): Promise<DeliveryResult> {
  const lost = new AbortController();
  const renewal = setInterval(() => {
    records.renew(key, token, CLAIM_MS).then(
      (isOurs) => isOurs || lost.abort(new Error('another worker took the delivery over')),
      // Redis is away: the claim may run out, and its next owner reconciles.
      () => undefined,
    );
  }, RENEW_EVERY_MS);
  // A destination that does not heed the signal must not hold the claim for ever.
  context.signal.addEventListener('abort', () => clearInterval(renewal));
  try {
    const signal = AbortSignal.any([context.signal, lost.signal]);
    return await destination.deliver(content, { ...context, marker: deliveryId(key), signal });
  } catch (error) {
    return { outcome: 'retry', reason: error instanceof Error ? error.message : String(error) };
  } finally {
    clearInterval(renewal);
  }
}

/** What an answer means for the record and for the job. */
function judge(
  result: DeliveryResult,
  claim: Extract<Claim, { kind: 'claimed' }>,
  { retry, random, redact }: DeliverOnceDeps,
): { readonly attempt: Attempt; readonly settlement: Settlement } {
  const { attempts } = claim;
  if (result.outcome === 'ok') {
    const handle = result.handle === undefined ? {} : { handle: result.handle };
    return {
      attempt: { kind: 'delivered', attempts },
      settlement: { state: 'delivered', mayHavePosted: true, ...handle },
    };
  }
  const reason = redact(result.reason);
  const isSure = result.outcome === 'retry' && result.posted === 'no';
  const mayHavePosted = claim.mayHavePosted || !isSure;
  const afterMs = result.outcome === 'retry' ? waitMs(result.afterMs, attempts, retry, random()) : 0;
  const isTooLate = claim.ageMs + afterMs > retry.forMs;
  if (result.outcome === 'give-up' || isTooLate) {
    const why = result.outcome === 'give-up' ? reason : `${reason}; given up after ${attempts} attempts`;
    return {
      attempt: { kind: 'gave-up', attempts, reason: why },
      settlement: { state: 'gave-up', reason: why, mayHavePosted },
    };
  }
  return {
    attempt: { kind: 'later', afterMs, attempts, reason },
    settlement: { state: 'pending', reason, mayHavePosted },
  };
}

/** What the other side asked for, else a back-off that doubles. A random part keeps a crowd from coming back as one. */
function waitMs(
  askedMs: number | undefined,
  attempts: number,
  { firstMs, maxMs }: RetryPolicy,
  random: number,
): number {
  if (askedMs !== undefined) return askedMs + firstMs * random;
  return Math.min(firstMs * 2 ** Math.min(attempts - 1, 20), maxMs) * (1 - random / 4);
}
