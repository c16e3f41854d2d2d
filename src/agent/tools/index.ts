import type { Hypothesis } from '../../domain/hypothesis.ts';
import type { AgentRole, ExternalTool, Toolbox } from '../toolbox.ts';
import type { Ledger } from '../ledger.ts';
import { bashTool } from './bash.ts';
import { delegateTool } from './delegate.ts';
import { eventsTool } from './events.ts';
import { getEvidence, listEvidence } from './evidence-tools.ts';
import { opsExecutionsTool } from './ops-executions.ts';
import { opsListTool } from './ops-list.ts';
import { queryChangesTool } from './query-changes.ts';
import { queryEventsTool } from './query-events.ts';
import { queryLogsTool } from './query-logs.ts';
import { queryMetricsTool } from './query-metrics.ts';
import { queryStateTool } from './query-state.ts';
import { queryTracesTool } from './query-traces.ts';
import { readTool } from './read.ts';
import { rememberTool } from './remember.ts';
import { skillTool } from './skill.ts';
import type { Tool } from './tool.ts';

/** What sub-agents may have (SPEC B14), in the order of the list. */
const READING = [
  'query_metrics',
  'query_logs',
  'query_events',
  'query_state',
  'query_changes',
  'query_traces',
  'list_evidence',
  'get_evidence',
  'skill',
  'read',
  'bash',
  'ops_list',
  'events',
  'ops_executions',
] as const;
const FOR_SUB_AGENTS: ReadonlySet<string> = new Set(READING);

/** Names of all tools there can be, for metrics. */
export const TOOL_NAMES = [...READING, 'delegate', 'remember'] as const;

/** Of an agent that may have sub-agents. */
export interface Delegator {
  readonly sessionId: string;
  readonly ledger: Ledger;
  readonly hypotheses: readonly Hypothesis[];
}

/**
 * The tools of one agent, all read-only, in a fixed order: the list is part of the cached prompt. A factory returns undefined when the toolbox
 * cannot serve its tool. Add a tool here, and to `READING` when sub-agents may use it (SPEC B14).
 */
export function createTools(
  box: Toolbox,
  role: AgentRole,
  {
    external = [],
    delegator,
  }: { readonly external?: readonly ExternalTool[] | undefined; readonly delegator?: Delegator } = {},
): readonly Tool[] {
  const { operations, providers, skills, memory, runSubAgents } = box;
  const lent = external.filter(({ forSubAgents }) => forSubAgents || role !== 'sub').map(({ tool }) => tool);
  const tools = [
    queryMetricsTool(providers),
    queryLogsTool(providers),
    queryEventsTool(providers),
    queryStateTool(providers),
    queryChangesTool(providers),
    queryTracesTool(providers),
    listEvidence,
    getEvidence,
    skillTool(skills),
    readTool(box.readTextFile),
    bashTool(box.runCommand),
    opsListTool(operations),
    eventsTool(operations),
    opsExecutionsTool(operations),
    ...lent,
    runSubAgents && delegator ? delegateTool({ ...delegator, runSubAgents }) : undefined,
    role === 'alert' ? rememberTool(memory) : undefined,
  ].filter((tool) => tool !== undefined);
  return role === 'sub' ? tools.filter((tool) => FOR_SUB_AGENTS.has(tool.name) || lent.includes(tool)) : tools;
}
