import { WILDCARD } from './character-class.ts';
import { tokensKey } from './masked-key.ts';
import { replaceShapes, type Shape } from './shape.ts';
import type { Token, Vocabulary } from './vocabulary.ts';

/** What is said to have gone wrong is followed by why. */
const ASKS_WHY =
  /fail|error|exception|reject|refus|abort|unable|cannot|couldn|invalid|denied|because|reason|lost|drop|disconnect|unavailable|terminat|crash|caus|^(?:not|by|to)$/i;
/** Different explanations of one beginning that make the explanation a value. */
const MIN_EXPLANATIONS = 3;
/** Phrases that one first word must share with others before phrases count as names. */
const MIN_NAMES = 4;
const MIN_WORDS_BEFORE_COLON = 2;
const MAX_PHRASE_TOKENS = 12;
/** A message goes on with a name behind one of these. Not behind "to": `failed to open` and `failed to read` are two messages. */
const PREPOSITION = /^ (?:from|on|of|for|in|by|with|at|into|onto)$/;
const MIN_WORDS_BEFORE_PLACE = 3;
const MIN_PLACES = 3;
const MAX_PLACE_WORDS = 4;

/** Shapes with the same beginning, and the phrases they end in. */
interface Beginning {
  readonly cut: number;
  readonly members: readonly number[];
  /** Keys of the phrases. */
  readonly phrases: readonly number[];
}

/**
 * Masks values of several words, which differ in length and so never meet at one position:
 * - explanations: `cannot open x: no such file`, `cannot open x: permission denied`, …; several explanations of one
 *   thing, one fewer when they also explain something else;
 * - places and persons behind a preposition at the end: `detached from bucket raw-data`, `detached from the billing account`, …;
 * - names: `Started Network Time`, `Stopped Network Time`, …; phrases that stand behind several different first words.
 */
export function maskPhrases(shapes: readonly Shape[], vocabulary: Vocabulary): readonly Shape[] {
  let explained = shapes;
  for (const findCut of [explanationStart, lastExplanationStart]) {
    const current = explained;
    explained = maskEndings(current, vocabulary, findCut, (beginning, recurring) =>
      explanations(beginning, recurring, current, vocabulary),
    );
  }
  const reasoned = explained;
  const placed = maskEndings(reasoned, vocabulary, placeStart, ({ cut, members }) =>
    places(members, cut, reasoned, vocabulary),
  );
  return maskEndings(placed, vocabulary, nameStart, (_, recurring) => (recurring.length >= MIN_NAMES ? recurring : []));
}

/**
 * Members whose ending explains. Behind a mere subject (`transaction manager: loading …`) stand sentences with values
 * of their own; there only phrases without a value that recur elsewhere are explanations.
 */
function explanations(
  { cut, members }: Beginning,
  recurring: readonly number[],
  shapes: readonly Shape[],
  vocabulary: Vocabulary,
): readonly number[] {
  const beginning = shapes[members[0] ?? 0]?.tokens.slice(0, cut) ?? [];
  const asksWhy = beginning.some((id) => ASKS_WHY.test(vocabulary.token(id).core));
  const hasValue = (member: number) =>
    shapes[member]?.tokens.slice(cut).some((id) => vocabulary.token(id).isWildcard) ?? false;
  if (asksWhy || !members.some(hasValue)) {
    return members.length + (recurring.length >= 2 ? 1 : 0) >= MIN_EXPLANATIONS ? members : [];
  }
  const known = recurring.filter((member) => !hasValue(member));
  return known.length >= 2 ? known : [];
}

type FindCut = (tokens: readonly number[], vocabulary: Vocabulary) => number | undefined;

/**
 * `choose` returns the members of a beginning whose ending is a value; `recurring` are those that end as under other
 * beginnings.
 */
function maskEndings(
  shapes: readonly Shape[],
  vocabulary: Vocabulary,
  findCut: FindCut,
  choose: (beginning: Beginning, recurring: readonly number[]) => readonly number[],
): readonly Shape[] {
  const beginnings = groupByBeginning(shapes, vocabulary, findCut);
  const uses = new Map<number, number>();
  for (const phrase of beginnings.flatMap(({ phrases }) => phrases)) uses.set(phrase, (uses.get(phrase) ?? 0) + 1);
  const wildcard = vocabulary.id(` ${WILDCARD}`);
  const masked = new Map<number, Shape>();
  for (const beginning of beginnings) {
    const recurring = beginning.members.filter((_, i) => (uses.get(beginning.phrases[i] ?? 0) ?? 0) > 1);
    for (const member of choose(beginning, recurring)) {
      const shape = shapes[member];
      if (shape) {
        const tokens = [...shape.tokens.slice(0, beginning.cut), wildcard];
        masked.set(member, { tokens, from: shape.from, isTemplate: true });
      }
    }
  }
  return replaceShapes(shapes, masked);
}

function groupByBeginning(shapes: readonly Shape[], vocabulary: Vocabulary, findCut: FindCut): Beginning[] {
  const groups = new Map<number, { readonly cut: number; readonly members: number[]; readonly phrases: number[] }>();
  shapes.forEach(({ tokens }, index) => {
    const cut = findCut(tokens, vocabulary);
    if (cut === undefined || !isPhrase(tokens, cut, vocabulary)) return;
    const key = tokensKey(tokens.slice(0, cut));
    const group = groups.get(key) ?? { cut, members: [], phrases: [] };
    groups.set(key, group);
    group.members.push(index);
    group.phrases.push(tokensKey(tokens.slice(cut)));
  });
  return [...groups.values()];
}

/** Few words behind the cut, and no fields among them. */
function isPhrase(tokens: readonly number[], cut: number, vocabulary: Vocabulary): boolean {
  if (tokens.length - cut > MAX_PHRASE_TOKENS) return false;
  return !tokens.slice(cut).some((id) => /[={]/.test(vocabulary.token(id).text));
}

/** Index after the first colon that has a sentence before it and words after it. */
function explanationStart(tokens: readonly number[], vocabulary: Vocabulary): number | undefined {
  const colon = vocabulary.id(':');
  let words = 0;
  for (const [i, id] of tokens.entries()) {
    if (vocabulary.token(id).isWord) words++;
    else if (id === colon && words >= MIN_WORDS_BEFORE_COLON && hasSpaceAt(i + 1, tokens, vocabulary)) return i + 1;
  }
  return undefined;
}

/** Index after the last colon, under the same conditions. */
function lastExplanationStart(tokens: readonly number[], vocabulary: Vocabulary): number | undefined {
  const cut = tokens.lastIndexOf(vocabulary.id(':')) + 1;
  if (cut === 0 || !hasSpaceAt(cut, tokens, vocabulary)) return undefined;
  const words = tokens.slice(0, cut).filter((id) => vocabulary.token(id).isWord).length;
  return words >= MIN_WORDS_BEFORE_COLON ? cut : undefined;
}

function hasSpaceAt(index: number, tokens: readonly number[], vocabulary: Vocabulary): boolean {
  const id = tokens[index];
  return id !== undefined && vocabulary.token(id).text.startsWith(' ');
}

/** Index after the first word or sign, when at least two tokens follow. */
function nameStart(tokens: readonly number[], vocabulary: Vocabulary): number | undefined {
  return tokens.length > 2 && !vocabulary.token(tokens[0] ?? 0).isWildcard ? 1 : undefined;
}

/** Index after the last preposition, when something follows. */
function placeStart(tokens: readonly number[], vocabulary: Vocabulary): number | undefined {
  const cut = tokens.findLastIndex((id) => PREPOSITION.test(vocabulary.token(id).text)) + 1;
  return cut > 0 && cut < tokens.length ? cut : undefined;
}

/** Members that end in a name of one to four words, when there are several and not all of one length. */
function places(
  members: readonly number[],
  cut: number,
  shapes: readonly Shape[],
  vocabulary: Vocabulary,
): readonly number[] {
  const tokensOf = (member: number) => shapes[member]?.tokens ?? [];
  const words = tokensOf(members[0] ?? 0).slice(0, cut);
  const isSentence = words.filter((id) => vocabulary.token(id).isWord).length >= MIN_WORDS_BEFORE_PLACE;
  const plain = members.filter((member) => {
    const ending = tokensOf(member).slice(cut);
    return ending.length <= MAX_PLACE_WORDS && ending.every((id) => isPlain(vocabulary.token(id)));
  });
  const lengths = new Set(plain.map((member) => tokensOf(member).length));
  return isSentence && plain.length >= MIN_PLACES && lengths.size > 1 ? plain : [];
}

/** A word or a value with a space before it and nothing else. */
function isPlain({ text, core, isWord, isWildcard }: Token): boolean {
  return (isWord || isWildcard) && text === ` ${core}`;
}
