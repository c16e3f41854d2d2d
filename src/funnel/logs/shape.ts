import { tokensKey } from './masked-key.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A skeleton on its way to a template. `from` are the indices of the skeletons that became it. */
export interface Shape {
  readonly tokens: readonly number[];
  readonly from: readonly number[];
  /** True once a position was masked by merging, now or in an earlier merge. */
  readonly isTemplate: boolean;
}

export function textOf(tokens: readonly number[], vocabulary: Vocabulary): string {
  return tokens.map((id) => vocabulary.token(id).text).join('');
}

/** Shapes with equal tokens become one. Keeps the order of first appearance. */
export function uniteShapes(shapes: readonly Shape[]): Shape[] {
  const byTokens = new Map<
    number,
    { readonly tokens: readonly number[]; readonly from: number[]; isTemplate: boolean }
  >();
  for (const { tokens, from, isTemplate } of shapes) {
    const key = tokensKey(tokens);
    const same = byTokens.get(key);
    if (same) {
      for (const index of from) same.from.push(index);
      same.isTemplate ||= isTemplate;
    } else byTokens.set(key, { tokens, from: [...from], isTemplate });
  }
  return [...byTokens.values()];
}

/** The shapes with some replaced, by index. Those that are equal then become one. */
export function replaceShapes(shapes: readonly Shape[], replacements: ReadonlyMap<number, Shape>): readonly Shape[] {
  if (replacements.size === 0) return shapes;
  return uniteShapes(shapes.map((shape, index) => replacements.get(index) ?? shape));
}
