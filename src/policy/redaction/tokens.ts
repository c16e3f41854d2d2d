import { isMasked, type Mask, type RedactionPass } from './placeholder.ts';
import { alternatives, beginningsOf } from './token-beginnings.ts';
import { INNER_FORMATS, TOKEN_FORMATS, type TokenFormat } from './token-formats.ts';

/** A token may follow anything but an alphanumeric; escapes (`\n`, `%3D`) end in one and still are borders. */
const LEFT_BORDER = '(?:(?<![A-Za-z0-9])|(?<=\\\\[nrtbf])|(?<=%[0-9A-Fa-f]{2}))';

interface Compiled {
  readonly type: string;
  readonly pattern: RegExp;
}

/** A token that is longer than its format goes to its own end: half of one must not stay. */
const REST = /[A-Za-z0-9]*/y;

/** Formats by what they begin with: at most places nothing does. */
const BY_BEGINNING = indexByBeginning(TOKEN_FORMATS);
const INNER = INNER_FORMATS.map(({ type, needle, body }) => ({
  type,
  needle,
  pattern: new RegExp(`${LEFT_BORDER}${body}[A-Za-z0-9]*`, 'g'),
}));

/** Where a token may begin; the beginning is captured. The border is consumed: that is faster than to look behind at every character. */
const START = new RegExp(
  `(?:^|[^A-Za-z0-9]|\\\\[nrtbf]|%[0-9A-Fa-f]{2})(${alternatives([...BY_BEGINNING.keys()])})(?=[\\w.~+/=:%$@-]{15})`,
  'g',
);
/** One of them matches every text that holds a token. */
export const TOKEN_SIGNS: readonly RegExp[] = [new RegExp(START.source), ...INNER_FORMATS.map(({ needle }) => needle)];

/** Masks tokens whose form tells what they are, wherever they stand. One scan over the places where one may begin. */
export const tokenPass: RedactionPass = (text, mask) => {
  let redacted = maskBeginnings(text, mask);
  for (const { type, needle, pattern } of INNER) {
    if (!needle.test(redacted)) continue;
    redacted = redacted.replace(pattern, (token) => (isMasked(token) ? token : mask(type, token)));
  }
  return redacted;
};

function maskBeginnings(text: string, mask: Mask): string {
  const kept: string[] = [];
  let from = 0;
  START.lastIndex = 0;
  for (let start = START.exec(text); start; start = START.exec(text)) {
    const beginning = start[1] ?? '';
    const index = start.index + start[0].length - beginning.length;
    const found = tokenAt(text, index, beginning);
    START.lastIndex = index + 1;
    if (!found) continue;
    kept.push(text.slice(from, index), mask(found.type, found.token));
    from = index + found.token.length;
    START.lastIndex = from;
  }
  return from === 0 ? text : kept.join('') + text.slice(from);
}

function tokenAt(text: string, index: number, beginning: string): { type: string; token: string } | undefined {
  for (const { type, pattern } of BY_BEGINNING.get(beginning) ?? []) {
    pattern.lastIndex = index;
    const token = pattern.exec(text)?.[0];
    if (token === undefined) continue;
    REST.lastIndex = index + token.length;
    return { type, token: token + (REST.exec(text)?.[0] ?? '') };
  }
  return undefined;
}

/** A beginning also announces the formats that begin with less: `pat-` those of `pat`. */
function indexByBeginning(formats: readonly TokenFormat[]): ReadonlyMap<string, readonly Compiled[]> {
  const compiled = formats.map(({ type, body }) => ({
    type,
    pattern: new RegExp(body, 'y'),
    beginnings: beginningsOf(body),
  }));
  const all = new Set(compiled.flatMap(({ beginnings }) => beginnings));
  return new Map(
    [...all].map((key) => [
      key,
      compiled.filter(({ beginnings }) => beginnings.some((beginning) => key.startsWith(beginning))),
    ]),
  );
}
