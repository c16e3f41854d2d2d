import type { Model } from '../agent/model.ts';
import type { AgentResult } from '../agent/run-agent.ts';
import type { Brief } from '../domain/brief.ts';
import { clip, oneLine } from '../policy/untrusted.ts';
import type { SubAgentRecord } from './journal.ts';

const MOST_TASK_CHARACTERS = 160;

/** What of an agent's run bears on gaps. */
interface AskedAgents {
  readonly result: AgentResult<unknown>;
  readonly subAgents: readonly Pick<SubAgentRecord, 'task' | 'outcome'>[];
}

/** Everything that could not be read, was cut, was removed or stood in for something better; each once. */
export function tellGaps(
  model: Model | { readonly off: string },
  brief: Brief,
  agents: AskedAgents | undefined,
): readonly string[] {
  const result = agents?.result;
  const read = [...brief.gaps, ...(result?.gaps ?? [])].map(({ source, message }) => `${source}: ${message}`);
  const known = [...new Set([...read, ...(agents?.subAgents ?? []).flatMap(gapsOfSubAgent)])];
  const removed = (result?.removed ?? []).map((claim) => `removed: ${claim}`);
  if ('off' in model) return [...known, `no model: ${model.off}; this is the offline analyst's report`];
  if (result?.kind === 'failed') {
    return [...known, ...removed, `model: ${result.reason}; this is the offline analyst's report`];
  }
  return [...known, ...removed];
}

function gapsOfSubAgent({ task, outcome }: AskedAgents['subAgents'][number]): readonly string[] {
  if (outcome.kind === 'done') return outcome.gaps.map(({ source, message }) => `${source}: ${message}`);
  return [`sub-agent: ${outcome.reason}; not looked into: ${clip(oneLine(task), MOST_TASK_CHARACTERS)}`];
}
