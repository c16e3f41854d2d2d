import type { TraceSpan } from '../domain/tracing.ts';
import type { Metrics } from '../platform/metrics.ts';

/** The same tracing, with the time of every tool call observed. Works without a collector, too. */
export function measuredTrace(trace: TraceSpan, metrics: Pick<Metrics, 'toolDuration'>): TraceSpan {
  return async (kind, facts, work, origin) => {
    if (kind !== 'tool') return trace(kind, facts, work, origin);
    const beganMs = performance.now();
    try {
      return await trace(kind, facts, work, origin);
    } finally {
      metrics.toolDuration(String(facts['tool']), performance.now() - beganMs);
    }
  };
}
