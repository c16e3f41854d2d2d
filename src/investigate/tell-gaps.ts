import type { Model } from '../agent/model.ts';
import type { Allowance } from '../agent/ledger.ts';
import type { AgentResult } from '../agent/run-agent.ts';
import type { Brief } from '../domain/brief.ts';
import type { Gap } from '../domain/telemetry.ts';
import { clip, oneLine } from '../policy/untrusted.ts';
import type { SubAgentRecord } from './journal.ts';
import { spentLimit, type NamedLimits } from './spent-limit.ts';

const MOST_TASK_CHARACTERS = 160;
/** As agents say it of what they could not hand in (`agent/hand-in.ts`). */
const INVALID = /\bwas not valid\b|cut off at the output limit/;

/** What of an agent's run bears on gaps. */
interface AskedAgents {
  readonly result: AgentResult<unknown>;
  readonly allowed: Allowance;
  readonly subAgents: readonly Pick<SubAgentRecord, 'task' | 'outcome'>[];
}

/** Everything that could not be read, was cut, was removed or stood in for something better; each once. Of a limit, its figure and setting. `model` undefined: none was wanted. */
export function tellGaps(
  model: Model | { readonly off: string } | undefined,
  brief: Brief,
  agents: AskedAgents | undefined,
  limits: NamedLimits,
): readonly string[] {
  const result = agents?.result;
  const read = [...brief.gaps, ...(result?.gaps ?? [])].map((gap) => inWords(gap, agents, limits));
  const subAgents = agents?.subAgents ?? [];
  const known = [...new Set([...read, ...subAgents.flatMap(gapsOfSubAgent), ...allInvalid(subAgents)])];
  const removed = (result?.removed ?? []).map((claim) => `removed: ${claim}`);
  if (model && 'off' in model) return [...known, `no model: ${model.off}; this is the offline analyst's report`];
  if (result?.kind === 'failed') {
    const why = withLimit(result.reason, agents, limits);
    return [...known, ...removed, `model: ${why}; this is the offline analyst's report`];
  }
  return [...known, ...removed];
}

/** Its own agent's word for an early end is a sentence. */
function inWords({ source, message }: Gap, agents: AskedAgents | undefined, limits: NamedLimits): string {
  const isEnd = source === 'agent' && message.startsWith('The search for evidence ended early');
  return `${source}: ${isEnd ? `${withLimit(message.replace(/\.$/, ''), agents, limits)}.` : message}`;
}

function withLimit(reason: string, agents: AskedAgents | undefined, limits: NamedLimits): string {
  const limit = agents && spentLimit(agents.result.terminationReason, reason, agents.allowed, limits);
  return limit === undefined ? reason : `${reason} (${limit})`;
}

/** That nothing came of sub-agents is more than a gap of each: nobody has tested the explanations. */
function allInvalid(subAgents: AskedAgents['subAgents']): readonly string[] {
  const isInvalid = ({ outcome }: AskedAgents['subAgents'][number]) =>
    outcome.kind === 'done' ? outcome.terminationReason === 'invalid_report' : INVALID.test(outcome.reason);
  if (subAgents.length === 0 || !subAgents.every(isInvalid)) return [];
  const all =
    subAgents.length === 1
      ? 'the finding of the only sub-agent was'
      : `the findings of all ${subAgents.length} sub-agents were`;
  return [`sub-agents: ${all} not valid (invalid_report): no explanation was tested; another MODEL_ID may do better`];
}

function gapsOfSubAgent({ task, outcome }: AskedAgents['subAgents'][number]): readonly string[] {
  if (outcome.kind === 'done') return outcome.gaps.map(({ source, message }) => `${source}: ${message}`);
  return [`sub-agent: ${outcome.reason}; not looked into: ${clip(oneLine(task), MOST_TASK_CHARACTERS)}`];
}
