/**
 * Applies `redactInner` to the text inside every JSON string literal of the line that holds more than one word, and writes it back as a
 * literal. So a message inside a JSON log line, and JSON inside that, is read as the text it is: with real quotes, line breaks, beginning
 * and end. What is no literal stays for the other passes.
 */
export function redactLiterals(text: string, redactInner: (inner: string) => string): string {
  const kept: string[] = [];
  let from = 0;
  let lineEnd = -1;
  for (let open = text.indexOf('"'); open >= 0;) {
    if (lineEnd < open) lineEnd = indexOrEnd(text, '\n', open);
    const close = isEscaped(text, open) ? open : closingQuoteBefore(text, open + 1, lineEnd);
    // Without an end there is no literal in the rest of the line.
    if (close < 0) {
      open = text.indexOf('"', lineEnd);
      continue;
    }
    const literal = close > open ? redactLiteral(text.slice(open + 1, close), redactInner) : undefined;
    if (literal !== undefined) {
      kept.push(text.slice(from, open + 1), literal);
      from = close;
    }
    open = text.indexOf('"', close + 1);
  }
  return from === 0 ? text : kept.join('') + text.slice(from);
}

/** The literal's new body; undefined when nothing changed or when it is none of JSON. */
function redactLiteral(body: string, redactInner: (inner: string) => string): string | undefined {
  if (!/[\s\\]/.test(body)) return undefined;
  const inner = body.includes('\\') ? decode(body) : body;
  if (inner === undefined) return undefined;
  const redacted = redactInner(inner);
  return redacted === inner ? undefined : JSON.stringify(redacted).slice(1, -1);
}

function decode(body: string): string | undefined {
  try {
    return JSON.parse(`"${body.replaceAll('\t', '\\t')}"`) as string;
  } catch {
    return undefined;
  }
}

function closingQuoteBefore(text: string, start: number, limit: number): number {
  for (let quote = text.indexOf('"', start); quote >= 0 && quote < limit; quote = text.indexOf('"', quote + 1)) {
    if (!isEscaped(text, quote)) return quote;
  }
  return -1;
}

/** True after an odd number of backslashes. */
function isEscaped(text: string, index: number): boolean {
  let start = index;
  while (text[start - 1] === '\\') start--;
  return (index - start) % 2 === 1;
}

function indexOrEnd(text: string, needle: string, from: number): number {
  const index = text.indexOf(needle, from);
  return index < 0 ? text.length : index;
}
