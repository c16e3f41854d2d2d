import { positionOf } from './position-groups.ts';
import type { Shape } from './shape.ts';
import { MIN_VALUES, type PositionEvidence } from './variable-evidence.ts';
import type { Token, Vocabulary } from './vocabulary.ts';

/** What the shapes themselves tell of a position at which they differ, all else but `positions` being equal. */
export type PlaceEvidence = Omit<PositionEvidence, 'isKnownValue' | 'variesElsewhere'>;

export function placeEvidence(
  position: number,
  positions: readonly number[],
  members: readonly number[],
  shapes: readonly Shape[],
  vocabulary: Vocabulary,
): PlaceEvidence {
  const tokens = (shapes[members[0] ?? 0]?.tokens ?? []).map((id) => vocabulary.token(id));
  const at = members.map((member) => vocabulary.token(shapes[member]?.tokens[position] ?? 0));
  return {
    values: [...new Set(at.filter((token) => !token.isWildcard).map((token) => token.core))],
    constantWords: tokens.filter((token, i) => !positions.includes(i) && token.isWord).length,
    before: tokens[position - 1]?.text.trim() ?? '',
    isFirst: !tokens.slice(0, position).some((token) => token.core !== ''),
    isResource: isSegment(tokens[position]) && tokens.slice(1, position).every(isPrefix),
    hasWildcardSibling: at.some((token) => token.isWildcard),
  };
}

/** What stands in front of the resource in many routes. */
function isPrefix(token: Token): boolean {
  return /^ \/(?:api|rest|v\d+)$/i.test(token.text);
}

/**
 * In how many places each word is one of several. `groups` holds shapes that differ in one position, by their common
 * key.
 */
export function placesOfWords(
  groups: ReadonlyMap<number, readonly number[]>,
  shapes: readonly Shape[],
  vocabulary: Vocabulary,
): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [key, members] of groups) {
    if (members.length < MIN_VALUES) continue;
    const position = positionOf(key);
    const words = new Set<string>();
    for (const member of members) {
      const token = vocabulary.token(shapes[member]?.tokens[position] ?? 0);
      if (!token.isWildcard) words.add(token.core);
    }
    if (words.size < MIN_VALUES) continue;
    for (const word of words) places.set(word, (places.get(word) ?? 0) + 1);
  }
  return places;
}

/**
 * Things and what happens to them both vary (`door opened`, `door closed`, `window opened`, …), each word in as many
 * places as there are words of the other kind. The kind with more words is the value.
 */
export function variesElsewhere(places: number, words: number): boolean {
  return places > 1 && places < words;
}

/** Segments of a route are the only words with a slash of their own in front. */
function isSegment(token: Token | undefined): boolean {
  return token?.text.startsWith(' /') ?? false;
}
