import type { Word } from 'unbash';

const MEANT_BY_THE_SHELL: Readonly<Record<string, string>> = {
  '*': 'a glob (`*`)',
  '?': 'a glob (`?`)',
  '[': 'a glob (`[`)',
  $: 'an expansion (`$`)',
  '`': 'a command substitution (`` ` ``)',
  '(': 'a bracket (`(`)',
  ')': 'a bracket (`)`)',
  '<': 'a redirection (`<`)',
  '>': 'a redirection (`>`)',
};

type Refuse = (what: string) => never;

/** A stretch of a word, in quotes or not. */
interface Part {
  readonly quoted: boolean;
  readonly value: string;
}

/**
 * The word without its quotes. Calls `refuse` for every word that a shell would expand: quote it in single quotes where it is data. Reads the source
 * text itself and compares with the parser's value: where the two differ, the word is refused.
 */
export function dequote(word: Word, refuse: Refuse): string {
  // The program of that name: alone it is no glob.
  if (word.text === '[') return word.text;
  const parts = readParts(word.text, refuse);
  const value = parts.map((part) => part.value).join('');
  refuseBracesAndTildes(parts, refuse);
  refuseSplitting(parts, refuse);
  if (value !== word.value) refuse('a word that can be read in two ways');
  return value;
}

function readParts(text: string, refuse: Refuse): readonly Part[] {
  const parts: Part[] = [];
  for (let i = 0; i < text.length; i++) {
    const c = text[i] ?? '';
    if (c === "'") {
      const end = text.indexOf("'", i + 1);
      if (end < 0) refuse('a quote that does not end');
      parts.push({ quoted: true, value: text.slice(i + 1, end) });
      i = end;
    } else if (c === '"') {
      const { value, end } = readDoubleQuoted(text, i + 1, refuse);
      parts.push({ quoted: true, value });
      i = end;
    } else if (c === '\\') {
      const next = text[++i] ?? '';
      if (/[A-Za-z0-9]/.test(next)) refuse('a backslash before a letter says nothing outside quotes');
      parts.push({ quoted: true, value: next });
    } else {
      const meant = MEANT_BY_THE_SHELL[c];
      if (meant) refuse(`${meant} outside single quotes is not expanded; name what you mean, or quote it`);
      parts.push({ quoted: false, value: c });
    }
  }
  return parts;
}

function readDoubleQuoted(
  text: string,
  from: number,
  refuse: Refuse,
): { readonly value: string; readonly end: number } {
  let value = '';
  for (let i = from; i < text.length; i++) {
    const c = text[i] ?? '';
    if (c === '"') return { value, end: i };
    if (c === '$' || c === '`')
      refuse(`${MEANT_BY_THE_SHELL[c] ?? c} outside single quotes is not expanded; quote it in single quotes`);
    const isEscape = c === '\\' && /^[$`"\\]/.test(text.slice(i + 1));
    if (isEscape) i++;
    value += text[i] ?? '';
  }
  return refuse('a quote that does not end');
}

function refuseBracesAndTildes(parts: readonly Part[], refuse: Refuse): void {
  const bare = parts.map(({ quoted, value }) => (quoted ? "'" : value)).join('');
  if (/\{.*(?:,|\.\.)/.test(bare)) refuse('a brace expansion (`{a,b}`) is not made; write the words out');
  if (/(?:^|[=:])~/.test(bare)) refuse('a tilde (`~`) is not expanded; write the path out');
}

/** `g'e't` is `get`, and nobody writes it who does not want to hide it. An option may have its value in quotes (`-e'pattern'`). */
function refuseSplitting(parts: readonly Part[], refuse: Refuse): void {
  if (parts[0]?.quoted === false && parts[0].value === '-') return;
  const isSplit = parts.some((part, i) => {
    const next = parts[i + 1];
    if (!next || part.quoted === next.quoted) return false;
    const [quoted, other] = part.quoted ? [part.value, next.value] : [next.value, part.value];
    const edge = part.quoted ? quoted.at(-1) : quoted[0];
    return /\w/.test(other) && /\w/.test(edge ?? 'x');
  });
  if (isSplit) refuse('quotes inside a word; quote the whole word');
}
