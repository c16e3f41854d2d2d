/** Where a run stands between two steps: plain JSON, redacted, versioned by whoever writes it. */
export interface AgentCheckpoint {
  readonly version: number;
  readonly state: unknown;
}

/**
 * Where one agent's checkpoint is kept. `save` is called after every model answer and after every batch of tools; it must not throw for a store
 * that is away (the run goes on; a crash then repeats more).
 */
export interface CheckpointSlot {
  load(): Promise<AgentCheckpoint | undefined>;
  save(checkpoint: AgentCheckpoint): Promise<void>;
}
