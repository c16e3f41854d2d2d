import { SPENT_BUDGETS } from '../agent/ledger.ts';
import type { SubAgentOutcome } from '../agent/sub-agents/port.ts';
import type { Incident } from '../domain/incident.ts';
import type { ModelUsage, Session } from '../domain/session.ts';
import type { Investigation } from '../investigate/investigate.ts';
import type { Metrics } from '../platform/metrics.ts';

/** Counts a finished investigation: outcome, turns, duration, and what its main agent used. Sub-agents are counted where they end. */
export function measureInvestigation(incident: Incident, { report, session }: Investigation, metrics: Metrics): void {
  const { usage } = report;
  metrics.investigation({
    source: incident.source,
    outcome: report.status,
    terminationReason: usage.termination_reason,
    durationMs: usage.duration_ms,
    turns: usage.turns,
  });
  const budget = SPENT_BUDGETS.find((name) => name === usage.termination_reason);
  if (budget) metrics.budgetExhausted(budget);
  if (usage.model !== null) measureUsage(usage.model, 'main', session.usage, metrics);
  measureToolCalls(session, metrics);
}

/** Counts one sub-agent whose outcome stands. */
export function measureSubAgent(model: string, outcome: SubAgentOutcome, metrics: Metrics): void {
  const ended = outcome.kind === 'done' && outcome.terminationReason !== 'done' ? 'cut_short' : outcome.kind;
  metrics.subAgent(ended);
  measureUsage(model, 'sub', outcome.usage, metrics);
}

export function measureToolCalls({ entries }: Session, metrics: Metrics): void {
  for (const { tool, text } of entries) {
    if (!tool) continue;
    metrics.toolCall(tool.name, tool.ended ?? (tool.isError ? 'error' : 'ok'));
    if (tool.raw) metrics.evidence(tool.raw.kind, tool.raw.bytes, Buffer.byteLength(text));
  }
}

function measureUsage(model: string, agent: 'main' | 'sub', usage: ModelUsage, metrics: Metrics): void {
  metrics.llmTokens(model, agent, 'input', usage.inputTokens);
  metrics.llmTokens(model, agent, 'output', usage.outputTokens);
  metrics.llmTokens(model, agent, 'cache_read', usage.cacheReadTokens);
  metrics.llmTokens(model, agent, 'cache_write', usage.cacheWriteTokens);
  metrics.llmCost(model, agent, usage.costUsd ?? 0);
}
