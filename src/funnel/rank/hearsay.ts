import type { Clue, RankContext } from './clue.ts';
import { isVital } from '../events/components.ts';

/** A probe fails on whoever waits, too: where metrics tell of the service itself they are heard first. */
const PROBE_OF_A_MEASURED_SERVICE = 0.4;
/** What happens to a workload that nobody calls. */
const UNRELATED = 0.35;
/** From this share of the measured services on, a call graph is complete enough that being missing from it means something. */
const COMPLETE = 0.7;

/**
 * Discounts events that tell little about the cause: failing probes of a service that is measured, for a service that waits for a broken one fails its
 * probes like the broken one; and events about workloads that a nearly complete call graph does not know, unless everything depends on
 * them. States of objects are facts and stay.
 */
export function discountHearsay(context: RankContext, clues: readonly Clue[]): Clue[] {
  const { services } = context.model;
  const measured = [...context.seriesOf.keys()];
  const known = measured.filter((service) => services.inTopology(service)).length;
  const isComplete = measured.length > 0 && known >= COMPLETE * measured.length;
  const factorOf = (clue: Clue) => {
    const [fact] = clue.type === 'object' ? clue.facts() : [];
    if (fact?.evidence.kind !== 'event') return 1;
    if (clue.rootCauseType === 'probe_failure' && context.seriesOf.has(clue.service))
      return PROBE_OF_A_MEASURED_SERVICE;
    const isUnrelated =
      isComplete && !services.inTopology(clue.service) && !isVital(clue.service) && !isOfNode(fact.key);
    return isUnrelated ? UNRELATED : 1;
  };
  return clues.map((clue) => ({ ...clue, strength: clue.strength * factorOf(clue) }));
}

function isOfNode(key: string): boolean {
  return key.startsWith('event:Node/');
}
