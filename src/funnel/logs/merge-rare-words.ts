import { tokensKey } from './masked-key.ts';
import { placeEvidence } from './place.ts';
import { replaceShapes, type Shape } from './shape.ts';
import { ENOUGH, MIN_VALUES, weigh } from './variable-evidence.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * A word of a line is rare when the most frequent word of that line stands in this many times as many lines of its
 * length.
 */
const RARITY = 4;
const MIN_MEMBERS = 4;
const MAX_RARE = 4;
/** More than a skeleton has tokens. */
const MAX_TOKENS = 2 ** 14;
const MIN_CONSTANT_WORDS = 2;

interface Skeletons {
  readonly rare: readonly number[];
  readonly members: number[];
}

/**
 * Masks all rare words of a line at once where many lines agree in the rest (`user alice viewed the file of Bob
 * Miller`, `user carol viewed the file of Dan Cooper`): no two of them differ in one or two words only. Rare is
 * relative: among lines of one length, a template's own words stand in all of its lines, its values each in a few.
 */
export function maskRareWords(shapes: readonly Shape[], vocabulary: Vocabulary): readonly Shape[] {
  const frequency = new Map<number, number>();
  for (const { tokens } of shapes) {
    tokens.forEach((id, position) => {
      if (!vocabulary.token(id).isWord) return;
      const key = placeKey(tokens.length, position, id);
      frequency.set(key, (frequency.get(key) ?? 0) + 1);
    });
  }
  const groups = new Map<number, Skeletons>();
  shapes.forEach(({ tokens }, member) => {
    const rare = rarePositions(tokens, vocabulary, frequency);
    if (rare === undefined) return;
    const key = tokensKey(maskAll(tokens, rare, vocabulary));
    const group = groups.get(key);
    if (group) group.members.push(member);
    else groups.set(key, { rare, members: [member] });
  });
  const masked = new Map<number, Shape>();
  for (const group of groups.values()) {
    if (!isConvincing(group, shapes, vocabulary)) continue;
    for (const member of group.members) {
      const shape = shapes[member];
      if (!shape) continue;
      masked.set(member, { ...shape, tokens: maskAll(shape.tokens, group.rare, vocabulary), isTemplate: true });
    }
  }
  return replaceShapes(shapes, masked);
}

function placeKey(length: number, position: number, id: number): number {
  return (id * MAX_TOKENS + position) * MAX_TOKENS + length;
}

function maskAll(tokens: readonly number[], positions: readonly number[], vocabulary: Vocabulary): readonly number[] {
  return tokens.map((id, i) => (positions.includes(i) ? vocabulary.token(id).maskedId : id));
}

function rarePositions(
  tokens: readonly number[],
  vocabulary: Vocabulary,
  frequency: ReadonlyMap<number, number>,
): readonly number[] | undefined {
  const words: { position: number; count: number }[] = [];
  let highest = 0;
  tokens.forEach((id, position) => {
    if (!vocabulary.token(id).isWord) return;
    const count = frequency.get(placeKey(tokens.length, position, id)) ?? 0;
    highest = Math.max(highest, count);
    words.push({ position, count });
  });
  if (highest < MIN_MEMBERS) return undefined;
  const rare = words.filter(({ count }) => count * RARITY <= highest).map(({ position }) => position);
  const isUsable = rare.length > 0 && rare.length <= MAX_RARE && words.length - rare.length >= MIN_CONSTANT_WORDS;
  return isUsable ? rare : undefined;
}

function isConvincing({ rare, members }: Skeletons, shapes: readonly Shape[], vocabulary: Vocabulary): boolean {
  if (members.length < MIN_MEMBERS) return false;
  return rare.every((position) => {
    const evidence = placeEvidence(position, rare, members, shapes, vocabulary);
    return evidence.values.length >= MIN_VALUES && weigh(evidence) >= ENOUGH;
  });
}
