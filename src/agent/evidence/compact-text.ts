import { normalizeLogMessage } from './normalize-message.ts';

export interface TextLimits {
  readonly lines: number;
  readonly characters: number;
  readonly lineCharacters: number;
}

/** What of a text is shown. `cut` says what is not; empty when nothing is missing. */
export interface CompactText {
  readonly lines: readonly string[];
  readonly cut: string;
}

/** So many equal lines in a row say the same once. */
const RUN = 3;
/** Of a text that is too long, the share of its beginning; the rest of the room is for its end. */
const HEAD_SHARE = 0.6;

/**
 * A text in as few lines as tell it: runs of lines of one wording become one line with their number; what is still too long has its repeated wordings
 * counted wherever they stand, and then loses its middle. `asWritten` keeps every line of a text that fits: instructions are no log.
 */
export function compactText(text: string, limits: TextLimits, asWritten: boolean): CompactText {
  const all = text.trimEnd().split('\n');
  const clipped = all.map((line) => clipLine(line, limits.lineCharacters));
  const lines = asWritten ? clipped : foldRuns(clipped);
  if (fits(lines, limits)) return { lines, cut: '' };
  const counted = countWordings(clipped);
  if (fits(counted, limits)) {
    return { lines: counted, cut: `${all.length} lines; those of one wording are shown once, with their number` };
  }
  return cutMiddle(counted, limits, all.length);
}

function clipLine(line: string, most: number): string {
  if (line.length <= most) return line;
  return `${line.slice(0, most)}… (${line.length - most} more characters)`;
}

/** Only lines with a word have a wording: brackets and bare figures are no repetition. */
function wordingOf(line: string): string {
  const wording = normalizeLogMessage(line);
  return /\p{L}/u.test(wording) ? wording : '';
}

function foldRuns(lines: readonly string[]): readonly string[] {
  const folded: string[] = [];
  for (let start = 0; start < lines.length;) {
    const line = lines[start] ?? '';
    const wording = wordingOf(line);
    let end = start + 1;
    while (end < lines.length && isSame(lines[end] ?? '', line, wording)) end++;
    if (line.trim() === '') folded.push('');
    else if (end - start >= RUN) folded.push(withCount(line, end - start));
    else folded.push(...lines.slice(start, end));
    start = end;
  }
  return folded;
}

function isSame(other: string, line: string, wording: string): boolean {
  return other === line || (wording !== '' && wordingOf(other) === wording);
}

const withCount = (line: string, count: number) => `${line}  (${count} lines like this)`;

/** Each wording once, where it first stands. */
function countWordings(lines: readonly string[]): readonly string[] {
  const groups = new Map<string, { readonly line: string; count: number }>();
  lines.forEach((line, place) => {
    if (line.trim() === '') return;
    const key = wordingOf(line) || `${place}`;
    const group = groups.get(key);
    if (group) group.count++;
    else groups.set(key, { line, count: 1 });
  });
  return [...groups.values()].map(({ line, count }) => (count > 1 ? withCount(line, count) : line));
}

function fits(lines: readonly string[], { lines: most, characters }: TextLimits): boolean {
  return lines.length <= most && lengthOf(lines) <= characters;
}

const lengthOf = (lines: readonly string[]) => lines.reduce((sum, line) => sum + line.length + 1, 0);

/** Beginning and end: what failed mostly stands in the last lines, what was asked in the first. */
function cutMiddle(lines: readonly string[], limits: TextLimits, total: number): CompactText {
  const head = take(lines, limits, HEAD_SHARE);
  const rest = lines.slice(head.length);
  const tail = take(rest.toReversed(), limits, 1 - HEAD_SHARE).toReversed();
  const left = lines.length - head.length - tail.length;
  return {
    lines: [...head, `… (${left} lines left out here)`, ...tail],
    cut: `Showing ${head.length + tail.length} of ${lines.length} different lines, of ${total} in all: beginning and end`,
  };
}

function take(lines: readonly string[], limits: TextLimits, share: number): readonly string[] {
  const taken: string[] = [];
  let room = limits.characters * share;
  for (const line of lines.slice(0, Math.floor(limits.lines * share))) {
    room -= line.length + 1;
    if (room < 0) break;
    taken.push(line);
  }
  return taken;
}
