const LONGEST_BEGINNING = 5;
/** A larger set says little about where a token begins. */
const LARGEST_SET = 8;
/** A group, a set or one character, at the start of a pattern; a quantifier makes it useless as a beginning. */
const GROUP = /^\(\?:((?:[^()]|\([^()]*\))*)\)(?![?*+{])/s;
const SET = /^\[((?:[^\]\\]|\\.)+)\](?![?*+{])/s;
const CHARACTER = /^(?:\\([./+$^-])|([A-Za-z0-9_:/~@%=-]))(?![?*+{])/s;

/**
 * The texts that what matches the pattern begins with, up to five characters: `[sr]k_(?:live|test)_…` gives `sk_li`, `sk_te`, `rk_li`, `rk_te`.
 * Read from the pattern itself, so that a format is written down once.
 */
export function beginningsOf(pattern: string): readonly string[] {
  return expand(pattern, LONGEST_BEGINNING);
}

function expand(pattern: string, length: number): string[] {
  if (length === 0) return [''];
  const group = GROUP.exec(pattern);
  if (group) {
    const rest = pattern.slice(group[0].length);
    return unique((group[1] ?? '').split('|').flatMap((branch) => expand(branch + rest, length)));
  }
  const set = SET.exec(pattern);
  const heads = set ? expandSet(set[1] ?? '') : characterOf(pattern);
  if (heads.length === 0 || heads.length > LARGEST_SET) return [''];
  const rest = expand(pattern.slice(set ? set[0].length : (CHARACTER.exec(pattern)?.[0].length ?? 1)), length - 1);
  return unique(heads.flatMap((head) => rest.map((tail) => head + tail)));
}

function characterOf(pattern: string): string[] {
  const character = CHARACTER.exec(pattern);
  return character ? [character[1] ?? character[2] ?? ''] : [];
}

/** `a-c5` → a, b, c, 5. */
function expandSet(set: string): string[] {
  return [...set.matchAll(/(.)-(.)|(.)/gs)].flatMap(([, low, high, single]) => {
    if (low === undefined || high === undefined) return [single ?? ''];
    const span = high.charCodeAt(0) - low.charCodeAt(0) + 1;
    return Array.from({ length: span }, (_, offset) => String.fromCharCode(low.charCodeAt(0) + offset));
  });
}

/** One pattern for all the texts, longest first, grouped by their first character. */
export function alternatives(texts: readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const text of [...texts].sort((a, b) => b.length - a.length)) {
    const first = text.slice(0, 1);
    groups.set(first, [...(groups.get(first) ?? []), text.slice(1)]);
  }
  return [...groups].map(([first, rests]) => `${escape(first)}(?:${rests.map(escape).join('|')})`).join('|');
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];
