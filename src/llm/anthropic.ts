import { setTimeout as sleep } from 'node:timers/promises';
import {
  addTokens,
  ModelError,
  NO_TOKENS,
  type Model,
  type ModelErrorKind,
  type ModelRequest,
  type ModelResponse,
  type TokenUsage,
} from '../agent/model.ts';
import { estimateRequest } from '../agent/estimate-request.ts';
import { TOKEN_MARGIN } from '../funnel/tokens.ts';
import type { Attempt } from './attempt.ts';
import type { Send } from './client.ts';
import { modelError } from './model-error.ts';
import { costUsd } from './prices.ts';
import { TokenCalibration } from './token-calibration.ts';
import { toParams } from './wire.ts';

export interface AnthropicOptions {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly modelId: string;
  /** A stream that says nothing for so long is cut and retried. */
  readonly idleTimeoutMs: number;
  /** Wait before the first retry; doubles with each. */
  readonly retryDelayMs?: number;
  /** A request failed and is about to be made again, after `waitMs`. `message` is a clause for people. */
  readonly onRetry?: (retry: {
    readonly kind: ModelErrorKind;
    readonly message: string;
    readonly waitMs: number;
  }) => void;
  /** Counted ÷ estimated input tokens of a request, where both are known. */
  readonly onTokenRatio?: (ratio: number) => void;
  /** A request has begun to be answered, so long after it was made. */
  readonly onFirstToken?: (waitedMs: number) => void;
}

const MAX_ATTEMPTS = 4;
const FIRST_RETRY_MS = 500;
const LONGEST_BACKOFF_MS = 8000;
/** A retry that starts later than this before the deadline is not worth waiting for. */
const SHORTEST_ATTEMPT_MS = 1000;

/** The model port over Anthropic's Messages API: always streamed, at most 3 retries, no beta features. */
export function createAnthropicModel(options: AnthropicOptions): Model {
  // The SDK is a good part of what a process has to load: only who asks the model needs it.
  const open = async () => (await import('./client.ts')).openSender(options);
  let opening: Promise<Send> | undefined;
  const calibration = new TokenCalibration(TOKEN_MARGIN);
  return {
    id: options.modelId,
    complete: async (request) => {
      const { response, attempts } = await complete(await (opening ??= open()), options, request);
      // What failed attempts read is in the usage, too: that says nothing about one request.
      if (attempts === 1) calibrate(calibration, options, request, response.usage);
      return response;
    },
    priceUsd: (tokens) => costUsd(options.modelId, tokens),
    tokenFactor: () => calibration.factor,
  };
}

function calibrate(
  calibration: TokenCalibration,
  { onTokenRatio }: AnthropicOptions,
  request: ModelRequest,
  { inputTokens, cacheReadTokens, cacheWriteTokens }: TokenUsage,
): void {
  const ratio = calibration.observe(estimateRequest(request), inputTokens + cacheReadTokens + cacheWriteTokens);
  if (ratio !== undefined) onTokenRatio?.(ratio);
}

async function complete(
  send: Send,
  options: AnthropicOptions,
  request: ModelRequest,
): Promise<{ readonly response: ModelResponse; readonly attempts: number }> {
  const params = toParams(request, options.modelId);
  const deadlineMs = Date.now() + request.timeoutMs;
  const { idleTimeoutMs, onFirstToken } = options;
  const limits = { idleTimeoutMs, deadlineMs, signal: request.signal, ...(onFirstToken ? { onFirstToken } : {}) };
  let spent: TokenUsage = NO_TOKENS;
  for (let n = 1; ; n++) {
    const result = await send(params, limits);
    if (result.ok) {
      const usage = addTokens(spent, result.response.usage);
      return { response: { ...result.response, usage }, attempts: n };
    }
    spent = addTokens(spent, result.error.usage);
    const waitMs = retryWaitMs(result, n, options.retryDelayMs ?? FIRST_RETRY_MS);
    const ending = whyNotAgain(result, n, waitMs, deadlineMs);
    if (ending !== undefined) {
      throw new ModelError(result.error.kind, `${result.error.message}${ending}`, spent, { cause: result.error });
    }
    options.onRetry?.({ kind: result.error.kind, message: result.error.message, waitMs });
    await sleep(waitMs, undefined, { signal: request.signal }).catch(() => {
      throw modelError('aborted', spent);
    });
  }
}

/** Exponential with full jitter over its upper half; what the server asks for is a floor. */
function retryWaitMs(failure: Extract<Attempt, { ok: false }>, attempts: number, firstMs: number): number {
  const backoffMs = Math.min(LONGEST_BACKOFF_MS, firstMs * 2 ** (attempts - 1));
  const jittered = backoffMs * (0.5 + Math.random() / 2);
  return Math.max(jittered, failure.retryAfterMs ?? 0);
}

/** Undefined: try again. Else the rest of the sentence that says why not. */
function whyNotAgain(
  failure: Extract<Attempt, { ok: false }>,
  attempts: number,
  waitMs: number,
  deadlineMs: number,
): string | undefined {
  if (!failure.error.retryable) return '';
  if (failure.pointless) return ' and said that trying again is pointless';
  if (attempts >= MAX_ATTEMPTS) return `, ${attempts} times in a row`;
  if (Date.now() + waitMs + SHORTEST_ATTEMPT_MS <= deadlineMs) return undefined;
  if (failure.retryAfterMs === undefined) return ', and no time was left to try again';
  return `, and asked to wait ${Math.ceil(failure.retryAfterMs / 1000)} s, longer than the time left`;
}
