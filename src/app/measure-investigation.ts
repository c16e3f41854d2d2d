import type { Incident } from '../domain/incident.ts';
import type { Investigation } from '../investigate/investigate.ts';
import type { Metrics } from '../platform/metrics.ts';

/** Counts a finished investigation: outcome, turns, duration, tokens and tool calls. */
export function measureInvestigation(incident: Incident, { report, session }: Investigation, metrics: Metrics): void {
  const { usage } = report;
  metrics.investigation({
    source: incident.source,
    outcome: report.status,
    terminationReason: usage.termination_reason,
    durationMs: usage.duration_ms,
    turns: usage.turns,
  });
  if (usage.model !== null) {
    metrics.llmTokens(usage.model, 'main', 'input', session.usage.inputTokens);
    metrics.llmTokens(usage.model, 'main', 'output', session.usage.outputTokens);
    metrics.llmTokens(usage.model, 'main', 'cache_read', session.usage.cacheReadTokens);
    metrics.llmTokens(usage.model, 'main', 'cache_write', session.usage.cacheWriteTokens);
  }
  for (const { tool } of session.entries) {
    if (tool) metrics.toolCall(tool.name, tool.isError ? 'error' : 'ok');
  }
}
