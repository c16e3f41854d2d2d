import type { RootCauseType } from '../../domain/root-cause-type.ts';
import type { Clue, ClueType, RankContext } from './clue.ts';

/** What runs out when calls take longer, whoever makes them longer. */
const FILLED_BY_WAITING: ReadonlySet<RootCauseType> = new Set(['connection_exhaustion', 'queue_backlog']);
const TELLS_OF_FILLING: ReadonlySet<ClueType> = new Set(['limit', 'new-error']);
const TELLS_OF_SLOWNESS: ReadonlySet<ClueType> = new Set(['share', 'edge', 'trace']);
/** A callee is slow itself from this strength on. */
const SLOW = 0.4;
const CONSEQUENCE = 0.4;

/**
 * Discounts what a slow callee fills. A pool holds (calls a second × seconds a call) connections, by Little's law: with a slower callee it
 * runs full though nothing is wrong with it. Time lost on the way to the callee does not count: a client that waits for its own pool measures it too.
 */
export function discountWaiting(context: RankContext, clues: readonly Clue[]): Clue[] {
  const slow = new Set(clues.filter(isSlowItself).map(({ service }) => service));
  const waits = (service: string) => [...context.model.services.callees(service)].some((callee) => slow.has(callee));
  return clues.map((clue) => {
    const isFilled = TELLS_OF_FILLING.has(clue.type) && FILLED_BY_WAITING.has(clue.rootCauseType);
    return isFilled && waits(clue.service) ? { ...clue, strength: clue.strength * CONSEQUENCE } : clue;
  });
}

function isSlowItself({ type, rootCauseType, strength }: Clue): boolean {
  return TELLS_OF_SLOWNESS.has(type) && rootCauseType !== 'network_latency' && strength >= SLOW;
}
