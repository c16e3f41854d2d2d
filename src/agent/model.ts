/** JSON Schema as a plain object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/**
 * One piece of what the model said. `opaque` is something only the model's vendor understands (signed reasoning, for example):
 * it is sent back unchanged and otherwise ignored.
 */
export type ModelBlock =
  { readonly kind: 'text'; readonly text: string } | ToolUse | { readonly kind: 'opaque'; readonly data: unknown };

export interface ToolUse {
  readonly kind: 'tool_use';
  readonly id: string;
  readonly name: string;
  /** Not validated: whatever the model wrote. */
  readonly input: unknown;
}

export interface ToolAnswer {
  readonly toolUseId: string;
  readonly text: string;
  readonly isError: boolean;
}

/** A `tools` message answers every tool use of the assistant message before it, in the same order; `note` follows the answers. */
export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly blocks: readonly ModelBlock[] }
  | { readonly role: 'tools'; readonly answers: readonly ToolAnswer[]; readonly note?: string };

export interface ModelRequest {
  /** Blocks of the system prompt. The first is the same bytes for every incident, tools included: a cache of its own. */
  readonly system: readonly string[];
  readonly tools: readonly ModelTool[];
  readonly messages: readonly ModelMessage[];
  /** `none`: the tools stay listed (the transcript refers to them) but must not be called. */
  readonly toolChoice: 'auto' | 'none';
  readonly maxOutputTokens: number;
  /** The answer is to be one JSON object of this schema. Bounds may not be enforced by the vendor: validate. */
  readonly jsonSchema?: JsonSchema;
  /** For the whole call, retries and waits included. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** `overflow`: the request no longer fits the model's context window. `other` is a normal end with an unknown name. */
export type StopReason = 'end' | 'tool_use' | 'max_tokens' | 'refusal' | 'overflow' | 'other';

/** Tokens as billed. `inputTokens` is without the cached parts. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Null when the price of the model is not known. */
  readonly costUsd: number | null;
}

export const NO_TOKENS: TokenUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: 0,
};

export function addTokens(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    costUsd: a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd,
  };
}

/** Everything that was read or written, cached or not. */
export function totalTokens(usage: TokenUsage): number {
  return usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

export interface ModelResponse {
  readonly blocks: readonly ModelBlock[];
  readonly stopReason: StopReason;
  /** The vendor's word for why, when there is one: the category of a refusal. */
  readonly stopDetail?: string;
  /** Of all attempts this call took, failed ones included. */
  readonly usage: TokenUsage;
  /** Id of the model that answered. */
  readonly model: string;
}

export const MODEL_ERROR_KINDS = [
  'overloaded',
  'rate_limited',
  'server',
  'network',
  'timeout',
  'stalled',
  'malformed',
  'auth',
  'permission',
  'billing',
  'unknown_model',
  'invalid_request',
  'overflow',
  'aborted',
] as const;
export type ModelErrorKind = (typeof MODEL_ERROR_KINDS)[number];

const RETRYABLE: ReadonlySet<ModelErrorKind> = new Set([
  'overloaded',
  'rate_limited',
  'server',
  'network',
  'timeout',
  'stalled',
  'malformed',
]);

/** The call got no usable answer, retries included. `message` is a clause for people, without payloads: "it was overloaded (529)". */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly kind: ModelErrorKind;
  /** Of the attempts that failed: partial answers are billed too. */
  readonly usage: TokenUsage;

  constructor(kind: ModelErrorKind, message: string, usage: TokenUsage = NO_TOKENS, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.usage = usage;
  }

  /** True when the same request may succeed later. */
  get retryable(): boolean {
    return RETRYABLE.has(this.kind);
  }
}

/** US dollars for so many tokens; null when the price is not known (never 0: a price that is not known is not free). */
export type TokenPrice = (tokens: Omit<TokenUsage, 'costUsd'>) => number | null;

/** A language model, passed in. Throws `ModelError` and nothing else for whatever the other side does. */
export interface Model {
  readonly id: string;
  complete(request: ModelRequest): Promise<ModelResponse>;
  /** What tokens of this model cost, asked before a request is made. Without it a run with a cap in money refuses to start. */
  readonly priceUsd?: TokenPrice;
  /** What to multiply estimates of input tokens with, learnt from what this model counted. Default: 1. */
  readonly tokenFactor?: () => number;
}
