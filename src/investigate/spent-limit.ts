import type { Allowance } from '../agent/ledger.ts';
import type { InvestigationLimits } from './run.ts';

/** The limits of an agent's run that settings give, and which setting gives the one in money. */
export type NamedLimits = Pick<InvestigationLimits, 'maxOutputTokens' | 'costSetting'>;

/**
 * The figure and the setting behind a reason why an agent ended, as `AGENT_MAX_TURNS is 12`; undefined for reasons that are no limit. `reason` is the
 * clause that says what failed.
 */
export function spentLimit(
  terminationReason: string,
  reason: string,
  allowed: Allowance,
  { maxOutputTokens, costSetting = 'AGENT_MAX_COST_USD' }: NamedLimits,
): string | undefined {
  if (reason.includes('output limit')) return `MODEL_MAX_OUTPUT_TOKENS is ${maxOutputTokens}`;
  switch (terminationReason) {
    case 'turns':
      return `AGENT_MAX_TURNS is ${allowed.turns}`;
    case 'tool_calls':
      return `at most ${allowed.toolCalls}, by AGENT_MAX_TURNS`;
    case 'tokens':
      return `AGENT_MAX_TOKENS is ${allowed.tokens}`;
    case 'cost':
      return allowed.costUsd === null ? undefined : `${costSetting} is ${allowed.costUsd}`;
    case 'deadline':
      return `INVESTIGATION_TIMEOUT_MS leaves it ${Math.max(0, Math.round(allowed.timeMs / 1000))} s`;
    default:
      return undefined;
  }
}
