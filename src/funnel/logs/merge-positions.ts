import { placeEvidence, placesOfWords, variesElsewhere } from './place.ts';
import { PositionGroups, positionOf } from './position-groups.ts';
import { replaceShapes, textOf, type Shape } from './shape.ts';
import { ENOUGH, MIN_VALUES, weigh } from './variable-evidence.ts';
import type { Vocabulary } from './vocabulary.ts';

const MAX_PASSES = 8;
/** A merged position needs something constant beside it. */
const MIN_CONSTANT_WORDS = 1;

/** Shapes that are equal but for one position. */
interface Candidate {
  readonly position: number;
  readonly members: readonly number[];
  readonly score: number;
  readonly values: number;
}

/** Masks positions in which shapes differ by values. Remembers, from one call to the next, which words were values. */
export class VariablePositions {
  readonly #vocabulary: Vocabulary;
  readonly #groups: PositionGroups;
  /** Words that were masked somewhere. */
  readonly #known = new Set<string>();

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
    this.#groups = new PositionGroups(vocabulary);
  }

  /** The shapes with all variable positions masked; those that are equal then are one. */
  mask(shapes: readonly Shape[]): readonly Shape[] {
    let current = shapes;
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const masked = this.#maskOnce(current);
      if (masked === current) break;
      current = masked;
    }
    return current;
  }

  #maskOnce(shapes: readonly Shape[]): readonly Shape[] {
    const masked = new Map<number, Shape>();
    for (const { position, members } of this.#candidates(shapes)) {
      const unmasked = members.filter((member) => !masked.has(member));
      if (unmasked.length < 2) continue;
      for (const member of unmasked) {
        const shape = shapes[member];
        if (shape) masked.set(member, this.#maskOne(shape, position));
      }
    }
    return replaceShapes(shapes, masked);
  }

  #maskOne(shape: Shape, position: number): Shape {
    const tokens = [...shape.tokens];
    const token = this.#vocabulary.token(tokens[position] ?? 0);
    if (!token.isWildcard) this.#known.add(token.core);
    tokens[position] = token.maskedId;
    return { tokens, from: shape.from, isTemplate: true };
  }

  /**
   * Positions worth masking, most convincing first. Ties: more values, later position, then the text: the same for any
   * order of lines.
   */
  #candidates(shapes: readonly Shape[]): readonly Candidate[] {
    const groups = this.#groups.find(shapes);
    const places = placesOfWords(groups, shapes, this.#vocabulary);
    const candidates: Candidate[] = [];
    for (const [key, members] of groups) {
      const candidate = this.#weighCandidate(positionOf(key), members, shapes, places);
      if (candidate) candidates.push(candidate);
    }
    return candidates.toSorted(
      (a, b) =>
        b.score - a.score ||
        b.values - a.values ||
        b.position - a.position ||
        (this.#firstText(a, shapes) < this.#firstText(b, shapes) ? -1 : 1),
    );
  }

  #weighCandidate(
    position: number,
    members: readonly number[],
    shapes: readonly Shape[],
    places: ReadonlyMap<string, number>,
  ): Candidate | undefined {
    if (members.length < MIN_VALUES && !this.#areKnown(position, members, shapes)) return undefined;
    const evidence = placeEvidence(position, [position], members, shapes, this.#vocabulary);
    const { values, constantWords } = evidence;
    if (constantWords < MIN_CONSTANT_WORDS) return undefined;
    const score = weigh({
      ...evidence,
      isKnownValue: (word) => this.#known.has(word),
      variesElsewhere: (word) => variesElsewhere(places.get(word) ?? 0, values.length),
    });
    return score < ENOUGH ? undefined : { position, members, score, values: values.length };
  }

  /**
   * Two words alone never weigh enough, unless both are values elsewhere or one stands beside a wildcard. Most groups
   * are two words.
   */
  #areKnown(position: number, members: readonly number[], shapes: readonly Shape[]): boolean {
    const tokens = members.map((member) => this.#vocabulary.token(shapes[member]?.tokens[position] ?? 0));
    return tokens.some((token) => token.isWildcard) || tokens.every((token) => this.#known.has(token.core));
  }

  #firstText({ members }: Candidate, shapes: readonly Shape[]): string {
    const texts = members.map((member) => textOf(shapes[member]?.tokens ?? [], this.#vocabulary));
    return texts.reduce((least, text) => (text < least ? text : least));
  }
}
