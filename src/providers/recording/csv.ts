/** A quoted record longer than this has lost its closing quote: it is then split at its commas like any other. */
const MAX_QUOTED_CHARACTERS = 1_000_000;
const NO_RECORD = { fields: undefined, next: -1 };

export interface CsvReader {
  push(text: string): void;
  /** Call once, after the last piece. */
  end(): void;
}

/**
 * Splits CSV (RFC 4180) that arrives in pieces into records. Lines without a quote, nearly all of them, are cut at their commas by
 * `indexOf`; only lines with one are scanned character by character. Never throws: a quote that is never closed is taken as text.
 */
export function createCsvReader(onRecord: (fields: string[]) => void): CsvReader {
  let rest = '';

  const consume = (buffer: string, final: boolean): number => {
    let position = 0;
    let quote = buffer.indexOf('"');
    for (;;) {
      const lineEnd = buffer.indexOf('\n', position);
      if (lineEnd < 0) return position;
      if (quote >= 0 && quote < position) quote = buffer.indexOf('"', position);
      if (quote < 0 || quote > lineEnd) {
        emit(splitPlain(buffer, position, lineEnd));
        position = lineEnd + 1;
        continue;
      }
      const { fields, next } = scanQuoted(buffer, position);
      if (fields) {
        emit(fields);
        position = next;
      } else if (final || buffer.length - position > MAX_QUOTED_CHARACTERS) {
        emit(splitPlain(buffer, position, lineEnd));
        position = lineEnd + 1;
      } else {
        return position;
      }
    }
  };
  const emit = (fields: string[]) => {
    if (fields.length > 1 || fields[0] !== '') onRecord(fields);
  };

  return {
    push(text) {
      const buffer = rest + text;
      rest = buffer.slice(consume(buffer, false));
    },
    end() {
      if (rest !== '') consume(`${rest}\n`, true);
      rest = '';
    },
  };
}

function splitPlain(text: string, from: number, lineEnd: number): string[] {
  const to = text.charCodeAt(lineEnd - 1) === 13 && lineEnd > from ? lineEnd - 1 : lineEnd;
  const fields: string[] = [];
  let start = from;
  for (let comma = text.indexOf(',', start); comma >= 0 && comma < to; comma = text.indexOf(',', start)) {
    fields.push(text.slice(start, comma));
    start = comma + 1;
  }
  fields.push(text.slice(start, to));
  return fields;
}

/** One record from `start`; no fields when its end has not arrived yet. */
function scanQuoted(text: string, start: number): { fields: string[] | undefined; next: number } {
  const fields: string[] = [];
  let position = start;
  for (;;) {
    let value = '';
    if (text[position] === '"') {
      const closed = readQuoted(text, position + 1);
      if (!closed) return NO_RECORD;
      value = closed.value;
      position = closed.next;
    }
    const plainStart = position;
    while (position < text.length && text[position] !== ',' && text[position] !== '\n') position += 1;
    if (position >= text.length) return NO_RECORD;
    const atLineEnd = text[position] === '\n';
    const plain = text.slice(plainStart, position);
    fields.push(value + (atLineEnd && plain.endsWith('\r') ? plain.slice(0, -1) : plain));
    position += 1;
    if (atLineEnd) return { fields, next: position };
  }
}

function readQuoted(text: string, start: number): { value: string; next: number } | undefined {
  let value = '';
  let from = start;
  for (;;) {
    const quote = text.indexOf('"', from);
    // A quote in the last place may be the first half of a doubled one.
    if (quote < 0 || quote === text.length - 1) return undefined;
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { value, next: quote + 1 };
    value += '"';
    from = quote + 2;
  }
}
