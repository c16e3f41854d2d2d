import { WILDCARD } from './character-class.ts';
import { tokensKey } from './masked-key.ts';
import { uniteShapes, type Shape } from './shape.ts';
import type { Vocabulary } from './vocabulary.ts';

const MAX_TAIL = 6;
const FIELD = /[={}()[\]:]/;

/**
 * A value in brackets that some lines have and others have not (`sent file (12 kB)`, `lease of <*> (host) renewed`), or
 * behind a comma at the end (`failed, will retry in 3 s`), is an addition, no other message: the longer shape becomes
 * the shorter, if that occurs.
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
  const addition = [' (', WILDCARD, ')'].map((text) => vocabulary.id(text));
  const kept: number[] = [];
  for (let i = 0; i < tokens.length; i++) {
    if (addition.every((id, offset) => tokens[i + offset] === id)) i += 2;
    else kept.push(tokens[i] ?? 0);
  }
  if (kept.length === tokens.length) return withoutTail(tokens, vocabulary);
  return kept.length > 1 ? kept : undefined;
}

/** Without `, will retry in <*>`: few words and a value behind the last comma. */
function withoutTail(tokens: readonly number[], vocabulary: Vocabulary): readonly number[] | undefined {
  const comma = tokens.lastIndexOf(vocabulary.id(','));
  if (comma < 2 || tokens.length - comma - 1 > MAX_TAIL) return undefined;
  const tail = tokens.slice(comma + 1).map((id) => vocabulary.token(id));
  const isAddition = tail.some((token) => token.isWildcard) && tail.every(({ text }) => !FIELD.test(text));
  return isAddition ? tokens.slice(0, comma) : undefined;
}
