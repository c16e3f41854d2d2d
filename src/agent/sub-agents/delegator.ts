import type { TokenUsage } from '../model.ts';
import type { Allowance } from '../ledger.ts';

/**
 * What the `delegate` tool has to know of the agent that calls it: in the `ToolContext` of main agents. The ids of sub-agents derive from it, so
 * both facts must be the same when a resumed run repeats the turn.
 */
export interface Delegator {
  /** Id of the agent's session: letters, digits, `_` and `-`. */
  readonly sessionId: string;
  /** Number of the turn whose calls are being answered, from 1. */
  turn(): number;
  /** What can be lent without touching the share of the agent's own further turns: see `shareOut`. */
  available(): Allowance;
  /** Takes an allowance off the ledger until it is settled. */
  reserve(allowance: Allowance): void;
  /** Gives an allowance back and books what was used of it. */
  settle(allowance: Allowance, used: { readonly tokens: TokenUsage; readonly toolCalls: number }): void;
}
