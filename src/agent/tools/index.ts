import type { TelemetryProvider } from '../../domain/provider.ts';
import { getEvidence, listEvidence } from './evidence-tools.ts';
import { queryLogsTool } from './query-logs.ts';
import { queryMetricsTool } from './query-metrics.ts';
import type { Tool } from './tool.ts';

/** Names of all tools there can be, for metrics. */
export const TOOL_NAMES = ['query_metrics', 'query_logs', 'list_evidence', 'get_evidence'] as const;

/** The agent's tools, all read-only, in a fixed order: the list is part of the cached prompt. Add a tool here. */
export function createTools(providers: readonly TelemetryProvider[]): readonly Tool[] {
  return [queryMetricsTool(providers), queryLogsTool(providers), listEvidence, getEvidence].filter(
    (tool) => tool !== undefined,
  );
}
