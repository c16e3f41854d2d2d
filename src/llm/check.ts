import type { CheckResult } from '../domain/check-result.ts';
import { NO_TOKENS, type ModelErrorKind } from '../agent/model.ts';
import type { AnthropicOptions } from './anthropic.ts';
import { classify } from './classify.ts';
import { anthropicClient } from './client.ts';
import { hasPrice, priceNote } from './prices.ts';

const TIMEOUT_MS = 5000;

export interface CheckOptions extends Pick<AnthropicOptions, 'apiKey' | 'baseUrl' | 'modelId'> {
  /** A cost limit is set: without a price nobody can keep it, and no investigation uses the model. */
  readonly isCostCapped: boolean;
}

/**
 * For `rootnote doctor`: counts the tokens of one word with the configured key and model, which costs nothing and proves both.
 * Ends within 5 s; never throws.
 */
export async function checkAnthropic(options: CheckOptions, signal: AbortSignal): Promise<CheckResult> {
  const name = 'model';
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const answer = await anthropicClient(options).messages.countTokens(
      { model: options.modelId, messages: [{ role: 'user', content: 'ping' }] },
      { signal: AbortSignal.any([signal, deadline]), timeout: TIMEOUT_MS },
    );
    if (typeof answer?.input_tokens !== 'number') throw new TypeError('not a token count');
    const value = `${options.modelId} at ${hostOf(options.baseUrl)} accepts the key; ${priceNote(options.modelId)}`;
    if (!options.isCostCapped || hasPrice(options.modelId)) return { name, status: 'ok', value };
    const remedy = `A cost limit cannot be kept without a price: unset AGENT_MAX_COST_USD and AGENT_MAX_COST_USD_PER_DAY, or change MODEL_ID.`;
    return { name, status: 'fail', value, remedy };
  } catch (cause) {
    const { error } = classify(cause, NO_TOKENS);
    const kind = deadline.aborted ? 'timeout' : error.kind;
    const said = deadline.aborted ? `no answer within ${TIMEOUT_MS / 1000} s` : error.message;
    return { name, status: 'fail', value: `${hostOf(options.baseUrl)}: ${said}`, remedy: remedyFor(kind, options) };
  }
}

function remedyFor(kind: ModelErrorKind, options: CheckOptions): string {
  switch (kind) {
    case 'auth':
      return 'Set ANTHROPIC_API_KEY to a valid key, or unset it to use the offline analyst.';
    case 'permission':
      return `Give the key of ANTHROPIC_API_KEY access to the model ${options.modelId}, or change MODEL_ID.`;
    case 'billing':
      return 'Settle the billing of the account that ANTHROPIC_API_KEY belongs to.';
    case 'unknown_model':
      return `Check MODEL_ID (${options.modelId}), and that ANTHROPIC_BASE_URL has no path such as /v1.`;
    case 'invalid_request':
    case 'overflow':
      return `Check MODEL_ID (${options.modelId}) and that ANTHROPIC_BASE_URL speaks the Messages API.`;
    case 'network':
    case 'timeout':
    case 'stalled':
    case 'malformed':
      return `Check ANTHROPIC_BASE_URL (${hostOf(options.baseUrl)}): is it reachable from here, and is it the Messages API?`;
    case 'overloaded':
    case 'rate_limited':
    case 'server':
    case 'aborted':
      return 'Try again later; until then reports come from the offline analyst.';
    default:
      return kind satisfies never;
  }
}

function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : 'the configured URL';
}
