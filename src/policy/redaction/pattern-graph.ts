/** What the automaton tells apart: 0–127 are ASCII, then every further character some pattern names, then one for all others, one before the text and one behind it. */
export interface Alphabet {
  readonly size: number;
  readonly start: number;
  readonly end: number;
  readonly symbolOf: (charCode: number) => number;
  /** Which symbols one atom (`a`, `\d`, `[^:\s]`) matches: at least those it does. */
  readonly members: (atom: string, flags: string) => Uint8Array;
}

/** A node of the graph: which symbols it eats, and where that leads. One that eats `nothing` leads on at once; at `match` the pattern may match. */
export interface GraphNode {
  readonly eats: Uint8Array | 'nothing' | 'match';
  readonly next: GraphNode[];
}

/** A repetition is followed so many times; then the pattern counts as matched. */
const MOST_COPIES = 32;
const ATOM = /\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\.|\[(?:\\.|[^\]\\])*\]|[^()|]/sy;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(?:,(\d*))?\})\??/y;
const GROUP = /\((?:\?(?:(:)|(=)|(!|<=|<!)|<\w+>))?/y;

const ASCII = 128;

/** Of all the patterns together. */
export function alphabetOf(patterns: readonly RegExp[]): Alphabet {
  const named = new Map<number, number>();
  for (const { source } of patterns) {
    for (const character of source.split('')) {
      if (character.charCodeAt(0) < ASCII) continue;
      for (const form of formsOf(character)) if (!named.has(form)) named.set(form, ASCII + named.size);
    }
  }
  const other = ASCII + named.size;
  const characters = [...Array(ASCII).keys(), ...named.keys()].map((code) => String.fromCharCode(code));
  const known = new Map<string, Uint8Array>();
  const read = (atom: string, flags: string): Uint8Array => {
    const pattern = new RegExp(`^(?:${atom})$`, `${flags.includes('i') ? 'i' : ''}s`);
    const matches = characters.map((character) => Number(pattern.test(character)));
    // Which of the others it matches does not matter: as soon as it may be one, it counts.
    return Uint8Array.from([...matches, Number(/^\[\^|^\.$|\\[sSWDpPu]/.test(atom) || hasWideRange(atom)), 0, 0]);
  };
  return {
    size: other + 3,
    start: other + 1,
    end: other + 2,
    symbolOf: (code) => (code < ASCII ? code : (named.get(code) ?? other)),
    members: (atom, flags) => {
      const key = `${flags} ${atom}`;
      const members = known.get(key) ?? read(atom, flags);
      known.set(key, members);
      return members;
    },
  };
}

/** Characters beyond ASCII by their capital: patterns that ignore case take those for the same (ECMA-262, Canonicalize), such as `σ` and `ς`. */
const byCapital = new Map<string, number[]>();

/** The character, and those that a pattern which ignores case takes for the same. */
function formsOf(character: string): readonly number[] {
  if (byCapital.size === 0) {
    for (let code = ASCII; code < 0x1_0000; code++) {
      const capital = String.fromCharCode(code).toUpperCase();
      byCapital.set(capital, [...(byCapital.get(capital) ?? []), code]);
    }
  }
  return [character.charCodeAt(0), ...(byCapital.get(character.toUpperCase()) ?? [])];
}

/** `[а-я]`: a range that ends outside ASCII holds characters which are not named. */
function hasWideRange(atom: string): boolean {
  return /-[^\0-\x7f]/.test(atom);
}

/**
 * The pattern as a graph that matches wherever the pattern does, and possibly elsewhere: what it cannot express (looking behind, borders, upper
 * bounds) is left out. Returns the nodes that a match may begin with. Patterns must not use back references.
 */
export function graphOf(pattern: RegExp, alphabet: Alphabet): readonly GraphNode[] {
  return new GraphReader(pattern, alphabet).read();
}

/** Builds from the end: `after` is what may follow. */
type Piece = (after: GraphNode[]) => GraphNode[];

const MATCHED: GraphNode = { eats: 'match', next: [] };
const nothing: Piece = (after) => after;

class GraphReader {
  readonly #source: string;
  readonly #flags: string;
  readonly #alphabet: Alphabet;
  #at = 0;

  constructor({ source, flags }: RegExp, alphabet: Alphabet) {
    this.#source = source;
    this.#flags = flags;
    this.#alphabet = alphabet;
  }

  read(): GraphNode[] {
    return this.#alternatives()([MATCHED]);
  }

  #alternatives(): Piece {
    const branches = [this.#sequence()];
    while (this.#source[this.#at] === '|') {
      this.#at += 1;
      branches.push(this.#sequence());
    }
    return (after) => branches.flatMap((branch) => branch(after));
  }

  #sequence(): Piece {
    const pieces: Piece[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] ?? ''))
      pieces.push(this.#quantified(this.#piece()));
    return (after) => pieces.reduceRight((rest, piece) => piece(rest), after);
  }

  #piece(): Piece {
    const group = this.#match(GROUP);
    if (group) {
      const inner = this.#alternatives();
      this.#at += 1;
      if (group[3]) return nothing;
      // What is looked ahead for has to be there; what follows is then not looked for.
      return group[2] ? () => inner([MATCHED]) : inner;
    }
    const [atom = ''] = this.#match(ATOM) ?? [];
    if (/^\\[bB]$/.test(atom) || (atom === '$' && this.#flags.includes('m'))) return nothing;
    if (/^\\[1-9k]/.test(atom)) throw new Error(`back references are not followed: ${this.#source}`);
    const eats = this.#eats(atom);
    return (after) => [{ eats, next: after }];
  }

  #eats(atom: string): Uint8Array {
    const { size, start, end, members } = this.#alphabet;
    if (atom !== '^' && atom !== '$') return members(atom, this.#flags);
    return Uint8Array.from({ length: size }, (_, symbol) => Number(symbol === (atom === '^' ? start : end)));
  }

  #quantified(piece: Piece): Piece {
    const [all, sign, low, high] = this.#match(QUANTIFIER) ?? [];
    if (all === undefined) return piece;
    const least = sign === undefined ? Number(low) : Number(sign === '+');
    const isExact = sign === undefined && high === undefined && !all.includes(',');
    const rest = sign === '?' ? maybe(piece) : isExact ? nothing : repeated(piece);
    return (after) => {
      const last = least > MOST_COPIES ? [MATCHED] : rest(after);
      return Array.from({ length: Math.min(least, MOST_COPIES) }).reduce<GraphNode[]>((next) => piece(next), last);
    };
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    this.#at += found?.[0].length ?? 0;
    return found;
  }
}

const maybe =
  (piece: Piece): Piece =>
  (after) => [...piece(after), ...after];

/** Any number of times: an upper bound is not kept. */
const repeated =
  (piece: Piece): Piece =>
  (after) => {
    const loop: GraphNode = { eats: 'nothing', next: [] };
    loop.next.push(...piece([loop]), ...after);
    return [loop];
  };
