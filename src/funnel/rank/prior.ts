import type { RankContext } from './clue.ts';

const UNREACHABLE = 0.55;
const OUTSIDE_TOPOLOGY = 0.8;
const PSEUDO = 0.3;

/** Names of remote ends, clients and observers: things that are measured or measuring, but not run by anyone here. */
const PSEUDO_NAME =
  /(_|-|\b)(remote|client|external|unknown|passthrough|blackhole|loadgenerator|load-generator|locust|k6|jaeger|prometheus|otel|grafana)\b/i;

export function isPseudoService(name: string): boolean {
  return PSEUDO_NAME.test(name);
}

/**
 * What the call graph alone says: a service that the alerting one does not reach by calls can hardly cause its trouble; one that
 * the graph does not know may. Factor in (0, 1]; 1 for all when nothing is known about calls.
 */
export function priorOf(context: RankContext, service: string): number {
  const pseudo = isPseudoService(service) ? PSEUDO : 1;
  if (!context.reachable || context.reachable.has(service)) return pseudo;
  return pseudo * (context.model.services.inTopology(service) ? UNREACHABLE : OUTSIDE_TOPOLOGY);
}
