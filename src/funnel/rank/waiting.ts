import type { RootCauseType } from '../../domain/root-cause-type.ts';
import type { Clue, ClueType, RankContext } from './clue.ts';

/** What runs out when calls take longer, whoever makes them longer. */
const FILLED_BY_WAITING: ReadonlySet<RootCauseType> = new Set(['connection_exhaustion', 'queue_backlog']);
const TELLS_OF_FILLING: ReadonlySet<ClueType> = new Set(['limit', 'new-error']);
const TELLS_OF_SLOWNESS: ReadonlySet<ClueType> = new Set(['share', 'edge', 'trace']);
/** A callee is slow itself from this strength on. */
const SLOW = 0.4;
const CONSEQUENCE = 0.4;
/** A resource of a caller has run out from this strength on. */
const USED_UP = 0.4;

/**
 * Discounts what a slow callee fills, and what a client only waits for. A pool holds (calls a second × seconds a call) connections, by Little's law:
 * with a slower callee it runs full though nothing is wrong with it. Time lost on the way to a callee does not count as its slowness: a client that waits
 * for a connection of its own exhausted pool measures it too, so there the pool is meant and the way to the callee is not.
 */
export function discountWaiting(context: RankContext, clues: readonly Clue[]): Clue[] {
  const slow = new Set(clues.filter(isSlowItself).map(({ service }) => service));
  const waits = (service: string) => [...context.model.services.callees(service)].some((callee) => slow.has(callee));
  const exhausted = new Set(
    clues.filter((clue) => isExhausted(clue) && !waits(clue.service)).map(({ service }) => service),
  );
  const isConsequence = (clue: Clue) => {
    if (TELLS_OF_FILLING.has(clue.type) && FILLED_BY_WAITING.has(clue.rootCauseType)) return waits(clue.service);
    return clue.rootCauseType === 'network_latency' && clue.caller !== undefined && exhausted.has(clue.caller);
  };
  return clues.map((clue) => (isConsequence(clue) ? { ...clue, strength: clue.strength * CONSEQUENCE } : clue));
}

function isExhausted({ type, rootCauseType, strength }: Clue): boolean {
  return TELLS_OF_FILLING.has(type) && rootCauseType === 'connection_exhaustion' && strength >= USED_UP;
}

function isSlowItself({ type, rootCauseType, strength }: Clue): boolean {
  return TELLS_OF_SLOWNESS.has(type) && rootCauseType !== 'network_latency' && strength >= SLOW;
}
