/** One message of the replayable record. `content` is redacted before it is stored. */
export interface TranscriptEntry {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** For role tool: which tool, with which input, and whether it failed. */
  readonly tool?: { readonly name: string; readonly input: unknown; readonly isError: boolean };
  readonly atMs: number;
}

export interface ModelUsage {
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Null when the price of the model is not known. */
  readonly costUsd: number | null;
}

export const NO_USAGE: ModelUsage = {
  turns: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: 0,
};

/** The replayable record of one agent: the main one of an investigation, or a sub-agent. */
export interface Session {
  readonly id: string;
  readonly incidentId: string;
  /** Of a sub-agent: id of the session that it worked for, and its task. */
  readonly parentId?: string;
  readonly task?: string;
  /** Ids of the sub-agents' sessions, in the order of their orders. */
  readonly subAgents?: readonly string[];
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly brief: string;
  readonly entries: readonly TranscriptEntry[];
  readonly usage: ModelUsage;
  readonly terminationReason: string;
}
