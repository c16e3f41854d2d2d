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
  for (let position = 0; position < tokens.length; position++) {
    const id = tokens[position] ?? 0;
    high = (high + mix(id, position)) | 0;
    low = (low + mix(id, position + LOW)) | 0;
  }
  return { high, low };
}

/** Key of the tokens themselves: 52 bits of hash. */
export function tokensKey(tokens: readonly number[]): number {
  return keyOf(tokenHash(tokens));
}

/** The `tokensKey` of the tokens with another one at `position`. */
export function replacedKey(whole: TokenHash, tokens: readonly number[], position: number, id: number): number {
  const change = replacementChange(tokens, position, id);
  return keyOf({ high: whole.high + change.high, low: whole.low + change.low });
}

/** The `tokensKey` of the tokens with every word masked: of all that differ in words alone. */
export function frameKey(tokens: readonly number[], vocabulary: Vocabulary): number {
  return tokensKey(tokens.map((id) => vocabulary.token(id).maskedId));
}

/** What masking the core at `position` adds to the hash. */
export function maskingChange(tokens: readonly number[], position: number, vocabulary: Vocabulary): TokenHash {
  return replacementChange(tokens, position, vocabulary.token(tokens[position] ?? 0).maskedId);
}

function replacementChange(tokens: readonly number[], position: number, replacement: number): TokenHash {
  const id = tokens[position] ?? 0;
  return {
    high: (mix(replacement, position) - mix(id, position)) | 0,
    low: (mix(replacement, position + LOW) - mix(id, position + LOW)) | 0,
  };
}

function keyOf({ high, low }: TokenHash): number {
  return (high >>> 0) * 2 ** 20 + (low >>> 12);
}

/**
 * Key that all token lists share which differ at most in the cores that `changes` mask: 46 bits of hash and the first of
 * their positions.
 */
export function maskedKey(whole: TokenHash, first: number, change: TokenHash, second?: TokenHash): number {
  const high = whole.high + change.high + (second?.high ?? 0);
  const low = whole.low + change.low + (second?.low ?? 0);
  return ((high >>> 0) * 2 ** 14 + (low >>> 18)) * MAX_POSITIONS + (first % MAX_POSITIONS);
}

/** Positions a key can tell apart; tokens behind them stay constant: templates differ in front. */
export const MAX_POSITIONS = 64;

function mix(id: number, position: number): number {
  let hash = Math.imul(id + 0x9e37, 0x85ebca6b) ^ Math.imul(position + 1, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

/**
 * Counts keys in a small table, so that a map has to hold only those which enough token lists share: on lines of random
 * words nearly no key is. Keys may share a slot, so a count is never too low.
 */
export class KeyTally {
  readonly #counts: Uint8Array;
  readonly #shift: number;

  constructor(expectedKeys: number) {
    const bits = Math.min(MAX_TALLY_BITS, Math.ceil(Math.log2(4 * expectedKeys + 64)));
    this.#counts = new Uint8Array(2 ** bits);
    this.#shift = 32 - bits;
  }

  add(key: number): void {
    const slot = this.#slot(key);
    const count = this.#counts[slot] ?? 0;
    if (count < 255) this.#counts[slot] = count + 1;
  }

  /** False when the key was certainly added fewer than `times` times. */
  mayReach(times: number, key: number): boolean {
    return (this.#counts[this.#slot(key)] ?? 0) >= times;
  }

  #slot(key: number): number {
    return Math.imul(key | 0, 0x9e3779b1) >>> this.#shift;
  }
}

const MAX_TALLY_BITS = 22;
