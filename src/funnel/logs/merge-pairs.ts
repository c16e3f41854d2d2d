import { positionKey, tokenHash } from './masked-key.ts';
import { uniteShapes, type Shape } from './shape.ts';
import { ENOUGH, weigh } from './variable-evidence.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The number of pairs grows with the square of the words. */
const MAX_WORDS = 10;
const MIN_CONSTANT_WORDS = 2;
const MIN_VALUES = 3;
/** Two messages differ in two words more easily than in one: more evidence is asked of each. */
const ENOUGH_FOR_PAIR = ENOUGH + 1;

interface Pair {
  readonly positions: readonly [number, number];
  readonly members: number[];
}

/**
 * Masks two positions at once where every line has another word in both (`user alice bought lamp`, `user bob bought desk`),
 * so that no two lines differ in one position only.
 */
export function maskPairs(shapes: readonly Shape[], vocabulary: Vocabulary): Shape[] {
  const masked = [...shapes];
  const done = new Set<number>();
  const convincing = findPairs(shapes, vocabulary).filter((pair) => isConvincing(pair, shapes, vocabulary));
  for (const { positions, members } of convincing.toSorted((a, b) => b.members.length - a.members.length)) {
    for (const member of members) {
      const shape = shapes[member];
      if (!shape || done.has(member)) continue;
      done.add(member);
      const tokens = shape.tokens.map((id, i) => (positions.includes(i) ? vocabulary.token(id).maskedId : id));
      masked[member] = { tokens, from: shape.from, isTemplate: true };
    }
  }
  return uniteShapes(masked);
}

function findPairs(shapes: readonly Shape[], vocabulary: Vocabulary): Pair[] {
  const pairs = new Map<number, Pair>();
  shapes.forEach(({ tokens }, member) => {
    const words = tokens.flatMap((id, i) => (vocabulary.token(id).isWord ? [i] : []));
    if (words.length > MAX_WORDS || words.length < MIN_CONSTANT_WORDS + 2) return;
    const whole = tokenHash(tokens);
    words.forEach((i, at) => {
      for (const j of words.slice(at + 1)) {
        const key = positionKey(whole, tokens, [i, j], vocabulary);
        const pair = pairs.get(key);
        if (pair) pair.members.push(member);
        else pairs.set(key, { positions: [i, j], members: [member] });
      }
    });
  });
  return [...pairs.values()].filter(({ members }) => members.length >= MIN_VALUES);
}

function isConvincing({ positions, members }: Pair, shapes: readonly Shape[], vocabulary: Vocabulary): boolean {
  const tokens = shapes[members[0] ?? 0]?.tokens ?? [];
  const constantWords = tokens.filter((id, i) => !positions.includes(i) && vocabulary.token(id).isWord).length;
  return positions.every((position) => {
    const words = members.map((member) => vocabulary.token(shapes[member]?.tokens[position] ?? 0).core);
    const values = [...new Set(words)];
    if (values.length < MIN_VALUES || constantWords < MIN_CONSTANT_WORDS) return false;
    const evidence = {
      values,
      constantWords,
      before: vocabulary.token(tokens[position - 1] ?? 0).text.trim(),
      isFirst: !tokens.slice(0, position).some((id) => vocabulary.token(id).core !== ''),
      hasWildcardSibling: false,
      isKnownValue: () => false,
    };
    return weigh(evidence) >= ENOUGH_FOR_PAIR;
  });
}
