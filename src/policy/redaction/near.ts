/** A shorter text is changed whole. */
const LONG = 16_384;
/** How far from its needle a pattern may begin and end; patterns are bounded to less. */
const BEFORE = 2048;
const AFTER = 12_288;
/** How far a line is followed back to its beginning or on to its end. */
const LONGEST_LINE = 4096;

const global = new Map<RegExp, RegExp>();

/**
 * Applies `change` where `needle` stands. In a long text that is the lines around each needle: patterns that look behind themselves at every character are
 * slow, and most of a log is far from any needle. `change` must depend on nothing beyond these lines.
 */
export function changeNear(text: string, needle: RegExp, change: (part: string) => string): string {
  if (!needle.test(text)) return text;
  if (text.length < LONG) return change(text);
  const kept: string[] = [];
  let from = 0;
  for (const [start, end] of stretches(text, needle)) {
    kept.push(text.slice(from, start), change(text.slice(start, end)));
    from = end;
  }
  return kept.join('') + text.slice(from);
}

function stretches(text: string, needle: RegExp): (readonly [start: number, end: number])[] {
  const search = global.get(needle) ?? new RegExp(needle.source, `${needle.flags}g`);
  global.set(needle, search);
  const found: [number, number][] = [];
  search.lastIndex = 0;
  for (let hit = search.exec(text); hit; hit = search.exec(text)) {
    if (hit[0] === '') search.lastIndex++;
    const last = found.at(-1);
    if (last && hit.index - BEFORE - LONGEST_LINE <= last[1]) last[1] = hit.index + AFTER;
    else found.push([hit.index - BEFORE, hit.index + AFTER]);
  }
  return found.map(([start, end]) => [beginningOfLine(text, start), endOfLine(text, end)] as const);
}

/** The line break is part of it: a pattern may look behind itself. */
function beginningOfLine(text: string, index: number): number {
  if (index <= 0) return 0;
  const found = text.slice(Math.max(0, index - LONGEST_LINE), index).lastIndexOf('\n');
  return found < 0 ? index : Math.max(0, index - LONGEST_LINE) + found;
}

function endOfLine(text: string, index: number): number {
  const found = text.slice(index, index + LONGEST_LINE).indexOf('\n');
  return found < 0 ? Math.min(index, text.length) : index + found;
}
