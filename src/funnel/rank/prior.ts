import type { ClueType, RankContext } from './clue.ts';
import { isPseudoService } from './service-nature.ts';

const UNREACHABLE = 0.55;
const OUTSIDE_TOPOLOGY = 0.8;
const PSEUDO = 0.3;

/**
 * What the call graph alone says: a service that the alerting one does not reach by calls can hardly cause its trouble; one that
 * the graph does not know may. A broken object is broken whatever the graph says, and graphs are incomplete. Factor in
 * (0, 1]; 1 for all when nothing is known about calls.
 */
export function priorOf(context: RankContext, service: string, type: ClueType): number {
  const pseudo = isPseudoService(service) ? PSEUDO : 1;
  if (!context.reachable || context.reachable.has(service)) return pseudo;
  const isKnown = context.model.services.inTopology(service);
  // Nodes and parts of the cluster stand in no call graph, and everything stands on them.
  if (type === 'object' && !isKnown) return pseudo;
  const isUnreachable = isKnown && type !== 'object';
  return pseudo * (isUnreachable ? UNREACHABLE : OUTSIDE_TOPOLOGY);
}
