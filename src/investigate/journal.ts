import type { CheckpointSlot } from '../agent/checkpoint.ts';
import type { Guidance } from '../agent/guidance.ts';
import type { SubAgentOrder, SubAgentOutcome } from '../agent/sub-agents/port.ts';
import type { Brief } from '../domain/brief.ts';
import type { GatherWindow } from '../domain/provider.ts';

/** Raise it with every change of the shape: a state of another version is passed over, and the investigation starts anew. */
export const STATE_VERSION = 1;

/** What is known once the telemetry is distilled: enough to go on without it. Plain JSON, redacted. */
export interface InvestigationState {
  readonly version: typeof STATE_VERSION;
  readonly startedAtMs: number;
  readonly window: GatherWindow;
  readonly brief: Brief;
  /** Time of the latest thing that was read, epoch ms; null when nothing carries a time. */
  readonly seenUntilMs: number | null;
  /** Fences untrusted text, in sub-agents as well. */
  readonly nonce: string;
  readonly guidance: Guidance;
  /** Milliseconds by stage, so far. */
  readonly stages: Readonly<Record<string, number>>;
  /** Every sub-agent that has an outcome, in the order of the orders. */
  readonly subAgents: readonly SubAgentRecord[];
}

/** One order that was carried out, and what came of it. The evidence is in the main agent's book. */
export interface SubAgentRecord extends Pick<SubAgentOrder, 'id' | 'task' | 'hypothesis' | 'stance'> {
  readonly outcome: Omit<SubAgentOutcome & { kind: 'done' }, 'evidence'> | (SubAgentOutcome & { kind: 'lost' });
}

/** Keeps an investigation so that another process can go on with it. Saves never throw: an investigation goes on without. */
export interface Journal {
  load(): Promise<InvestigationState | undefined>;
  save(state: InvestigationState): Promise<void>;
  /** Of the main agent. */
  readonly main: CheckpointSlot;
}
