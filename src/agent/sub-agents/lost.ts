import { z } from 'zod';
import { NO_USAGE, type ModelUsage } from '../../domain/session.ts';
import type { AgentCheckpoint } from '../checkpoint.ts';
import type { Used } from '../ledger.ts';
import { PackedTexts } from '../pack-texts.ts';
import type { SubAgentOutcome } from './port.ts';

/** The outcome of an order that nobody carried out to its end. `reason` is a clause for the parent: what happened. */
export function lost(reason: string, usage: ModelUsage = NO_USAGE, toolCalls = 0): SubAgentOutcome & { kind: 'lost' } {
  return { kind: 'lost', reason, usage, toolCalls };
}

/** Numbers and short names stand in a packed state as they are. */
const Booked = z.looseObject({
  ledger: z.looseObject({
    own: z.object({
      turns: z.number(),
      inputTokens: z.number(),
      outputTokens: z.number(),
      cacheReadTokens: z.number(),
      cacheWriteTokens: z.number(),
      costUsd: z.number().nullable(),
    }),
    toolCalls: z.looseObject({ own: z.number() }),
  }),
});

/** What an agent had used when it last kept a checkpoint: paid for, though nothing came of it. */
export function usedBy(checkpoint: AgentCheckpoint | undefined): Used {
  const packed = PackedTexts.safeParse(checkpoint?.state);
  const booked = Booked.safeParse(packed.data?.value);
  if (!booked.success) return { usage: NO_USAGE, toolCalls: 0 };
  const { own, toolCalls } = booked.data.ledger;
  return { usage: own, toolCalls: toolCalls.own };
}
