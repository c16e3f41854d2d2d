/** Nodes of one pattern: what a match may take is this times the length of the text. */
const MOST_NODES = 4000;
const MOST_DEPTH = 50;
const ATOM =
  /\[(?:\\[\s\S]|[^\]\\])(?:\\[\s\S]|[^\]\\])*\]|\\x[0-9a-fA-F]{2}|\\[pP]\{\^?\w+\}|\\[\s\S]|[^()|*+?{[\\]/uy;
const QUANTIFIER = /(?:([*+?])|\{(\d{1,4})(?:(,)(\d{0,4}))?\})\??/y;
const GROUP = /\((?:\?:|\?P?<[A-Za-z_]\w*>|(?!\?))/y;

/** The pattern cannot be taken; the message says why. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

type Tree =
  | { readonly kind: 'one'; readonly takes: RegExp }
  | { readonly kind: 'start' | 'end' }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Tree[] }
  | { readonly kind: 'repeat'; readonly part: Tree; readonly least: number; readonly most: number };

interface Node {
  /** Undefined for a node that takes nothing and leads on at once. */
  readonly takes?: RegExp;
  readonly only?: 'start' | 'end';
  readonly next: Node[];
}

/**
 * A predicate for texts that the pattern matches as a whole, as Alertmanager anchors its own. In the syntax of RE2 without its rarer parts; followed as an automaton
 * (Thompson 1968), state set by state set, so that no pattern takes more than linear time. Throws PatternError.
 */
export function compilePattern(source: string): (text: string) => boolean {
  const flag = /^\(\?i\)/.exec(source)?.[0] ?? '';
  const tree = new PatternReader(source.slice(flag.length), flag === '' ? 'u' : 'iu').read();
  const end: Node = { next: [] };
  const start = build(tree, end, { nodes: 0 });
  return (text) => accepts(start, end, Array.from(text));
}

class PatternReader {
  readonly #source: string;
  readonly #flags: string;
  #at = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags;
  }

  read(): Tree {
    const tree = this.#choice(0);
    if (this.#at < this.#source.length) throw new PatternError('has a ) without its (');
    return tree;
  }

  #choice(depth: number): Tree {
    if (depth > MOST_DEPTH) throw new PatternError('is nested too deeply');
    const parts = [this.#sequence(depth)];
    while (this.#source[this.#at] === '|') {
      this.#at++;
      parts.push(this.#sequence(depth));
    }
    return { kind: 'choice', parts };
  }

  #sequence(depth: number): Tree {
    const parts: Tree[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] ?? '')) {
      parts.push(this.#quantified(this.#atom(depth)));
    }
    return { kind: 'sequence', parts };
  }

  #atom(depth: number): Tree {
    const group = this.#take(GROUP);
    if (group) {
      const inner = this.#choice(depth + 1);
      if (this.#source[this.#at] !== ')') throw new PatternError('has a ( without its )');
      this.#at++;
      return inner;
    }
    const [atom] = this.#take(ATOM) ?? [];
    if (atom === undefined) {
      const rest = this.#source.slice(this.#at, this.#at + 3);
      const hint = rest.startsWith('(?')
        ? 'looking around and flags inside a pattern are not taken'
        : 'is it to be escaped?';
      throw new PatternError(`cannot be read at ${rest}: ${hint}`);
    }
    if (atom === '^') return { kind: 'start' };
    if (atom === '$') return { kind: 'end' };
    return { kind: 'one', takes: this.#characters(atom) };
  }

  #characters(atom: string): RegExp {
    if (/^\\[bBAzZQEC1-9k]/.test(atom)) throw new PatternError(`${atom} is not taken`);
    if (atom.startsWith('[[:')) throw new PatternError('[[:class:]] is not taken; write the characters, such as [a-z]');
    // A backslash before a character without a meaning of its own stands for that character.
    const [, one] = /^\\?([^\w\s])$/u.exec(atom) ?? [];
    const isLiteral = one !== undefined && atom !== '.';
    const plain = isLiteral && /[\^$\\.*+?()[\]{}|/]/.test(one) ? `\\${one}` : isLiteral ? one : atom;
    try {
      return new RegExp(`^(?:${plain})$`, this.#flags);
    } catch (error) {
      throw new PatternError(`${atom} is not taken`, { cause: error });
    }
  }

  #quantified(part: Tree): Tree {
    const [found, sign, low = '', comma, high = ''] = this.#take(QUANTIFIER) ?? [];
    if (found === undefined) return part;
    if (this.#source[this.#at] === '*' || this.#source[this.#at] === '+')
      throw new PatternError('repeats a repetition; put a group around it');
    if (sign === '*') return { kind: 'repeat', part, least: 0, most: Infinity };
    if (sign === '+') return { kind: 'repeat', part, least: 1, most: Infinity };
    if (sign === '?') return { kind: 'repeat', part, least: 0, most: 1 };
    const least = Number(low);
    const most = comma === undefined ? least : high === '' ? Infinity : Number(high);
    if (most < least) throw new PatternError(`${found} ends before it begins`);
    return { kind: 'repeat', part, least, most };
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found) this.#at += found[0].length;
    return found;
  }
}

/** The node at which a match of the tree begins that goes on at `next`. */
function build(tree: Tree, next: Node, count: { nodes: number }): Node {
  if (++count.nodes > MOST_NODES) throw new PatternError('is too large once its repetitions are written out');
  switch (tree.kind) {
    case 'one':
      return { takes: tree.takes, next: [next] };
    case 'start':
    case 'end':
      return { only: tree.kind, next: [next] };
    case 'sequence':
      return tree.parts.reduceRight((after, part) => build(part, after, count), next);
    case 'choice':
      return { next: tree.parts.map((part) => build(part, next, count)) };
    case 'repeat':
      return buildRepeat(tree, next, count);
  }
}

function buildRepeat(
  { part, least, most }: Extract<Tree, { kind: 'repeat' }>,
  next: Node,
  count: { nodes: number },
): Node {
  let node = next;
  if (most === Infinity) {
    const loop: Node = { next: [] };
    loop.next.push(build(part, loop, count), next);
    node = loop;
  } else {
    for (let copy = least; copy < most; copy++) node = { next: [build(part, node, count), next] };
  }
  for (let copy = 0; copy < least; copy++) node = build(part, node, count);
  return node;
}

function accepts(start: Node, end: Node, characters: readonly string[]): boolean {
  let states = reach([start], characters.length === 0 ? 'both' : 'start');
  for (const [index, character] of characters.entries()) {
    const taken = [...states].flatMap(({ takes, next }) => (takes?.test(character) ? next : []));
    if (taken.length === 0) return false;
    states = reach(taken, index === characters.length - 1 ? 'end' : 'middle');
  }
  return states.has(end);
}

/** All nodes that are reached without taking a character. */
function reach(from: readonly Node[], place: 'start' | 'middle' | 'end' | 'both'): ReadonlySet<Node> {
  const reached = new Set<Node>();
  const waiting = [...from];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (reached.has(node)) continue;
    reached.add(node);
    const isHere = node.only === undefined || place === 'both' || node.only === place;
    if (node.takes === undefined && isHere) waiting.push(...node.next);
  }
  return reached;
}
