import Anthropic from '@anthropic-ai/sdk';
import type { AnthropicOptions } from './anthropic.ts';
import { attempt, type Attempt, type AttemptLimits } from './attempt.ts';

/** One attempt at one request. */
export type Send = (params: Anthropic.MessageCreateParamsNonStreaming, limits: AttemptLimits) => Promise<Attempt>;

/**
 * A client that takes nothing from the environment. Its own retries are off, because it sleeps through any `retry-after`, an hour
 * included; its log is off, because it prints bodies. Where tracing is on it makes the span of a call, without content, and sends no trace context
 * to the API.
 */
export function anthropicClient(options: Pick<AnthropicOptions, 'apiKey' | 'baseUrl'>): Anthropic {
  return new Anthropic({
    apiKey: options.apiKey,
    authToken: null,
    baseURL: options.baseUrl,
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: { propagation: false, traces: { contentMode: 'metadata_only' } },
  });
}

/** A client of its own for each model. */
export function openSender(options: Pick<AnthropicOptions, 'apiKey' | 'baseUrl'>): Send {
  const client = anthropicClient(options);
  return (params, limits) => attempt(client, params, limits);
}
