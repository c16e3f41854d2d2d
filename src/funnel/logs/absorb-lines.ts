import { textOf, uniteShapes, type Shape } from './shape.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A line may only be absorbed by a template with a sentence in it. */
const MIN_CONSTANT_WORDS = 2;
/** Longest value, in words: names of people, places and things. */
const MAX_VALUE_WORDS = 4;
/** Templates compared with one line, the largest first. */
const MAX_TEMPLATES = 64;

/**
 * A line that fits a template whose wildcards were found by merging is one of its lines, however rare its values are
 * and however many words they have (`moved to <*>` and `moved to New York`). The template with the most skeletons wins.
 */
export function absorbLines(shapes: readonly Shape[], vocabulary: Vocabulary): readonly Shape[] {
  const buckets = new Map<number, Shape[]>();
  for (const shape of shapes) {
    const anchor = shape.isTemplate ? shape.tokens.find((id) => vocabulary.token(id).isWord) : undefined;
    if (anchor === undefined) continue;
    const bucket = buckets.get(anchor);
    if (bucket) bucket.push(shape);
    else buckets.set(anchor, [shape]);
  }
  if (buckets.size === 0) return shapes;
  for (const bucket of buckets.values()) {
    bucket.sort(
      (a, b) => b.from.length - a.from.length || (textOf(a.tokens, vocabulary) < textOf(b.tokens, vocabulary) ? -1 : 1),
    );
    bucket.length = Math.min(bucket.length, MAX_TEMPLATES);
  }
  return uniteShapes(
    shapes.map((shape) => {
      const template = findTemplate(shape, buckets, vocabulary);
      return template ? { ...shape, tokens: template.tokens } : shape;
    }),
  );
}

/** The words of a line among which the first constant word of its template is looked for. */
const ANCHOR_WORDS = 3;

function findTemplate(
  shape: Shape,
  buckets: ReadonlyMap<number, readonly Shape[]>,
  vocabulary: Vocabulary,
): Shape | undefined {
  let words = 0;
  for (const id of shape.tokens) {
    if (!vocabulary.token(id).isWord) continue;
    if (++words > ANCHOR_WORDS) return undefined;
    for (const template of buckets.get(id) ?? []) {
      if (template.tokens === shape.tokens) continue;
      if (fits(shape.tokens, template.tokens, vocabulary)) return template;
    }
  }
  return undefined;
}

function fits(tokens: readonly number[], template: readonly number[], vocabulary: Vocabulary): boolean {
  const constantWords = template.filter((id) => vocabulary.token(id).isWord).length;
  if (constantWords < MIN_CONSTANT_WORDS || tokens.length < template.length) return false;
  return matchFrom(tokens, 0, template, 0, vocabulary);
}

function matchFrom(
  tokens: readonly number[],
  at: number,
  template: readonly number[],
  place: number,
  vocabulary: Vocabulary,
): boolean {
  let i = at;
  let j = place;
  while (j < template.length) {
    const wanted = template[j] ?? 0;
    const actual = tokens[i] ?? -1;
    if (actual === -1) return false;
    if (wanted === actual) {
      i++;
      j++;
      continue;
    }
    const token = vocabulary.token(actual);
    const wildcard = vocabulary.token(wanted);
    if (!wildcard.isWildcard || !token.isWord || wanted !== token.maskedId) return false;
    for (let words = 1; words <= MAX_VALUE_WORDS; words++) {
      if (matchFrom(tokens, i + words, template, j + 1, vocabulary)) return true;
      const next = tokens[i + words];
      if (next === undefined || !isPlainContinuation(next, vocabulary)) return false;
    }
    return false;
  }
  return i === tokens.length;
}

/** A further word of a value: a space and a word or a value, nothing else. */
function isPlainContinuation(id: number, vocabulary: Vocabulary): boolean {
  const { text, core, isWord, isWildcard } = vocabulary.token(id);
  return (isWord || isWildcard) && text === ` ${core}`;
}
