import type { Topology } from '../domain/telemetry.ts';

/** The service, and everything within two calls of it in either direction; empty when nothing is known about its calls. */
export function neighboursOf(service: string | undefined, { edges }: Topology): readonly string[] {
  if (service === undefined || !edges.some(({ from, to }) => from === service || to === service)) return [];
  const near = new Set([service]);
  for (let hop = 0; hop < 2; hop += 1) {
    for (const { from, to } of edges.filter((edge) => near.has(edge.from) || near.has(edge.to))) near.add(from).add(to);
  }
  return [...near].sort();
}
