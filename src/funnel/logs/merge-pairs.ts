import { frameKey, KeyTally, maskedKey, maskingChange, tokenHash } from './masked-key.ts';
import { placeEvidence } from './place.ts';
import { replaceShapes, type Shape } from './shape.ts';
import { ENOUGH, MIN_VALUES, weigh } from './variable-evidence.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The number of pairs grows with the square of the words. */
const MAX_WORDS = 10;
const MAX_PAIRS = (MAX_WORDS * (MAX_WORDS - 1)) / 2;
const MIN_CONSTANT_WORDS = 2;
/** Two messages differ in two words more easily than in one: more evidence is asked of each. */
const ENOUGH_FOR_PAIR = ENOUGH + 1;

interface Pair {
  readonly positions: readonly [number, number];
  readonly members: number[];
}

/**
 * Masks two positions at once where every line has another word in both (`user alice bought lamp`, `user bob bought
 * desk`), so that no two lines differ in one position only.
 */
export function maskPairs(shapes: readonly Shape[], vocabulary: Vocabulary): readonly Shape[] {
  const masked = new Map<number, Shape>();
  const convincing = findPairs(shapes, vocabulary).filter((pair) => isConvincing(pair, shapes, vocabulary));
  for (const { positions, members } of convincing.toSorted((a, b) => b.members.length - a.members.length)) {
    for (const member of members) {
      const shape = shapes[member];
      if (!shape || masked.has(member)) continue;
      const tokens = shape.tokens.map((id, i) => (positions.includes(i) ? vocabulary.token(id).maskedId : id));
      masked.set(member, { tokens, from: shape.from, isTemplate: true });
    }
  }
  return replaceShapes(shapes, masked);
}

function findPairs(shapes: readonly Shape[], vocabulary: Vocabulary): Pair[] {
  const frames = shapes.map(({ tokens }) => frameKey(tokens, vocabulary));
  const frameTally = new KeyTally(shapes.length);
  for (const frame of frames) frameTally.add(frame);
  const members = [...shapes.keys()].filter((member) => frameTally.mayReach(MIN_VALUES, frames[member] ?? 0));
  const tally = new KeyTally(members.length * MAX_PAIRS);
  forEachPair(members, shapes, vocabulary, (key) => tally.add(key));
  const pairs = new Map<number, Pair>();
  forEachPair(members, shapes, vocabulary, (key, member, i, j) => {
    if (!tally.mayReach(MIN_VALUES, key)) return;
    const pair = pairs.get(key);
    if (pair) pair.members.push(member);
    else pairs.set(key, { positions: [i, j], members: [member] });
  });
  return [...pairs.values()].filter(({ members }) => members.length >= MIN_VALUES);
}

type VisitPair = (key: number, member: number, first: number, second: number) => void;

function forEachPair(
  members: readonly number[],
  shapes: readonly Shape[],
  vocabulary: Vocabulary,
  visit: VisitPair,
): void {
  for (const member of members) {
    const tokens = shapes[member]?.tokens ?? [];
    const words: number[] = [];
    for (let i = 0; i < tokens.length; i++) if (vocabulary.token(tokens[i] ?? 0).isWord) words.push(i);
    if (words.length > MAX_WORDS || words.length < MIN_CONSTANT_WORDS + 2) continue;
    const whole = tokenHash(tokens);
    const changes = words.map((position) => maskingChange(tokens, position, vocabulary));
    for (let first = 0; first < words.length; first++) {
      for (let second = first + 1; second < words.length; second++) {
        const key = maskedKey(whole, words[first] ?? 0, changes[first] ?? whole, changes[second]);
        visit(key, member, words[first] ?? 0, words[second] ?? 0);
      }
    }
  }
}

function isConvincing({ positions, members }: Pair, shapes: readonly Shape[], vocabulary: Vocabulary): boolean {
  return positions.every((position) => {
    const evidence = placeEvidence(position, positions, members, shapes, vocabulary);
    const isMessage = evidence.values.length >= MIN_VALUES && evidence.constantWords >= MIN_CONSTANT_WORDS;
    return isMessage && weigh(evidence) >= ENOUGH_FOR_PAIR;
  });
}
