/** A longer quotation is taken for one that was never closed. */
const LONGEST_QUOTED = 16_384;

/**
 * Where the quotation that `quote` opened ends: at the same quote with as many backslashes, or at one with fewer, which closes something
 * around it; else at the end of the line. Each level of JSON in JSON doubles the backslashes: of a quote opened by n of them,
 * n more pairs of n + 1 belong to the content.
 */
export function closingQuote(text: string, start: number, quote: string): number {
  const escapes = quote.length - 1;
  const character = quote.slice(-1);
  const limit = endOfLine(text, start);
  for (let end = text.indexOf(character, start); end >= 0 && end < limit; end = text.indexOf(character, end + 1)) {
    const count = backslashesBefore(text, start, end);
    if (count < escapes || count % (2 * (escapes + 1)) === escapes) {
      return beforeOuterEnd(text, start, end - Math.min(count, escapes), character);
    }
  }
  return beforeOuterEnd(text, start, limit, character);
}

/** A value in other quotes than JSON's ends at the latest where a JSON string around it does. */
function beforeOuterEnd(text: string, start: number, end: number, character: string): number {
  if (character === '"') return end;
  const outer = text.slice(start, end).search(/\\{0,7}"\s{0,4}(?:[,}\]:]|$)/);
  return outer < 0 ? end : start + outer;
}

function backslashesBefore(text: string, floor: number, index: number): number {
  let count = 0;
  while (index - count - 1 >= floor && text[index - count - 1] === '\\') count++;
  return count;
}

/** The end of the line or of what a quotation may hold, whichever is nearer. Looks no further: texts without line ends are long. */
function endOfLine(text: string, start: number): number {
  const near = text.slice(start, start + LONGEST_QUOTED);
  const lineEnd = near.indexOf('\n');
  return start + (lineEnd < 0 ? near.length : lineEnd);
}
