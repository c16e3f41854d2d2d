import { NO_USAGE, type ModelUsage } from '../../domain/session.ts';
import type { SubAgentOutcome } from './port.ts';

/** The outcome of an order that nobody carried out to its end. `reason` is a clause for the parent: what happened. */
export function lost(reason: string, usage: ModelUsage = NO_USAGE, toolCalls = 0): SubAgentOutcome & { kind: 'lost' } {
  return { kind: 'lost', reason, usage, toolCalls };
}
