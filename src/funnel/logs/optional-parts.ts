import { WILDCARD } from './character-class.ts';
import { tokensKey } from './masked-key.ts';
import { uniteShapes, type Shape } from './shape.ts';
import type { Vocabulary } from './vocabulary.ts';

const MAX_TAIL = 6;
const FIELD = /[={}()[\]:]/;

/**
 * A value in brackets that some lines have and others have not (`sent file (12 kB)`, `lease of <*> (host) renewed`), or behind a comma at the end (`failed, will retry in 3 s`), is an addition, no other message: the
 * longer shape becomes the shorter, if that occurs.
 */
export function uniteOptionalParts(shapes: readonly Shape[], vocabulary: Vocabulary): readonly Shape[] {
  const byKey = new Map<number, Shape>();
  for (const shape of shapes) byKey.set(tokensKey(shape.tokens), shape);
  return uniteShapes(
    shapes.map((shape) => {
      const shorter = withoutAdditions(shape.tokens, vocabulary);
      const same = shorter ? byKey.get(tokensKey(shorter)) : undefined;
      return same ? { ...shape, tokens: same.tokens } : shape;
    }),
  );
}

/** Without ` (<*>)`; undefined when there is none, or nothing else. */
function withoutAdditions(tokens: readonly number[], vocabulary: Vocabulary): readonly number[] | undefined {
  const kept: number[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const [open, value, close] = [tokens[i], tokens[i + 1], tokens[i + 2]].map((id) =>
      id === undefined ? '' : vocabulary.token(id).text,
    );
    if (open === ' (' && value === WILDCARD && close === ')') i += 2;
    else kept.push(tokens[i] ?? 0);
  }
  if (kept.length === tokens.length) return withoutTail(tokens, vocabulary);
  return kept.length > 1 ? kept : undefined;
}

/** Without `, will retry in <*>`: few words and a value behind the last comma. */
function withoutTail(tokens: readonly number[], vocabulary: Vocabulary): readonly number[] | undefined {
  const comma = tokens.findLastIndex((id) => vocabulary.token(id).text === ',');
  const tail = tokens.slice(comma + 1).map((id) => vocabulary.token(id));
  const isAddition =
    tail.length <= MAX_TAIL && tail.some((token) => token.isWildcard) && tail.every(({ text }) => !FIELD.test(text));
  return comma > 1 && isAddition ? tokens.slice(0, comma) : undefined;
}
