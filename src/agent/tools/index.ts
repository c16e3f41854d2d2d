import type { AgentRole, Toolbox } from '../toolbox.ts';
import { getEvidence, listEvidence } from './evidence-tools.ts';
import { queryLogsTool } from './query-logs.ts';
import { queryMetricsTool } from './query-metrics.ts';
import type { Tool } from './tool.ts';

/** Names of all tools there can be, for metrics. */
export const TOOL_NAMES = ['query_metrics', 'query_logs', 'list_evidence', 'get_evidence'] as const;

/**
 * The tools of one agent, all read-only, in a fixed order: the list is part of the cached prompt. A factory returns undefined when the toolbox
 * cannot serve its tool. Add a tool here, and to `FOR_SUB_AGENTS` when sub-agents may use it (SPEC B14).
 */
export function createTools(box: Toolbox, role: AgentRole): readonly Tool[] {
  const tools = [queryMetricsTool(box.providers), queryLogsTool(box.providers), listEvidence, getEvidence].filter(
    (tool) => tool !== undefined,
  );
  return role === 'sub' ? tools.filter(({ name }) => FOR_SUB_AGENTS.has(name)) : tools;
}

const FOR_SUB_AGENTS: ReadonlySet<string> = new Set(['query_metrics', 'query_logs', 'list_evidence', 'get_evidence']);
