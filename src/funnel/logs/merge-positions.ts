import { WILDCARD } from './character-class.ts';
import { ENOUGH, weigh } from './variable-evidence.ts';
import { tokenize, Vocabulary } from './vocabulary.ts';

const SIDE_BY_SIDE = new RegExp(`${WILDCARD}(?:[ ,:;.|]*${WILDCARD})+`, 'g');

const MAX_PASSES = 8;
/** Positions beyond this stay constant: templates differ in front. */
const MAX_TOKENS = 64;
/** A merged position needs a sentence round it. */
const MIN_CONSTANT_WORDS = 2;

const MIN_EXPLANATIONS = 4;
const MAX_EXPLANATION = 12;

/** A skeleton on its way to a template. `from` are the indices of the skeletons that became it. */
interface Shape {
  readonly tokens: readonly number[];
  readonly from: readonly number[];
}

/** Skeletons that are equal but for one position. */
interface Candidate {
  readonly position: number;
  readonly members: readonly number[];
  readonly score: number;
  readonly values: number;
}

/**
 * Joins skeletons that differ only in words which are values. Returns for every skeleton the text of its template; equal
 * texts are one group. Depends on the set of skeletons, not on their order.
 */
export function mergeVariablePositions(skeletons: readonly string[]): string[] {
  const merge = new PositionMerge(skeletons);
  const untilStable = () => {
    for (let pass = 0; pass < MAX_PASSES && merge.maskPositions(); pass++);
  };
  untilStable();
  merge.maskExplanations();
  untilStable();
  merge.absorb();
  return merge.templates();
}

class PositionMerge {
  readonly #vocabulary = new Vocabulary();
  readonly #size: number;
  readonly #known = new Set<string>();
  #shapes: Shape[];

  constructor(skeletons: readonly string[]) {
    this.#size = skeletons.length;
    const shapes = skeletons.map((text, index) => ({
      tokens: tokenize(text).map((token) => this.#vocabulary.id(token)),
      from: [index],
    }));
    this.#shapes = this.#unite(shapes);
  }

  templates(): string[] {
    const texts = Array.from({ length: this.#size }, () => '');
    for (const shape of this.#shapes) {
      // Values side by side are one value, as in the scanner.
      const text = this.#text(shape.tokens).replaceAll(SIDE_BY_SIDE, WILDCARD);
      for (const index of shape.from) texts[index] = text;
    }
    return texts;
  }

  /** Masks the positions that are variable; false when there were none. */
  maskPositions(): boolean {
    const candidates = this.#candidates();
    const masked = new Map<number, Shape>();
    for (const candidate of candidates) {
      const members = candidate.members.filter((member) => !masked.has(member));
      if (members.length < 2) continue;
      for (const member of members) masked.set(member, this.#mask(member, candidate.position));
    }
    if (masked.size === 0) return false;
    this.#shapes = this.#unite(this.#shapes.map((shape, index) => masked.get(index) ?? shape));
    return true;
  }

  /**
   * `cannot open x: no such file`, `cannot open x: permission denied`, …: what follows the colon explains, in any number
   * of words. One needs several explanations of the same thing, fewer when they also explain something else.
   */
  maskExplanations(): void {
    const groups = this.#explanations();
    const beginnings = new Map<string, number>();
    for (const { endings } of groups) {
      for (const ending of endings) beginnings.set(ending, (beginnings.get(ending) ?? 0) + 1);
    }
    const wildcard = this.#vocabulary.id(` ${WILDCARD}`);
    const masked = new Map<number, Shape>();
    for (const { cut, members, endings } of groups) {
      const recurring = endings.filter((ending) => (beginnings.get(ending) ?? 0) > 1).length;
      if (members.length + Math.min(1, Math.floor(recurring / 2)) < MIN_EXPLANATIONS) continue;
      for (const member of members) {
        const shape = this.#shapes[member];
        if (shape) masked.set(member, { ...shape, tokens: [...shape.tokens.slice(0, cut), wildcard] });
      }
    }
    this.#shapes = this.#unite(this.#shapes.map((shape, index) => masked.get(index) ?? shape));
  }

  /** Shapes with the same beginning up to the colon. */
  #explanations(): Iterable<{ readonly cut: number; readonly members: number[]; readonly endings: string[] }> {
    const byBeginning = new Map<
      string,
      { readonly cut: number; readonly members: number[]; readonly endings: string[] }
    >();
    this.#shapes.forEach(({ tokens }, index) => {
      const cut = this.#explanationStart(tokens);
      if (cut === undefined) return;
      const key = tokens.slice(0, cut).join(' ');
      const group = byBeginning.get(key) ?? { cut, members: [], endings: [] };
      group.members.push(index);
      group.endings.push(this.#text(tokens.slice(cut)));
      byBeginning.set(key, group);
    });
    return [...byBeginning.values()];
  }

  /** Index after the first colon that has a sentence before it and words after it. */
  #explanationStart(tokens: readonly number[]): number | undefined {
    const texts = tokens.map((id) => this.#vocabulary.token(id).text);
    let words = 0;
    for (let i = 0; i < texts.length - 1; i++) {
      if (this.#vocabulary.token(tokens[i] ?? 0).isWord) words++;
      const isCut = texts[i] === ':' && words >= MIN_CONSTANT_WORDS && texts[i + 1]?.startsWith(' ') === true;
      if (!isCut) continue;
      const ending = texts.slice(i + 1);
      return ending.length <= MAX_EXPLANATION && !ending.some((text) => /[={]/.test(text)) ? i + 1 : undefined;
    }
    return undefined;
  }

  /** A line that fits a template whose wildcards came from a merge is one of its lines, however rare its values are. */
  absorb(): void {
    const templates = new Map<string, Shape[]>();
    const bucket = (tokens: readonly number[]) => `${tokens.length} ${tokens[0]}`;
    for (const shape of this.#shapes) {
      if (shape.from.length < 2) continue;
      const key = bucket(shape.tokens);
      templates.set(key, [...(templates.get(key) ?? []), shape]);
    }
    this.#shapes = this.#unite(
      this.#shapes.map((shape) => {
        const fits =
          templates.get(bucket(shape.tokens))?.filter((template) => this.#fits(shape.tokens, template.tokens)) ?? [];
        const best = fits.toSorted(
          (a, b) => b.from.length - a.from.length || (this.#text(a.tokens) < this.#text(b.tokens) ? -1 : 1),
        )[0];
        return best ? { tokens: best.tokens, from: shape.from } : shape;
      }),
    );
  }

  #fits(tokens: readonly number[], template: readonly number[]): boolean {
    let constantWords = 0;
    for (let i = 0; i < template.length; i++) {
      const wanted = this.#vocabulary.token(template[i] ?? 0);
      const actual = this.#vocabulary.token(tokens[i] ?? 0);
      if (wanted === actual) constantWords += wanted.isWord ? 1 : 0;
      else if (!actual.isWord || wanted !== this.#vocabulary.token(actual.maskedId)) return false;
    }
    return constantWords >= MIN_CONSTANT_WORDS;
  }

  #mask(member: number, position: number): Shape {
    const shape = this.#shapes[member];
    if (!shape) throw new Error(`Unknown shape ${member}.`);
    const tokens = [...shape.tokens];
    const token = this.#vocabulary.token(tokens[position] ?? 0);
    if (!token.isWildcard) this.#known.add(token.core);
    tokens[position] = token.maskedId;
    return { tokens, from: shape.from };
  }

  #unite(shapes: readonly Shape[]): Shape[] {
    const byTokens = new Map<string, Shape>();
    for (const shape of shapes) {
      const key = shape.tokens.join(' ');
      const same = byTokens.get(key);
      byTokens.set(key, same ? { tokens: same.tokens, from: [...same.from, ...shape.from] } : shape);
    }
    return [...byTokens.values()];
  }

  #text(tokens: readonly number[]): string {
    return tokens.map((id) => this.#vocabulary.token(id).text).join('');
  }

  /** Positions worth masking, most convincing first. Ties: more values, later position, then the text. */
  #candidates(): Candidate[] {
    const groups = new Map<number, number[]>();
    this.#shapes.forEach((shape, index) => this.#addMaskedKeys(shape.tokens, index, groups));
    const candidates: Candidate[] = [];
    for (const [key, entries] of groups) {
      if (entries.length < 2) continue;
      const position = key % MAX_TOKENS;
      const candidate = this.#weighCandidate(position, entries);
      if (candidate) candidates.push(candidate);
    }
    const text = (candidate: Candidate) => this.#text(this.#shapes[candidate.members[0] ?? 0]?.tokens ?? []);
    return candidates.toSorted(
      (a, b) => b.score - a.score || b.values - a.values || b.position - a.position || (text(a) < text(b) ? -1 : 1),
    );
  }

  /** One key for every position: the hash of the tokens with that one masked, times 64 plus the position. */
  #addMaskedKeys(tokens: readonly number[], index: number, groups: Map<number, number[]>): void {
    let high = tokens.length;
    let low = tokens.length;
    tokens.forEach((id, position) => {
      high = (high + mix(id, position)) | 0;
      low = (low + mix(id, position + 977)) | 0;
    });
    const length = Math.min(tokens.length, MAX_TOKENS);
    for (let position = 0; position < length; position++) {
      const id = tokens[position] ?? 0;
      const token = this.#vocabulary.token(id);
      if (!token.isWord && !token.isWildcard) continue;
      if (this.#isAssigned(tokens, position)) continue;
      const maskedHigh = (high - mix(id, position) + mix(token.maskedId, position)) | 0;
      const maskedLow = (low - mix(id, position + 977) + mix(token.maskedId, position + 977)) | 0;
      const key = ((maskedHigh >>> 0) * 2 ** 14 + (maskedLow >>> 18)) * MAX_TOKENS + position;
      const members = groups.get(key);
      if (members) members.push(index);
      else groups.set(key, [index]);
    }
  }

  /** The name of a field never varies, and a value that is still there was left on purpose. */
  #isAssigned(tokens: readonly number[], position: number): boolean {
    const around = [tokens[position - 1], tokens[position + 1]];
    return around.some((id) => id !== undefined && this.#vocabulary.token(id).text === '=');
  }

  #weighCandidate(position: number, members: readonly number[]): Candidate | undefined {
    const tokens = this.#shapes[members[0] ?? 0]?.tokens ?? [];
    const constantWords = tokens.filter((id, i) => i !== position && this.#vocabulary.token(id).isWord).length;
    if (constantWords < MIN_CONSTANT_WORDS) return undefined;
    const at = members.map((member) => this.#vocabulary.token(this.#shapes[member]?.tokens[position] ?? 0));
    const values = [...new Set(at.filter((token) => !token.isWildcard).map((token) => token.core))];
    const score = weigh({
      values,
      constantWords,
      before: this.#vocabulary.token(tokens[position - 1] ?? 0).text.trim(),
      isFirst: !tokens.slice(0, position).some((id) => this.#vocabulary.token(id).core !== ''),
      hasWildcardSibling: values.length < at.length,
      isKnownValue: (word) => this.#known.has(word),
    });
    if (score < ENOUGH) return undefined;
    const sorted = members.toSorted((a, b) =>
      this.#text(this.#shapes[a]?.tokens ?? []) < this.#text(this.#shapes[b]?.tokens ?? []) ? -1 : 1,
    );
    return { position, members: sorted, score, values: values.length };
  }
}

function mix(id: number, position: number): number {
  let hash = Math.imul(id + 0x9e37, 0x85ebca6b) ^ Math.imul(position + 1, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
