import { alphabetOf, graphOf, type Alphabet, type GraphNode } from './pattern-graph.ts';

/** States are made as texts need them. Whoever sends texts that need more gets the slower look, not more of our memory. */
const MOST_STATES = 4000;
/** After so many looks without room for new ones all are forgotten: what somebody sent once must not slow down all that comes later. */
const LOOKS_WITHOUT_ROOM = 10_000;
/** In the table: not made yet. */
const UNKNOWN = 0;

/** Counts as the end of a text and the begin of another: what matches one of several texts matches them below each other, too. */
const LINE_END = '\n'.charCodeAt(0);

/** Texts between these lengths are looked at in four places at once; shorter ones gain nothing by it. */
const SHORTEST_IN_PARTS = 256;
const LONGEST_IN_PARTS = 65_536;
/** One text at a time. */
const bytes = new Uint8Array(LONGEST_IN_PARTS);
const utf8 = new TextEncoder();

/**
 * One look at every character for all the patterns at once: false when none of them matches the text, true when one may. An automaton (Thompson's
 * construction, its states made when they are first met) instead of a backtracking search for each pattern at every place: a tenth of the time.
 */
export function quickLook(patterns: readonly RegExp[]): (text: string) => boolean {
  const automaton = new Automaton(patterns);
  return (text) => automaton.mayMatch(text);
}

class Automaton {
  readonly #alphabet: Alphabet;
  readonly #first: readonly GraphNode[];
  /** Which nodes a match may have come to, by state. */
  #nodes: (readonly GraphNode[])[] = [];
  readonly #states = new Map<string, number>();
  readonly #numbers = new Map<GraphNode, number>();
  #begin = UNKNOWN;
  /** In the middle of a text, of which nothing before belongs to a match. */
  #afresh = UNKNOWN;
  #looksWithoutRoom = 0;
  /**
   * One row a state: the row of the next state by symbol. A state is the place where its row begins. As large as it can become, since the look is a third slower at a
   * table that may be another one at the next character; what is not used of it takes no memory.
   */
  readonly #table: Int32Array;
  /** The state in which one of the patterns may have matched. */
  readonly #match: number;

  constructor(patterns: readonly RegExp[]) {
    this.#alphabet = alphabetOf(patterns);
    this.#table = new Int32Array(MOST_STATES * this.#alphabet.size);
    this.#match = this.#alphabet.size;
    this.#first = [...new Set(patterns.flatMap((pattern) => graphOf(pattern, this.#alphabet)))];
    this.#forget();
  }

  #forget(): void {
    this.#table.fill(UNKNOWN, 0, this.#nodes.length * this.#alphabet.size);
    this.#nodes = [[], []];
    this.#states.clear();
    this.#afresh = this.#stateOf(this.#first);
    this.#begin = this.#atBorder(this.#afresh, this.#alphabet.start);
    this.#looksWithoutRoom = 0;
  }

  mayMatch(text: string): boolean {
    if (this.#begin === this.#match) return true;
    if (this.#nodes.length >= MOST_STATES && ++this.#looksWithoutRoom > LOOKS_WITHOUT_ROOM) this.#forget();
    const { length } = text;
    if (length < SHORTEST_IN_PARTS || length > LONGEST_IN_PARTS) return this.#mayMatchText(text);
    const { read, written } = utf8.encodeInto(text, bytes);
    const isAscii = read === length && written === length;
    return isAscii ? this.#mayMatchBytes(length) : this.#mayMatchText(text);
  }

  /**
   * The same for the first `length` of `bytes`, which are ASCII. A step needs what the one before has read, and waits for it longer than it works: four parts
   * of a text side by side take little longer than one of them.
   */
  #mayMatchBytes(length: number): boolean {
    const table = this.#table;
    const match = this.#match;
    const size = length >> 2;
    let first = this.#begin;
    let second = this.#afresh;
    let third = this.#afresh;
    let last = this.#afresh;
    for (let at = 0; at < size; at++) {
      // Nothing is called in here: that takes half the time.
      for (; at < size; at++) {
        const afterFirst = table[first + (bytes[at] ?? 0)] ?? UNKNOWN;
        const afterSecond = table[second + (bytes[at + size] ?? 0)] ?? UNKNOWN;
        const afterThird = table[third + (bytes[at + 2 * size] ?? 0)] ?? UNKNOWN;
        const afterLast = table[last + (bytes[at + 3 * size] ?? 0)] ?? UNKNOWN;
        if (afterFirst <= match || afterSecond <= match || afterThird <= match || afterLast <= match) break;
        first = afterFirst;
        second = afterSecond;
        third = afterThird;
        last = afterLast;
      }
      if (at === size) break;
      first = this.#follow(first, bytes[at] ?? 0);
      second = this.#follow(second, bytes[at + size] ?? 0);
      third = this.#follow(third, bytes[at + 2 * size] ?? 0);
      last = this.#follow(last, bytes[at + 3 * size] ?? 0);
      if (first === match || second === match || third === match || last === match) return true;
    }
    let row = this.#goOn(first, size, 2 * size, second);
    row = this.#goOn(row, 2 * size, 3 * size, third);
    row = this.#goOn(row, 3 * size, 4 * size, last);
    for (let at = 4 * size; at < length && row !== match; at++) row = this.#follow(row, bytes[at] ?? 0);
    return row === match || this.#follow(row, this.#alphabet.end) === match;
  }

  /** The state behind a part of `bytes`, of which a look that began afresh came to `alone`: what came before soon makes no difference. */
  #goOn(row: number, from: number, to: number, alone: number): number {
    let afresh = this.#afresh;
    for (let at = from; at < to && row !== this.#match; at++) {
      if (row === afresh) return alone;
      row = this.#follow(row, bytes[at] ?? 0);
      afresh = this.#follow(afresh, bytes[at] ?? 0);
    }
    return row;
  }

  /** Character by character, whatever they are. */
  #mayMatchText(text: string): boolean {
    const { symbolOf, end } = this.#alphabet;
    const table = this.#table;
    const match = this.#match;
    let row = this.#begin;
    for (let at = 0; at < text.length; at++) {
      // As above, nothing is called in here.
      for (; at < text.length; at++) {
        const code = text.charCodeAt(at);
        const next = code < 128 ? (table[row + code] ?? UNKNOWN) : UNKNOWN;
        // The rows of no state come first.
        if (next <= match) break;
        row = next;
      }
      if (at === text.length) break;
      row = this.#follow(row, symbolOf(text.charCodeAt(at)));
      if (row === match) return true;
    }
    return this.#follow(row, end) === match;
  }

  /** `^` and `$` may stand twice in a pattern. */
  #atBorder(state: number, border: number): number {
    const next = this.#stateOf([...this.#nodesOf(state), ...this.#reach(state, border)]);
    return next === state || state === this.#match ? state : this.#atBorder(next, border);
  }

  #follow(row: number, symbol: number): number {
    const known = this.#table[row + symbol] ?? UNKNOWN;
    if (known !== UNKNOWN) return known;
    const next = this.#after(row, symbol);
    this.#table[row + symbol] = next;
    return next;
  }

  #after(row: number, symbol: number): number {
    const { start, end } = this.#alphabet;
    if (symbol === end) return this.#atBorder(row, end);
    if (symbol !== LINE_END) return this.#stateOf([...this.#first, ...this.#reach(row, symbol)]);
    const ended = this.#follow(row, end);
    if (ended === this.#match) return ended;
    return this.#atBorder(this.#stateOf([...this.#first, ...this.#reach(ended, symbol)]), start);
  }

  #reach(state: number, symbol: number): readonly GraphNode[] {
    return this.#nodesOf(state).flatMap(({ eats, next }) =>
      typeof eats === 'object' && eats[symbol] === 1 ? next : [],
    );
  }

  #nodesOf(state: number): readonly GraphNode[] {
    return this.#nodes[state / this.#alphabet.size] ?? [];
  }

  #stateOf(nodes: readonly GraphNode[]): number {
    const unique = withoutPassing(nodes);
    if (unique.some((node) => node.eats === 'match')) return this.#match;
    const key = this.#keyOf(unique);
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    if (this.#nodes.length >= MOST_STATES) return this.#match;
    const made = (this.#nodes.push(unique) - 1) * this.#alphabet.size;
    this.#states.set(key, made);
    return made;
  }

  #keyOf(nodes: readonly GraphNode[]): string {
    const numbers = nodes.map((node) => {
      const number = this.#numbers.get(node) ?? this.#numbers.size;
      this.#numbers.set(node, number);
      return number;
    });
    return numbers.sort((a, b) => a - b).join();
  }
}

/** Each once; instead of those that eat nothing, what they lead to. */
function withoutPassing(nodes: readonly GraphNode[]): readonly GraphNode[] {
  // A set hands out what is added while it is walked through.
  const all = new Set(nodes);
  for (const node of all) if (node.eats === 'nothing') for (const next of node.next) all.add(next);
  return [...all].filter((node) => node.eats !== 'nothing');
}
