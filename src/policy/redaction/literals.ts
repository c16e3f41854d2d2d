import { isMasked } from './placeholder.ts';

/** Private-use control characters (ISO 6429): a text of one-byte characters stays one. */
const OPEN = '\x91';
const CLOSE = '\x92';
const STAND_IN = /\x91(\d{7,12})\x92/g;
/** What the rules might take for the end or the beginning of something outside the literal. */
const MISLEADING = /['`\\<>]/;

export interface ReadLiterals {
  /** The text with its literals redacted; those that might mislead a rule are replaced by stand-ins. */
  readonly text: string;
  /** Puts what the stand-ins stand for back into a text or a piece of it. */
  readonly restore: (piece: string) => string;
}

/**
 * Applies `redactInner` to the text inside every JSON string literal of the line that holds more than one word, and writes it back as a
 * literal. So a message inside a JSON log line, and JSON inside that, is read as the text it is: with real quotes, line breaks, beginning
 * and end. What is no literal stays for the other passes, which see the rest of a JSON line as if those texts were single words.
 * `firstNumber` numbers the stand-ins and is not to be guessed: a text may hold what looks like one.
 */
export function readLiterals(text: string, redactInner: (inner: string) => string, firstNumber: number): ReadLiterals {
  const kept: string[] = [];
  const bodies: string[] = [];
  let from = 0;
  let lineEnd = -1;
  let isJson = false;
  for (let open = text.indexOf('"'); open >= 0;) {
    if (lineEnd < open) {
      isJson = /^\s*[{["]/.test(text.slice(text.lastIndexOf('\n', open) + 1, open + 1).slice(0, 200));
      lineEnd = indexOrEnd(text, '\n', open);
    }
    const close = isEscaped(text, open) ? open : closingQuoteBefore(text, open + 1, lineEnd);
    // Without an end there is no literal in the rest of the line.
    if (close < 0) {
      open = text.indexOf('"', lineEnd);
      continue;
    }
    const body = text.slice(open + 1, close);
    const literal = close > open ? redactLiteral(body, redactInner) : body;
    // What is masked already has to be seen to be.
    const isHidden = isJson && MISLEADING.test(literal) && !isMasked(literal);
    if (literal !== body || isHidden) {
      kept.push(
        text.slice(from, open + 1),
        isHidden ? `${OPEN}${firstNumber + bodies.push(literal) - 1}${CLOSE}` : literal,
      );
      from = close;
    }
    open = text.indexOf('"', close + 1);
  }
  return {
    text: from === 0 ? text : kept.join('') + text.slice(from),
    restore: (piece) =>
      bodies.length === 0
        ? piece
        : piece.replace(STAND_IN, (standIn, index: string) => bodies[Number(index) - firstNumber] ?? standIn),
  };
}

/** The literal's new body; the old one when nothing changed or when it is none of JSON. */
function redactLiteral(body: string, redactInner: (inner: string) => string): string {
  if (!/[\s\\'`<>]/.test(body)) return body;
  const inner = body.includes('\\') ? decode(body) : body;
  if (inner === undefined) return body;
  const redacted = redactInner(inner);
  return redacted === inner ? body : JSON.stringify(redacted).slice(1, -1);
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
