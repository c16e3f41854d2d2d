import { setTimeout as sleep } from 'node:timers/promises';
import type { Turns } from '../../domain/delivery.ts';
import type { SlackFailure } from './api.ts';

/** Slack allows about one message a second and channel, or incoming webhook. */
const POST_EVERY_MS = 1050;
/** Slack has a queue of its own, so waiting here holds up nobody else. */
const MAX_WAIT_MS = 30_000;

/** How much of a turn somebody who has just come leaves to others; and who has begun, to the summary of a storm. */
const COURTESY = 0.2;
const BEGUN_COURTESY = 0.05;

interface Waiting {
  readonly everyMs?: number;
  /** Something of it is posted: it goes first. Were it to fail now, the next attempt would have to look for what is there, or to post it twice where it may not look. */
  readonly hasBegun?: boolean;
  /** Before all others: it says in one message what they tell one by one. */
  readonly isSummary?: boolean;
}

/**
 * Waits until it is our turn to post; a failure when that is too far away. `place`: a channel, or what stands for a webhook. Of those who wait, in whatever
 * process, the summary of a storm comes back first, then who has begun, then who has waited longest: chance alone would leave some until they fail.
 */
export async function takeTurn(
  turns: Turns,
  place: string,
  signal: AbortSignal,
  { everyMs = POST_EVERY_MS, hasBegun = false, isSummary = false }: Waiting = {},
): Promise<SlackFailure | undefined> {
  const beganMs = performance.now();
  for (;;) {
    const afterMs = await turns.take(placeOf(place), everyMs);
    if (afterMs === 0) return undefined;
    const waitedMs = performance.now() - beganMs;
    if (waitedMs + afterMs > MAX_WAIT_MS) {
      const reason = 'the channel has more messages waiting than Slack takes at once';
      return { outcome: 'retry', reason, afterMs, posted: 'no' };
    }
    const patience = hasBegun ? 1 : waitedMs / MAX_WAIT_MS;
    const courtesy = isSummary ? 0 : BEGUN_COURTESY + COURTESY * (1 - patience);
    await sleep(afterMs + courtesy * everyMs, undefined, { signal });
  }
}

/** What Slack asks one poster for (`Retry-After`) holds for all. */
export async function heedPause(
  turns: Turns,
  place: string,
  failure: { readonly outcome: string; readonly afterMs?: number },
) {
  if (failure.outcome === 'retry' && failure.afterMs !== undefined) await turns.pause(placeOf(place), failure.afterMs);
}

const placeOf = (place: string) => `slack:${place}`;
