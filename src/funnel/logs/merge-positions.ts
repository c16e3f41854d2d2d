import { absorbLines } from './absorb-lines.ts';
import { WILDCARD } from './character-class.ts';
import { KeyTally, maskedKey, maskingChange, MAX_POSITIONS, tokenHash } from './masked-key.ts';
import { maskPairs } from './merge-pairs.ts';
import { maskPhrases } from './merge-phrases.ts';
import { maskNames } from './merge-names.ts';
import { maskRareWords } from './merge-rare-words.ts';
import { uniteOptionalParts } from './optional-parts.ts';
import { placeEvidence, placesOfWords, variesElsewhere } from './place.ts';
import { replaceShapes, textOf, uniteShapes, type Shape } from './shape.ts';
import { ENOUGH, weigh } from './variable-evidence.ts';
import { tokenize, Vocabulary } from './vocabulary.ts';

const SIDE_BY_SIDE = new RegExp(`${WILDCARD}(?:(?:[ ,;.|]|:(?! ))*${WILDCARD})+`, 'g');

const MAX_PASSES = 8;
/** A merged position needs something constant beside it. */
const MIN_CONSTANT_WORDS = 1;

/** Skeletons that are equal but for one position. */
interface Candidate {
  readonly position: number;
  readonly members: readonly number[];
  readonly score: number;
  readonly values: number;
  /** Least text of its members: the last word on ties, the same for any order of lines. */
  readonly firstText: string;
}

/**
 * Joins skeletons that differ only in words which are values. Returns for every skeleton the text of its template; equal
 * texts are one group. `established` are those of the skeletons that an earlier merge made. Depends on the set of skeletons, not on their order.
 */
export function mergeVariablePositions(skeletons: readonly string[], established: ReadonlySet<string>): string[] {
  const merge = new PositionMerge(skeletons, established);
  const untilStable = () => {
    for (let pass = 0; pass < MAX_PASSES && merge.maskPositions(); pass++);
  };
  untilStable();
  merge.apply(maskPairs);
  untilStable();
  merge.apply(maskRareWords);
  untilStable();
  merge.apply(maskNames);
  untilStable();
  merge.apply(maskPhrases);
  untilStable();
  merge.apply(uniteOptionalParts);
  merge.apply(absorbLines);
  return merge.templates();
}

class PositionMerge {
  readonly #vocabulary = new Vocabulary();
  readonly #size: number;
  readonly #known = new Set<string>();
  #shapes: readonly Shape[];

  constructor(skeletons: readonly string[], established: ReadonlySet<string>) {
    this.#size = skeletons.length;
    const shapes = skeletons.map((text, index) => ({
      tokens: tokenize(text).map((token) => this.#vocabulary.id(token)),
      from: [index],
      isTemplate: established.has(text),
    }));
    this.#shapes = uniteShapes(shapes);
  }

  templates(): string[] {
    const texts = Array.from({ length: this.#size }, () => '');
    for (const shape of this.#shapes) {
      // Values side by side are one value, as in the scanner.
      const text = this.#text(shape.tokens).replaceAll(SIDE_BY_SIDE, WILDCARD);
      for (const index of shape.from) texts[index] = text;
    }
    return texts;
  }

  apply(step: (shapes: readonly Shape[], vocabulary: Vocabulary) => readonly Shape[]): void {
    this.#shapes = step(this.#shapes, this.#vocabulary);
  }

  /** Masks the positions that are variable; false when there were none. */
  maskPositions(): boolean {
    const candidates = this.#candidates();
    const masked = new Map<number, Shape>();
    for (const candidate of candidates) {
      const members = candidate.members.filter((member) => !masked.has(member));
      if (members.length < 2) continue;
      for (const member of members) masked.set(member, this.#mask(member, candidate.position));
    }
    if (masked.size === 0) return false;
    this.#shapes = replaceShapes(this.#shapes, masked);
    return true;
  }

  #mask(member: number, position: number): Shape {
    const shape = this.#shapes[member];
    if (!shape) throw new Error(`Unknown shape ${member}.`);
    const tokens = [...shape.tokens];
    const token = this.#vocabulary.token(tokens[position] ?? 0);
    if (!token.isWildcard) this.#known.add(token.core);
    tokens[position] = token.maskedId;
    return { tokens, from: shape.from, isTemplate: true };
  }

  #text(tokens: readonly number[]): string {
    return textOf(tokens, this.#vocabulary);
  }

  /** Positions worth masking, most convincing first. Ties: more values, later position, then the text. */
  #candidates(): Candidate[] {
    const candidates: Candidate[] = [];
    const groups = this.#groupByMaskedKey();
    const places = placesOfWords(groups, this.#shapes, this.#vocabulary);
    for (const [key, entries] of groups) {
      if (entries.length < 2) continue;
      const position = key % MAX_POSITIONS;
      const candidate = this.#weighCandidate(position, entries, places);
      if (candidate) candidates.push(candidate);
    }
    return candidates.toSorted(
      (a, b) =>
        b.score - a.score || b.values - a.values || b.position - a.position || (a.firstText < b.firstText ? -1 : 1),
    );
  }

  /** Shapes that differ at most in one position, by their common key. */
  #groupByMaskedKey(): ReadonlyMap<number, readonly number[]> {
    const tally = new KeyTally(this.#shapes.length * 8);
    for (const { tokens } of this.#shapes) this.#forEachMaskedKey(tokens, (key) => tally.add(key));
    const groups = new Map<number, number[]>();
    for (const [index, { tokens }] of this.#shapes.entries()) {
      this.#forEachMaskedKey(tokens, (key) => {
        if (!tally.mayReach(2, key)) return;
        const members = groups.get(key);
        if (members) members.push(index);
        else groups.set(key, [index]);
      });
    }
    return groups;
  }

  /** One key for every position: the hash of the tokens with that one masked, times 64 plus the position. */
  #forEachMaskedKey(tokens: readonly number[], visit: (key: number) => void): void {
    const whole = tokenHash(tokens);
    const length = Math.min(tokens.length, MAX_POSITIONS);
    for (let position = 0; position < length; position++) {
      const token = this.#vocabulary.token(tokens[position] ?? 0);
      if (!token.isWord && !token.isWildcard) continue;
      if (this.#isAssigned(tokens, position)) continue;
      visit(maskedKey(whole, position, maskingChange(tokens, position, this.#vocabulary)));
    }
  }

  /** The name of a field never varies, and a value that is still there was left on purpose. */
  #isAssigned(tokens: readonly number[], position: number): boolean {
    return this.#isEquals(tokens[position - 1]) || this.#isEquals(tokens[position + 1]);
  }

  #isEquals(id: number | undefined): boolean {
    return id !== undefined && this.#vocabulary.token(id).text === '=';
  }

  #weighCandidate(
    position: number,
    members: readonly number[],
    places: ReadonlyMap<string, number>,
  ): Candidate | undefined {
    const evidence = placeEvidence(position, [position], members, this.#shapes, this.#vocabulary);
    const { values, constantWords } = evidence;
    if (constantWords < MIN_CONSTANT_WORDS) return undefined;
    const score = weigh({
      ...evidence,
      isKnownValue: (word) => this.#known.has(word),
      variesElsewhere: (word) => variesElsewhere(places.get(word) ?? 0, values.length),
    });
    if (score < ENOUGH) return undefined;
    const texts = members.map((member) => this.#text(this.#shapes[member]?.tokens ?? []));
    const firstText = texts.reduce((least, text) => (text < least ? text : least));
    return { position, members, score, values: values.length, firstText };
  }
}
