import { isVital } from '../events/components.ts';
import type { Clue, RankContext } from './clue.ts';

/** A probe fails on whoever waits, too: where metrics tell of the service itself they are heard first. */
const PROBE_OF_A_MEASURED_SERVICE = 0.3;
/** What happens to a workload that nobody calls, and what had happened to it before the trouble began. */
const UNRELATED = 0.35;
const UNRELATED_AND_OVER = 0.15;
/** When it holds this share of the measured services, a call graph is complete enough that being missing from it means something. */
const COMPLETE = 0.7;
/** When so many services are measured, having no metrics means something too. */
const MEASURED = 5;
/** The kernel names the process it killed, by the first fifteen characters or what a reporter left of them. */
const KILLED = /killed process \d+ \(([\w.-]{3,15})\)/i;
/** From this length on a process name may be the beginning of a longer service name; `java` or `node` is no beginning of one. */
const CUT_FROM = 8;

/**
 * Discounts events that tell little about the cause: failing probes of a service that is measured, for a service that waits for a broken one fails its
 * probes like the broken one; and events about workloads that neither a nearly complete call graph nor any metric knows, unless everything depends
 * on them. A node that tells which process it killed speaks of that process. States of objects are facts and stay.
 */
export function discountHearsay(context: RankContext, clues: readonly Clue[]): Clue[] {
  const isUnrelated = unrelatedTo(context);
  return clues.map((clue) => {
    const [fact] = clue.type === 'object' ? clue.facts() : [];
    if (fact?.evidence.kind !== 'event') return clue;
    const isOfNode = fact.key.startsWith('event:Node/');
    const killed = isOfNode ? ownerOf(KILLED.exec(fact.evidence.statement)?.[1], context) : undefined;
    if (killed !== undefined) return { ...clue, service: killed };
    const isProbe = clue.rootCauseType === 'probe_failure' && context.seriesOf.has(clue.service);
    if (isProbe) return { ...clue, strength: PROBE_OF_A_MEASURED_SERVICE * clue.strength };
    // What keeps a related workload from its pods, such as a webhook, is related by that.
    const isToldOf = fact.evidence.service ?? clue.service;
    if (isOfNode || !isUnrelated(clue.service) || !isUnrelated(isToldOf)) return clue;
    const isOver = (fact.evidence.atMs ?? Infinity) < context.model.window.fromMs;
    return { ...clue, strength: (isOver ? UNRELATED_AND_OVER : UNRELATED) * clue.strength };
  });
}

function unrelatedTo({ seriesOf, model }: RankContext): (service: string) => boolean {
  const { services } = model;
  const known = [...seriesOf.keys()].filter((service) => services.inTopology(service)).length;
  const isComplete = known > 0 && known >= COMPLETE * seriesOf.size;
  return (service) => {
    if (services.inTopology(service) || isVital(service)) return false;
    return isComplete || (seriesOf.size >= MEASURED && !seriesOf.has(service));
  };
}

function ownerOf(process: string | undefined, { model }: RankContext): string | undefined {
  if (process === undefined) return undefined;
  const isCut = process.length >= CUT_FROM;
  const owners = model.services.names.filter((name) => name === process || (isCut && name.startsWith(process)));
  return owners.length === 1 ? owners[0] : undefined;
}
