import { textOf, uniteShapes, type Shape } from './shape.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A line may only be absorbed by a template with a sentence in it. */
const MIN_CONSTANT_WORDS = 2;

/**
 * A line that fits a template whose wildcards were found by merging is one of its lines, however rare its values are. The
 * template with the most skeletons wins.
 */
export function absorbLines(shapes: readonly Shape[], vocabulary: Vocabulary): Shape[] {
  const templates = new Map<string, Shape[]>();
  for (const shape of shapes) {
    if (shape.isTemplate) bucketOf(templates, shape.tokens).push(shape);
  }
  for (const bucket of templates.values()) {
    bucket.sort(
      (a, b) => b.from.length - a.from.length || (textOf(a.tokens, vocabulary) < textOf(b.tokens, vocabulary) ? -1 : 1),
    );
  }
  return uniteShapes(
    shapes.map((shape) => {
      const template = bucketOf(templates, shape.tokens).find(({ tokens }) => fits(shape.tokens, tokens, vocabulary));
      return template ? { ...shape, tokens: template.tokens } : shape;
    }),
  );
}

/** Only lines of the same length and first word can fit. */
function bucketOf(templates: Map<string, Shape[]>, tokens: readonly number[]): Shape[] {
  const key = `${tokens.length} ${tokens[0]}`;
  const bucket = templates.get(key) ?? [];
  templates.set(key, bucket);
  return bucket;
}

function fits(tokens: readonly number[], template: readonly number[], vocabulary: Vocabulary): boolean {
  let constantWords = 0;
  for (let i = 0; i < template.length; i++) {
    const [wanted, actual] = [template[i] ?? 0, tokens[i] ?? 0];
    const token = vocabulary.token(actual);
    if (wanted === actual) constantWords += token.isWord ? 1 : 0;
    else if (!token.isWord || wanted !== token.maskedId) return false;
  }
  return constantWords >= MIN_CONSTANT_WORDS;
}
