import { absorbLines } from './absorb-lines.ts';
import { WILDCARD } from './character-class.ts';
import { maskNames } from './merge-names.ts';
import { maskPairs } from './merge-pairs.ts';
import { maskPhrases } from './merge-phrases.ts';
import { VariablePositions } from './merge-positions.ts';
import { maskRareWords } from './merge-rare-words.ts';
import { uniteOptionalParts } from './optional-parts.ts';
import { textOf, uniteShapes, type Shape } from './shape.ts';
import { tokenize, Vocabulary } from './vocabulary.ts';

const SIDE_BY_SIDE = new RegExp(`${WILDCARD}(?:(?:[ ,;.|]|:(?! ))*${WILDCARD})+`, 'g');

/**
 * Joins skeletons that differ only in words which are values. Returns for every skeleton the text of its template;
 * equal texts are one group. `established` are those of the skeletons that an earlier merge made. Depends on the set of
 * skeletons, not on their order.
 */
export function mergeSkeletons(skeletons: readonly string[], established: ReadonlySet<string>): string[] {
  const vocabulary = new Vocabulary();
  const positions = new VariablePositions(vocabulary);
  let shapes = positions.mask(readShapes(skeletons, established, vocabulary));
  for (const maskMore of [maskPairs, maskRareWords, maskNames, maskPhrases]) {
    const masked = maskMore(shapes, vocabulary);
    // What became equal in one position lets others be compared.
    if (masked !== shapes) shapes = positions.mask(masked);
  }
  shapes = uniteOptionalParts(shapes, vocabulary);
  shapes = absorbLines(shapes, vocabulary);
  return templatesOf(shapes, skeletons.length, vocabulary);
}

function readShapes(
  skeletons: readonly string[],
  established: ReadonlySet<string>,
  vocabulary: Vocabulary,
): readonly Shape[] {
  return uniteShapes(
    skeletons.map((text, index) => ({
      tokens: tokenize(text).map((token) => vocabulary.id(token)),
      from: [index],
      isTemplate: established.has(text),
    })),
  );
}

/** By index of the skeleton. */
function templatesOf(shapes: readonly Shape[], count: number, vocabulary: Vocabulary): string[] {
  const texts = Array.from({ length: count }, () => '');
  for (const { tokens, from } of shapes) {
    // Values side by side are one value, as in the scanner.
    const text = textOf(tokens, vocabulary).replaceAll(SIDE_BY_SIDE, WILDCARD);
    for (const index of from) texts[index] = text;
  }
  return texts;
}
