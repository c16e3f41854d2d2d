import type { Topology } from '../../domain/telemetry.ts';
import type { Trace } from './trace-server.ts';

/** Who calls whom: a span whose parent belongs to another service is a call, whichever way the two are linked. Sorted. */
export function callGraph(traces: readonly Trace[], known: Topology['edges'] = []): Topology {
  const edges = new Map<string, Topology['edges'][number]>();
  const services = new Set<string>();
  const add = (from: string, to: string) => {
    if (from !== to) edges.set(JSON.stringify([from, to]), { from, to });
  };
  for (const { from, to } of known) add(from, to);
  for (const trace of traces) {
    const byId = new Map(trace.map((span) => [span.spanId, span]));
    for (const span of trace) {
      services.add(span.service);
      const parent = byId.get(span.parentId);
      if (parent) add(parent.service, span.service);
    }
  }
  const sorted = [...edges].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, edge]) => edge);
  for (const { from, to } of sorted) services.add(from).add(to);
  return { services: [...services].sort(), edges: sorted };
}
