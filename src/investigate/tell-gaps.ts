import type { Model } from '../agent/model.ts';
import type { AgentResult } from '../agent/run-agent.ts';
import type { Brief } from '../domain/brief.ts';

/** Everything that could not be read, was cut, was removed or stood in for something better. */
export function tellGaps(
  model: Model | { readonly off: string },
  brief: Brief,
  agent: AgentResult<unknown> | undefined,
): readonly string[] {
  const read = [...brief.gaps, ...(agent?.gaps ?? [])].map(({ source, message }) => `${source}: ${message}`);
  const removed = (agent?.removed ?? []).map((claim) => `removed by the check of citations: ${claim}`);
  if ('off' in model) return [...read, `no model: ${model.off}; this is the offline analyst's report`];
  if (agent?.kind === 'failed') {
    return [...read, ...removed, `model: ${agent.reason}; this is the offline analyst's report`];
  }
  return [...read, ...removed];
}
