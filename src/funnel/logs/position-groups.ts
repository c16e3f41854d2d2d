import { frameKey, KeyTally, maskedKey, maskingChange, MAX_POSITIONS, tokenHash } from './masked-key.ts';
import type { Shape } from './shape.ts';
import type { Vocabulary } from './vocabulary.ts';

const NO_KEYS: readonly number[] = [];

interface ShapeKeys {
  /** The same for all shapes that differ in words alone; masking a word leaves it as it is. */
  readonly frame: number;
  /** For every position that may vary, what all shapes share that differ at most there. */
  readonly keys: readonly number[];
}

/**
 * Finds shapes that differ at most in one position. Keys of tokens are computed once, however many passes ask for them.
 */
export class PositionGroups {
  readonly #vocabulary: Vocabulary;
  /** By the list of tokens itself, which a shape keeps until it is masked. */
  readonly #keys = new Map<readonly number[], ShapeKeys>();

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** Indices of the shapes that share a key, two or more, by the key; `positionOf` tells where they differ. */
  find(shapes: readonly Shape[]): ReadonlyMap<number, readonly number[]> {
    const keys = shapes.map(({ tokens }) => this.#keysOf(tokens));
    const frames = new KeyTally(shapes.length);
    for (const { frame } of keys) frames.add(frame);
    // Whoever is alone in its frame differs from all others in more than a word.
    const alike = keys.map((own) => (frames.mayReach(2, own.frame) ? own.keys : NO_KEYS));
    const tally = new KeyTally(shapes.length * 8);
    for (const own of alike) for (const key of own) tally.add(key);
    const groups = new Map<number, number[]>();
    for (const [index, own] of alike.entries()) {
      for (const key of own) {
        if (!tally.mayReach(2, key)) continue;
        const members = groups.get(key);
        if (members) members.push(index);
        else groups.set(key, [index]);
      }
    }
    for (const [key, { length }] of groups) if (length < 2) groups.delete(key);
    return groups;
  }

  #keysOf(tokens: readonly number[]): ShapeKeys {
    const known = this.#keys.get(tokens);
    if (known) return known;
    const keys = { frame: frameKey(tokens, this.#vocabulary), keys: this.#maskedKeys(tokens) };
    this.#keys.set(tokens, keys);
    return keys;
  }

  /** One key for every position: the hash of the tokens with that one masked, times 64 plus the position. */
  #maskedKeys(tokens: readonly number[]): readonly number[] {
    const whole = tokenHash(tokens);
    const length = Math.min(tokens.length, MAX_POSITIONS);
    const keys: number[] = [];
    for (let position = 0; position < length; position++) {
      const token = this.#vocabulary.token(tokens[position] ?? 0);
      if (!token.isWord && !token.isWildcard) continue;
      if (this.#isAssigned(tokens, position)) continue;
      keys.push(maskedKey(whole, position, maskingChange(tokens, position, this.#vocabulary)));
    }
    return keys;
  }

  /** The name of a field never varies, and a value that is still there was left on purpose. */
  #isAssigned(tokens: readonly number[], position: number): boolean {
    return this.#isEquals(tokens[position - 1]) || this.#isEquals(tokens[position + 1]);
  }

  #isEquals(id: number | undefined): boolean {
    return id !== undefined && this.#vocabulary.token(id).text === '=';
  }
}

/** Where the shapes of a group differ. */
export function positionOf(key: number): number {
  return key % MAX_POSITIONS;
}
