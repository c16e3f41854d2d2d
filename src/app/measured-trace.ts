import type { SpanFacts, TraceSpan } from '../domain/tracing.ts';
import type { Metrics } from '../platform/metrics.ts';

/** The same tracing, with the time of every tool call observed and the repairs of agents counted. Works without a collector, too. */
export function measuredTrace(trace: TraceSpan, metrics: Pick<Metrics, 'toolDuration' | 'reportRepair'>): TraceSpan {
  return async (kind, facts, work, origin) => {
    if (kind === 'agent') return trace(kind, facts, (describe) => work(countingRepairs(describe, metrics)), origin);
    if (kind !== 'tool') return trace(kind, facts, work, origin);
    const beganMs = performance.now();
    try {
      return await trace(kind, facts, work, origin);
    } finally {
      metrics.toolDuration(String(facts['tool']), performance.now() - beganMs);
    }
  };
}

function countingRepairs(describe: (facts: SpanFacts) => void, metrics: Pick<Metrics, 'reportRepair'>) {
  return (facts: SpanFacts): void => {
    if (typeof facts['repair'] === 'string') metrics.reportRepair(facts['repair']);
    describe(facts);
  };
}
