import type Anthropic from '@anthropic-ai/sdk';
import type { ModelResponse, TokenUsage } from '../agent/model.ts';
import { classify, type AttemptFailure } from './classify.ts';
import { modelError } from './model-error.ts';
import { toBlocks, toStopReason, toUsage } from './wire.ts';

export interface AttemptLimits {
  /** The longest silence: before the headers, and between two events of the stream. */
  readonly idleTimeoutMs: number;
  /** When the whole call must be over, epoch ms. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Told once of an attempt that begins to be answered. */
  readonly onFirstToken?: (waitedMs: number) => void;
}

export type Attempt =
  { readonly ok: true; readonly response: ModelResponse } | ({ readonly ok: false } & AttemptFailure);

/**
 * Sends one streamed request. The SDK's `timeout` covers the wait for the headers only, so a watchdog of our own cuts a stream that
 * falls silent. Usage is taken from every event: a stream that fails after some output is billed all the same.
 */
export async function attempt(
  client: Anthropic,
  params: Anthropic.MessageCreateParamsNonStreaming,
  limits: AttemptLimits,
): Promise<Attempt> {
  const cut = new AbortController();
  let why: 'stalled' | 'timeout' | undefined;
  const stop = (reason: 'stalled' | 'timeout') => {
    why ??= reason;
    cut.abort();
  };
  const deadline = setTimeout(stop, Math.max(0, limits.deadlineMs - Date.now()), 'timeout');
  let idle: NodeJS.Timeout | undefined;
  const listen = () => {
    clearTimeout(idle);
    idle = setTimeout(stop, limits.idleTimeoutMs, 'stalled');
  };

  const beganMs = performance.now();
  let hasBegun = false;
  let usage = toUsage(null, params.model);
  try {
    const stream = client.messages.stream(params, {
      signal: AbortSignal.any([limits.signal, cut.signal]),
      timeout: limits.idleTimeoutMs,
    });
    stream.on('connect', listen);
    stream.on('streamEvent', ({ type }, snapshot) => {
      listen();
      if (type === 'content_block_delta' && !hasBegun) limits.onFirstToken?.(performance.now() - beganMs);
      hasBegun ||= type === 'content_block_delta';
      usage = toUsage(snapshot.usage, snapshot.model);
    });
    const message = await stream.finalMessage();
    return { ok: true, response: toResponse(message, params.model) };
  } catch (error) {
    return toFailure(error, usage, limits.signal.aborted ? 'aborted' : why);
  } finally {
    clearTimeout(deadline);
    clearTimeout(idle);
  }
}

/** Who cuts a stream knows why it ended; the SDK only says that it did. */
function toFailure(
  error: unknown,
  usage: TokenUsage,
  cutBecause: 'aborted' | 'stalled' | 'timeout' | undefined,
): Attempt {
  if (cutBecause === undefined) return { ok: false, ...classify(error, usage) };
  return { ok: false, error: modelError(cutBecause, usage), retryAfterMs: undefined, pointless: false };
}

/** A proxy may answer 200 with something else; anything that is not a message is treated like a broken stream. */
function toResponse(message: Anthropic.Message, modelId: string): ModelResponse {
  if (message?.type !== 'message' || !Array.isArray(message.content)) throw new Error('not a message');
  const model = message.model || modelId;
  const category = message.stop_details?.category;
  return {
    blocks: toBlocks(message.content),
    stopReason: toStopReason(message.stop_reason),
    ...(category ? { stopDetail: category } : {}),
    usage: toUsage(message.usage, model),
    model,
  };
}
