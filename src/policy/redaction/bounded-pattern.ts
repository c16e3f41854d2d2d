/** Longest that one repetition may be: what a pattern looks at from one place stays a small multiple of it. */
const LONGEST_REPEAT = 512;
/** Characters that tell sets apart: Latin-1, and one letter of another script. */
const PROBES = [...Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)), '漢'];

/** A part of a pattern: the characters it may begin or go on with, how short it can be, whether its length varies. */
interface Part {
  readonly characters: ReadonlySet<string>;
  readonly shortest: number;
  readonly varies: boolean;
}

const NOTHING: Part = { characters: new Set(), shortest: 0, varies: false };
const ATOM = /\[(?:[^\]\\]|\\.)*\]|\\[^kbB\d]|\\0|[^()|[\]\\*+?{}^$]/suy;
const ANCHOR = /\^|\$|\\[bB]/y;
const OPEN = /\((\?(?::|=|!|<=|<!|<[A-Za-z]\w*>))?/y;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y;

/**
 * Why a pattern might take more than linear time, or hit next to nothing; undefined when it cannot. Checked by its structure alone: every repetition has an
 * upper bound, nothing repeated is repeated again, and of two repetitions in a row one cannot take what the other could, so that there is one way to match.
 */
export function whyUnbounded(source: string, flags: string, shortestMatch: number): string | undefined {
  try {
    const { part, end } = readAlternatives(source, 0, flags);
    if (end < source.length) return `cannot be read at character ${end + 1}`;
    if (part.shortest < shortestMatch)
      return `may match ${part.shortest} characters; at least ${shortestMatch} are needed`;
    return undefined;
  } catch (error) {
    if (error instanceof Unbounded) return error.message;
    throw error;
  }
}

class Unbounded extends Error {}

interface Read {
  readonly part: Part;
  readonly end: number;
}

function readAlternatives(source: string, start: number, flags: string): Read {
  const branches: Part[] = [];
  let end = start;
  for (;;) {
    const branch = readSequence(source, end, flags);
    branches.push(branch.part);
    end = branch.end;
    if (source[end] !== '|') break;
    end++;
  }
  const shortest = Math.min(...branches.map((branch) => branch.shortest));
  return { part: { ...union(branches), shortest, varies: branches.length > 1 || branches.some((b) => b.varies) }, end };
}

function readSequence(source: string, start: number, flags: string): Read {
  const parts: Part[] = [];
  let end = start;
  while (end < source.length && source[end] !== '|' && source[end] !== ')') {
    const atom = readAtom(source, end, flags);
    const quantified = applyQuantifier(source, atom);
    end = quantified.end;
    requireOneWay(parts, quantified.part);
    parts.push(quantified.part);
  }
  const shortest = parts.reduce((sum, part) => sum + part.shortest, 0);
  return { part: { ...union(parts), shortest, varies: parts.some((part) => part.varies) }, end };
}

function readAtom(source: string, start: number, flags: string): Read {
  const anchor = matchAt(ANCHOR, source, start);
  if (anchor) return { part: NOTHING, end: start + anchor[0].length };
  const open = matchAt(OPEN, source, start);
  if (open) {
    const inner = readAlternatives(source, start + open[0].length, flags);
    if (source[inner.end] !== ')') throw new Unbounded('has a group without an end');
    const looksAround = /^\?<?[=!]/.test(open[1] ?? '');
    return { part: looksAround ? NOTHING : inner.part, end: inner.end + 1 };
  }
  const atom = matchAt(ATOM, source, start);
  if (!atom) throw new Unbounded(`cannot be read at character ${start + 1} (references to groups are not taken)`);
  // `\xhh` and `\uhhhh` are one character.
  const code = matchAt(/\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\u\{[0-9a-f]{1,6}\}|\\[pP]\{[\w=]{1,60}\}/iy, source, start);
  const text = code?.[0] ?? atom[0];
  const one = new RegExp(`^(?:${text})$`, flags);
  return {
    part: { characters: new Set(PROBES.filter((probe) => one.test(probe))), shortest: 1, varies: false },
    end: start + text.length,
  };
}

function applyQuantifier(source: string, { part, end }: Read): Read {
  const found = matchAt(QUANTIFIER, source, end);
  if (!found) return { part, end };
  const [all, sign, low, comma, high] = found;
  if (sign === '*' || sign === '+' || (comma && high === ''))
    throw new Unbounded(`repeats without an upper bound; write {0,${LONGEST_REPEAT}} or less`);
  const least = sign === '?' ? 0 : Number(low);
  const most = sign === '?' ? 1 : Number(high ?? low);
  if (most > LONGEST_REPEAT) throw new Unbounded(`repeats more than ${LONGEST_REPEAT} times`);
  if (most > 1 && part.varies) throw new Unbounded('repeats something that can be matched in several ways');
  return {
    part: { ...part, shortest: part.shortest * least, varies: part.varies || least !== most },
    end: end + all.length,
  };
}

/** Between two parts of varying length with a character in common there has to be one that the first cannot take. */
function requireOneWay(before: readonly Part[], part: Part): void {
  if (!part.varies) return;
  for (const earlier of before.toReversed()) {
    if (earlier.varies && overlap(earlier, part))
      throw new Unbounded('has two repetitions that may take the same text');
    if (earlier.shortest > 0 && before.every((other) => other === earlier || !other.varies || !overlap(other, earlier)))
      return;
  }
}

const overlap = (a: Part, b: Part): boolean => [...a.characters].some((character) => b.characters.has(character));
const union = (parts: readonly Part[]) => ({ characters: new Set(parts.flatMap(({ characters }) => [...characters])) });

function matchAt(sticky: RegExp, text: string, index: number): RegExpExecArray | null {
  sticky.lastIndex = index;
  return sticky.exec(text);
}
