import type { TokenUsage } from '../agent/model.ts';

interface Price {
  readonly pattern: RegExp;
  /** US dollars per million tokens. */
  readonly inputUsd: number;
  readonly outputUsd: number;
}

/** The day the table was written. A price that changed since then makes `cost_usd` of reports wrong, nothing else. */
const PRICES_AS_OF = '2026-11-29';

/** By family; the first pattern that matches the id counts. */
const PRICES: readonly Price[] = [
  { pattern: /^claude-opus-(?:4-[5-9]|5)/, inputUsd: 5, outputUsd: 25 },
  { pattern: /^claude-sonnet-/, inputUsd: 3, outputUsd: 15 },
  { pattern: /^claude-haiku-(?:4-[5-9]|5)/, inputUsd: 1, outputUsd: 5 },
];

/** Prompt caching: a five-minute write costs 1.25 times the input price, a read a tenth of it. */
const CACHE_WRITE_FACTOR = 1.25;
const CACHE_READ_FACTOR = 0.1;

export function hasPrice(modelId: string): boolean {
  return PRICES.some(({ pattern }) => pattern.test(modelId));
}

/** For `doctor`: whether reports will carry a cost, and how old the price is. */
export function priceNote(modelId: string): string {
  return hasPrice(modelId) ? `prices of ${PRICES_AS_OF}` : 'price not known, so reports carry no cost';
}

/** Cost in US dollars; null for a model without a known price (never 0: a cost that is not known is not free). */
export function costUsd(modelId: string, tokens: Omit<TokenUsage, 'costUsd'>): number | null {
  const price = PRICES.find(({ pattern }) => pattern.test(modelId));
  if (!price) return null;
  const input =
    tokens.inputTokens + CACHE_WRITE_FACTOR * tokens.cacheWriteTokens + CACHE_READ_FACTOR * tokens.cacheReadTokens;
  return (input * price.inputUsd + tokens.outputTokens * price.outputUsd) / 1e6;
}
