import { randomUUID } from 'node:crypto';
import {
  type ContentName,
  type DeliveryContent,
  type DeliveryContext,
  type DeliveryResult,
  type Destination,
  type Turns,
} from '../../domain/delivery.ts';
import type { StormSummary } from '../../domain/storm.ts';
import type { SpanFacts, SpanOrigin, TraceSpan } from '../../domain/tracing.ts';
import type { Claim, DeliveryChains, Settlement } from './chains.ts';
import { keepClaim, takeTurns, type Ownership } from './keep-claim.ts';
import { deliveryId, type ChainKey, type DeliveryKey } from './keys.ts';

/** A delivery that has ended so many workers ends the next one too. */
const MAX_CRASHES = 5;
/** How long `resolved` waits for the report it follows: as long as an investigation may wait and run. */
const REPORT_WAIT_MS = 3_600_000;

/** Points at which tests stop or kill a worker. */
export type Step = 'claimed' | 'posted' | 'confirmed';

/** How long and how often a delivery is tried. */
export interface RetryPolicy {
  readonly firstMs: number;
  readonly maxMs: number;
  /** From the first attempt until it is given up. */
  readonly forMs: number;
}

/** What a destination is given. */
export type Told = DeliveryContent | { readonly kind: 'storm'; readonly storm: StormSummary };

export interface DeliverNextDeps {
  /** A claim that is not renewed for so long belongs to a dead worker. As long as BullMQ's lock, so that both end together. */
  readonly lockMs: number;
  readonly destination: Destination;
  readonly chains: DeliveryChains;
  readonly turns: Turns;
  /** Redacted. `told`: the newest content that the destination has, notices aside. Undefined when nothing is stored any more. */
  readonly load: (key: DeliveryKey, told: ContentName | undefined) => Promise<Told | undefined>;
  readonly retry: RetryPolicy;
  readonly random: () => number;
  /** What other servers say becomes a stored reason. */
  readonly redact: (text: string) => string;
  /** Called before a delivery is noted as given up, so that no death in between keeps it silent; again where its worker dies then. Never rejects. */
  readonly onGivingUp: (key: DeliveryKey, reason: string) => Promise<void>;
  readonly pause: (step: Step, key: DeliveryKey) => Promise<void>;
  readonly trace: TraceSpan;
}

type Claimed = Extract<Claim, { kind: 'claimed' }>;

/** What became of one attempt. `unconfirmed`: another worker took it over meanwhile, and will find out. */
export interface Attempt {
  readonly kind: 'delivered' | 'gave-up' | 'passed-over' | 'later' | 'unconfirmed';
  readonly content: ContentName;
  readonly attempts: number;
  readonly reason?: string;
  /** Until the next attempt. */
  readonly afterMs: number;
}
export type Next =
  | { readonly kind: 'attempt'; readonly attempt: Attempt }
  /** Another worker is at the chain, or what is next is not due. */
  | { readonly kind: 'wait'; readonly forMs: number }
  | { readonly kind: 'idle' };

/**
 * One attempt at what is next in a chain: claim, post, confirm. Whoever claims after a claim that ran out unconfirmed is told that a post may be out
 * already. Everything that may end the process stands between claim and confirm, so that it is counted.
 */
export async function deliverNext(
  deps: DeliverNextDeps,
  chain: ChainKey,
  origin: SpanOrigin | undefined,
  signal: AbortSignal,
): Promise<Next> {
  const token = randomUUID();
  const times = { claimMs: deps.lockMs, longestWaitMs: deps.retry.forMs, reportWaitMs: REPORT_WAIT_MS };
  const askedAtMs = performance.now();
  const claim = await deps.chains.claim(chain, token, times);
  if (claim.kind === 'idle') return claim;
  if (claim.kind !== 'claimed') return { kind: 'wait', forMs: claim.forMs + (claim.kind === 'held' ? 50 : 0) };
  const key = { ...chain, content: claim.content };
  const facts = { destination: key.destination, content: key.content, incident: key.subjectId };
  const deliver = async (describe: (facts: SpanFacts) => void): Promise<Attempt> => {
    await deps.pause('claimed', key);
    const result = await tell(deps, key, claim, { token, claimedAtMs: askedAtMs }, signal);
    await deps.pause('posted', key);
    const settlement = judge(result, claim, deps);
    if (settlement.state === 'gave-up') await deps.onGivingUp(key, settlement.reason ?? '');
    const isOurs = await deps.chains.settle(key, token, settlement);
    await deps.pause('confirmed', key);
    const attempt = attemptOf(settlement, claim, isOurs);
    describe({ outcome: attempt.kind, attempts: attempt.attempts });
    return attempt;
  };
  return { kind: 'attempt', attempt: await deps.trace('delivery', facts, deliver, origin) };
}

/** `skip`: there is nothing to tell this destination, and nothing is wrong. */
type Result = DeliveryResult | { readonly outcome: 'skip'; readonly reason: string };

/** That we stalled is no reason to leave the destination alone for long. */
const AT_ONCE = { afterMs: 0 } as const;

async function tell(
  deps: DeliverNextDeps,
  key: DeliveryKey,
  claim: Claimed,
  ownership: Ownership,
  signal: AbortSignal,
): Promise<Result> {
  if (claim.crashes > MAX_CRASHES) return { outcome: 'give-up', reason: `${claim.crashes} workers died over it` };
  const renewed = keepClaim(deps, key, ownership, signal);
  try {
    const told = await deps.load(key, claim.told);
    if (told === undefined) return { outcome: 'give-up', reason: 'nothing is stored to deliver' };
    const { handle, mayHavePosted } = claim;
    renewed.require();
    const result = await give(deps.destination, told, {
      handle,
      mayHavePosted,
      marker: deliveryId(key),
      turns: { ...deps.turns, take: takeTurns(deps, key, ownership.token, renewed.require) },
      signal: renewed.signal,
    });
    return result.outcome === 'retry' && renewed.isLost() ? { ...AT_ONCE, ...result } : result;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { outcome: 'retry', reason, ...(renewed.isLost() ? AT_ONCE : {}) };
  } finally {
    renewed.stop();
  }
}

async function give(destination: Destination, told: Told, context: DeliveryContext): Promise<Result> {
  if (told.kind === 'storm') {
    return destination.deliverStorm
      ? destination.deliverStorm(told.storm, context)
      : { outcome: 'skip', reason: 'storms are not told here' };
  }
  if (!destination.tells.includes(told.kind)) return { outcome: 'skip', reason: `no ${told.kind} is told here` };
  return destination.deliver(told, context);
}

/** What an answer means for the record. */
function judge(result: Result, claim: Claimed, { retry, random, redact }: DeliverNextDeps): Settlement {
  const { attempts } = claim;
  if (result.outcome === 'ok') {
    return {
      state: 'delivered',
      mayHavePosted: true,
      ...(result.handle === undefined ? {} : { handle: result.handle }),
    };
  }
  const reason = redact(result.reason);
  if (result.outcome === 'skip') return { state: 'superseded', reason, mayHavePosted: claim.mayHavePosted };
  const isSure = result.outcome === 'retry' && result.posted === 'no';
  const mayHavePosted = claim.mayHavePosted || !isSure;
  if (result.outcome === 'give-up') return { state: 'gave-up', reason, mayHavePosted };
  const afterMs = waitMs(result.afterMs, attempts, retry, random());
  return claim.ageMs + afterMs > retry.forMs
    ? { state: 'gave-up', reason: `${reason}; given up after ${attempts} attempts`, mayHavePosted }
    : { state: 'pending', reason, mayHavePosted, afterMs };
}

const KIND_OF = {
  delivered: 'delivered',
  'gave-up': 'gave-up',
  superseded: 'passed-over',
  pending: 'later',
  posting: 'later',
} as const;

function attemptOf({ state, reason, afterMs = 0 }: Settlement, claim: Claimed, isOurs: boolean): Attempt {
  const { content, attempts } = claim;
  const kind = isOurs ? KIND_OF[state] : 'unconfirmed';
  return { kind, content, attempts, afterMs, ...(reason === undefined ? {} : { reason }) };
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
