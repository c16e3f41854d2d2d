import type { Evidence } from '../../domain/evidence.ts';
import type { Finding } from '../../domain/finding.ts';
import type { ModelUsage } from '../../domain/session.ts';
import type { Gap } from '../../domain/telemetry.ts';
import type { Allowance } from '../ledger.ts';

/** One task of a `delegate` call, as a sub-agent gets it. Plain JSON: it may cross a queue. */
export interface SubAgentOrder {
  /** Id of the sub-agent's session, derived from investigation, turn and index: a resumed parent finds finished work under it. */
  readonly id: string;
  readonly task: string;
  /** Id of the hypothesis to test, and whether to look for what speaks against it. */
  readonly hypothesis?: string;
  readonly stance?: 'test' | 'refute';
  /** Ids of new evidence are counted from here, so that ids of siblings never collide and mean the same everywhere. */
  readonly firstEvidenceNumber: number;
  /** Evidence the parent has found beyond the brief. */
  readonly known: readonly Evidence[];
  /** Reserved in the parent's ledger; what is not used goes back. */
  readonly allowance: Allowance;
}

/** Every order has exactly one outcome. `lost`: it crashed, was given up or gave no answer in time. */
export type SubAgentOutcome =
  | {
      readonly kind: 'done';
      readonly finding: Finding;
      readonly evidence: readonly Evidence[];
      readonly usage: ModelUsage;
      readonly toolCalls: number;
      readonly gaps: readonly Gap[];
      readonly terminationReason: string;
    }
  | { readonly kind: 'lost'; readonly reason: string; readonly usage: ModelUsage; readonly toolCalls: number };

/** Runs orders in parallel: as jobs of a queue, or in this process. Outcomes come in the order of `orders`. Rejects only when `signal` aborts. */
export type RunSubAgents = (
  orders: readonly SubAgentOrder[],
  signal: AbortSignal,
) => Promise<readonly SubAgentOutcome[]>;
