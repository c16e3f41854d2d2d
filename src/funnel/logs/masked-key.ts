import type { Vocabulary } from './vocabulary.ts';

/** Sum of two independent hashes over (token, position): masking a position changes one summand, not the whole. */
export interface TokenHash {
  readonly high: number;
  readonly low: number;
}

/** Sets the second hash apart from the first. */
const LOW = 977;

export function tokenHash(tokens: readonly number[]): TokenHash {
  let high = tokens.length;
  let low = tokens.length;
  tokens.forEach((id, position) => {
    high = (high + mix(id, position)) | 0;
    low = (low + mix(id, position + LOW)) | 0;
  });
  return { high, low };
}

/** Key that all token lists share which differ at most in the cores at `positions`: 46 bits of hash and the first position. */
export function positionKey(
  whole: TokenHash,
  tokens: readonly number[],
  positions: readonly number[],
  vocabulary: Vocabulary,
): number {
  let { high, low } = whole;
  for (const position of positions) {
    const id = tokens[position] ?? 0;
    const masked = vocabulary.token(id).maskedId;
    high = (high - mix(id, position) + mix(masked, position)) | 0;
    low = (low - mix(id, position + LOW) + mix(masked, position + LOW)) | 0;
  }
  return ((high >>> 0) * 2 ** 14 + (low >>> 18)) * MAX_POSITIONS + ((positions[0] ?? 0) % MAX_POSITIONS);
}

/** Positions a key can tell apart; tokens behind them stay constant: templates differ in front. */
export const MAX_POSITIONS = 64;

function mix(id: number, position: number): number {
  let hash = Math.imul(id + 0x9e37, 0x85ebca6b) ^ Math.imul(position + 1, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
