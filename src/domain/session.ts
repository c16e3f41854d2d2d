import type { WeighedHypothesis } from './hypothesis.ts';

/** One message of the replayable record. `content` is redacted before it is stored. */
export interface TranscriptEntry {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** For role tool: the call that `text` answers. */
  readonly tool?: ToolCall;
  readonly atMs: number;
}

export interface ToolCall {
  readonly name: string;
  /** Redacted. */
  readonly input: unknown;
  readonly isError: boolean;
  /** How it ended, where that is more than having worked or failed. `truncated`: more came back than was shown. */
  readonly ended?: 'timeout' | 'denied' | 'truncated';
  /** What came back, before it was made into text. */
  readonly raw?: { readonly kind: string; readonly bytes: number };
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

/** What an agent was allowed to use; `costUsd` null: not limited in money. `timeMs` is wall clock of work. */
export interface SessionBudget {
  readonly turns: number;
  readonly tokens: number;
  readonly toolCalls: number;
  readonly costUsd: number | null;
  readonly timeMs: number;
}

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
  /** Of a main agent that concluded: what speaks for and against each explanation, and what became of it. */
  readonly hypotheses?: readonly WeighedHypothesis[];
  readonly entries: readonly TranscriptEntry[];
  /** Of this agent alone. */
  readonly usage: ModelUsage;
  readonly toolCalls?: number;
  /** Absent where no model was asked. */
  readonly allowed?: SessionBudget;
  readonly terminationReason: string;
  /** Of a main agent's: what came of it, so that a list needs no report. Redacted. */
  readonly result?: SessionResult;
}

export interface SessionResult {
  readonly title: string;
  readonly status: string;
  readonly rootCauseService: string | null;
  readonly confidence: number;
  readonly subAgents: number;
  /** Of all agents together; null when a price is not known. */
  readonly costUsd: number | null;
}
