import { textOf, uniteShapes, type Shape } from './shape.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A line may only be absorbed by a template with a sentence in it. */
const MIN_CONSTANT_WORDS = 2;

/**
 * A line that fits a template whose wildcards were found by merging is one of its lines, however rare its values are. The
 * template with the most skeletons wins.
 */
export function absorbLines(shapes: readonly Shape[], vocabulary: Vocabulary): readonly Shape[] {
  const buckets = new Map<number, Shape[]>();
  for (const shape of shapes) {
    if (!shape.isTemplate) continue;
    const bucket = buckets.get(bucketKey(shape.tokens));
    if (bucket) bucket.push(shape);
    else buckets.set(bucketKey(shape.tokens), [shape]);
  }
  if (buckets.size === 0) return shapes;
  for (const bucket of buckets.values()) {
    bucket.sort(
      (a, b) => b.from.length - a.from.length || (textOf(a.tokens, vocabulary) < textOf(b.tokens, vocabulary) ? -1 : 1),
    );
  }
  return uniteShapes(
    shapes.map((shape) => {
      const bucket = buckets.get(bucketKey(shape.tokens));
      const template = bucket?.find(({ tokens }) => fits(shape.tokens, tokens, vocabulary));
      return template ? { ...shape, tokens: template.tokens } : shape;
    }),
  );
}

/** Only lines of the same length and first word can fit. */
function bucketKey(tokens: readonly number[]): number {
  return (tokens[0] ?? 0) * MAX_TOKENS + tokens.length;
}
/** More than a line of a skeleton's greatest length can have. */
const MAX_TOKENS = 4096;

function fits(tokens: readonly number[], template: readonly number[], vocabulary: Vocabulary): boolean {
  let constantWords = 0;
  for (let i = 0; i < template.length; i++) {
    const wanted = template[i] ?? 0;
    const actual = tokens[i] ?? 0;
    const token = vocabulary.token(actual);
    if (wanted === actual) constantWords += token.isWord ? 1 : 0;
    else if (!token.isWord || wanted !== token.maskedId) return false;
  }
  return constantWords >= MIN_CONSTANT_WORDS;
}
