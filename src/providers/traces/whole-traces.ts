import { inOrderOfTime } from '../span-query.ts';
import type { Trace } from './trace-server.ts';

/** Most spans kept of one trace. A loop over a queue makes traces of millions. */
const MOST_SPANS = 5000;

/** Each trace once, oldest first, its spans by time. Where a trace came twice the fuller one counts: it may have been growing. */
export function distinct(traces: readonly Trace[]): readonly Trace[] {
  const byId = new Map<string, Trace>();
  for (const trace of traces) {
    const id = trace[0]?.traceId;
    if (id === undefined) continue;
    const known = byId.get(id);
    if (!known || known.length < trace.length) byId.set(id, trace);
  }
  const sorted = [...byId].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, trace]) => withoutRepeats(trace));
  return inOrderOfTime(sorted);
}

/** Servers that keep several copies may hand over a span twice. Sorted, so that the same spans come in the same order. */
function withoutRepeats(trace: Trace): Trace {
  const byId = new Map(trace.map((span) => [`${span.spanId} ${span.service}`, span]));
  return [...byId].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, span]) => span);
}

/** Of very long traces their beginning; `cut` says of how many. */
export function shortened(traces: readonly Trace[]): { readonly traces: readonly Trace[]; readonly cut?: string } {
  const long = traces.filter((trace) => trace.length > MOST_SPANS);
  if (long.length === 0) return { traces };
  const longest = Math.max(...long.map((trace) => trace.length));
  return {
    traces: traces.map((trace) => trace.slice(0, MOST_SPANS)),
    cut: `of ${long.length} traces with up to ${longest} spans the first ${MOST_SPANS} were kept`,
  };
}
