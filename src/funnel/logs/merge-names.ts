import { replacedKey, tokenHash, tokensKey } from './masked-key.ts';
import { replaceShapes, type Shape } from './shape.ts';
import { ENOUGH, MIN_VALUES, weigh } from './variable-evidence.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Constant words hardly ever stand in one place in different numbers. */
const LENGTHS_DIFFER = 0.5;
/** Stands for a name: a token that no line has. Lines that agree before and behind their names are then equal. */
const NAME = -1;
const CAPITALISED = /^[\p{Lu}\p{N}]/u;

/** Tokens `from` up to, not including, `to` of a shape. */
interface Span {
  readonly member: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Masks names of one word and of several where lines agree before and behind them (`joined network home`, `joined
 * network Cafe Central`): of different lengths, they never meet at one position. Only capitalised words make a name of
 * several.
 */
export function maskNames(shapes: readonly Shape[], vocabulary: Vocabulary): readonly Shape[] {
  const places = new Map<number, Span[]>();
  shapes.forEach((shape, member) => {
    for (const { from, to } of longNames(shape.tokens, vocabulary)) {
      const key = tokensKey([...shape.tokens.slice(0, from), NAME, ...shape.tokens.slice(to)]);
      const spans = places.get(key);
      if (spans) spans.push({ member, from, to });
      else places.set(key, [{ member, from, to }]);
    }
  });
  if (places.size === 0) return shapes;
  shapes.forEach(({ tokens }, member) => {
    const whole = tokenHash(tokens);
    for (let from = 1; from < tokens.length; from++) {
      if (!isPlainWord(tokens[from], vocabulary)) continue;
      places.get(replacedKey(whole, tokens, from, NAME))?.push({ member, from, to: from + 1 });
    }
  });
  const masked = new Map<number, Shape>();
  for (const spans of places.values()) {
    if (!areNames(spans, shapes, vocabulary)) continue;
    for (const { member, from, to } of spans) {
      const shape = shapes[member];
      if (!shape || masked.has(member)) continue;
      const wildcard = vocabulary.token(shape.tokens[from] ?? 0).maskedId;
      const tokens = [...shape.tokens.slice(0, from), wildcard, ...shape.tokens.slice(to)];
      masked.set(member, { ...shape, tokens, isTemplate: true });
    }
  }
  return replaceShapes(shapes, masked);
}

/** Runs of two or more capitalised words; the first word of a line is capitalised anyway. */
function longNames(tokens: readonly number[], vocabulary: Vocabulary): { from: number; to: number }[] {
  const names: { from: number; to: number }[] = [];
  for (let from = 1; from < tokens.length; from++) {
    let to = from;
    while (isPlainWord(tokens[to], vocabulary) && CAPITALISED.test(vocabulary.token(tokens[to] ?? 0).core)) to++;
    if (to - from >= 2) names.push({ from, to });
    from = Math.max(from, to);
  }
  return names;
}

/** A word with a space before it and nothing else. */
function isPlainWord(id: number | undefined, vocabulary: Vocabulary): boolean {
  if (id === undefined) return false;
  const { text, core, isWord } = vocabulary.token(id);
  return isWord && text === ` ${core}`;
}

function areNames(spans: readonly Span[], shapes: readonly Shape[], vocabulary: Vocabulary): boolean {
  const [first] = spans;
  if (!first || spans.length < MIN_VALUES) return false;
  const tokens = (shapes[first.member]?.tokens ?? []).map((id) => vocabulary.token(id));
  const around = [...tokens.slice(0, first.from), ...tokens.slice(first.to)];
  const constantWords = around.filter((token) => token.isWord).length;
  if (constantWords === 0) return false;
  const values = new Set(
    spans.map(({ member, from, to }) =>
      (shapes[member]?.tokens ?? [])
        .slice(from, to)
        .map((id) => vocabulary.token(id).text)
        .join(''),
    ),
  );
  const lengths = new Set(spans.map(({ from, to }) => to - from));
  const score = weigh({
    values: [...values],
    constantWords,
    before: tokens[first.from - 1]?.text.trim() ?? '',
    isFirst: !tokens.slice(0, first.from).some((token) => token.core !== ''),
    isResource: false,
    hasWildcardSibling: false,
  });
  return values.size >= MIN_VALUES && score + (lengths.size > 1 ? LENGTHS_DIFFER : 0) >= ENOUGH;
}
