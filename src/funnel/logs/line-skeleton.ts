import { isSpace, skipSpace } from './character-class.ts';
import { withoutColours } from './colours.ts';
import { firstEscape, hasNumberedEscape, unescape } from './escapes.ts';
import { JsonReader } from './json-line.ts';
import { encodeText, LineBytes, startsWith } from './line-bytes.ts';
import type { LineContent } from './line-content.ts';
import { findMessage } from './line-header.ts';
import { writeRequest } from './route.ts';
import { TextScanner } from './scan-text.ts';
import { Skeleton } from './skeleton.ts';
import { readFrame } from './stack-frame.ts';
import { keyEnd, PairReader, readQuotedMessage, readTextBeforeJson, trailingPairsStart } from './structured-line.ts';
import { isCounterHeader } from './whole-header.ts';

const DOUBLE_QUOTE = 34;
const OPEN_CURLY = 123;

/** Longer texts are cut: what tells templates apart stands in front. */
const MAX_TEXT = 2000;
/** A text is cut at white space when there is some so near. */
const MAX_CUT_BACK = 100;
/** A message inside a message inside a message: a container runtime's JSON around an application's JSON. */
const MAX_NESTING = 3;
const NEW_LINE = 10;

/** Writes the skeletons of lines: finds the message, decides the format of this very line, and masks what varies by form. */
export class LineReader {
  readonly skeleton = new Skeleton();
  readonly line = new LineBytes();
  readonly #bytes = this.line.bytes;
  readonly #scanner = new TextScanner(this.skeleton);
  readonly #json = new JsonReader();
  readonly #pairs = new PairReader();
  /** False once the bytes have moved: places in them are no places in the line. */
  #isInPlace = true;
  #hasTellingDigits = false;

  /** Leaves the skeleton of the line in `skeleton`. */
  read(text: string): void {
    this.readEncoded(text, this.line.encode(text));
  }

  /** The same for a text whose bytes stand in `line` already. */
  readEncoded(text: string, length: number): void {
    this.skeleton.clear();
    const plain = withoutColours(text);
    this.#isInPlace = plain === text;
    this.#hasTellingDigits = false;
    this.#read(0, this.#isInPlace ? length : this.line.encode(plain), 0);
  }

  /**
   * True when a line that differs from the one just read in digits alone has the same skeleton, given that it has the same
   * digits at the places in `skeleton.digits`.
   */
  isRepeatable(): boolean {
    return !this.#hasTellingDigits && (this.#isInPlace || this.skeleton.digits.count === 0);
  }

  #read(from: number, end: number, nesting: number): void {
    const textEnd = end - from > MAX_TEXT ? this.#cutEnd(from) : end;
    const frame = readFrame(this.#bytes, from, textEnd);
    if (frame !== undefined) {
      this.skeleton.appendTemplate(frame);
      return;
    }
    const start = findMessage(this.#bytes, from, textEnd);
    const content = nesting < MAX_NESTING ? this.#content(start, end) : undefined;
    if (content !== undefined) {
      this.#write(content, nesting);
      return;
    }
    const stop = isCounterHeader(this.#bytes, from, start) ? trailingPairsStart(this.#bytes, start, textEnd) : textEnd;
    this.#scanner.scan(this.#bytes, start, stop, stop < end);
  }

  #cutEnd(from: number): number {
    const end = from + MAX_TEXT;
    for (let i = end; i > end - MAX_CUT_BACK; i--) if (isSpace(this.#bytes[i])) return i;
    return end;
  }

  #content(start: number, end: number): LineContent | undefined {
    const at = skipSpace(this.#bytes, start, end);
    const first = this.#bytes[at];
    if (first === OPEN_CURLY) return this.#json.read(this.#bytes, at, end);
    const content =
      first === DOUBLE_QUOTE
        ? readQuotedMessage(this.#bytes, at, end)
        : keyEnd(this.#bytes, at, end) > 0
          ? this.#pairs.read(this.#bytes, at, end)
          : undefined;
    return content ?? readTextBeforeJson(this.#bytes, at, end);
  }

  #write(content: LineContent, nesting: number): void {
    if (content.kind === 'text') this.#readMessage(content.from, content.to, nesting + 1);
    else if (content.kind === 'request') {
      writeRequest(this.skeleton, this.#bytes, content.method, content.path, content.status);
    } else {
      const names = encodeText(`{${content.names}}`);
      this.skeleton.appendBytes(names, 0, names.length);
      if (this.skeleton.digits.count > 0) this.#hasTellingDigits = true;
    }
  }

  /** A message is a line again; of several lines, which only escapes can make, the one that says most. */
  #readMessage(from: number, to: number, nesting: number): void {
    const bytes = this.#bytes;
    const escape = bytes[from - 1] === DOUBLE_QUOTE ? firstEscape(bytes, from, to) : to;
    if (escape === to) {
      this.#read(from, to, nesting);
      return;
    }
    this.#isInPlace = false;
    if (hasNumberedEscape(bytes, escape, to)) this.#hasTellingDigits = true;
    const [lineFrom, lineEnd] = this.#leadingLine(from, unescape(bytes, escape, to));
    this.#read(lineFrom, lineEnd, nesting);
  }

  /** The first line with text in it, or the exception at the end of a Python traceback. */
  #leadingLine(from: number, end: number): readonly [from: number, end: number] {
    const first = skipSpace(this.#bytes, from, end);
    const isTraceback = startsWith(this.#bytes, first, 'Traceback (most recent');
    if (isTraceback) {
      let last = end;
      while (last > first && isSpace(this.#bytes[last - 1])) last--;
      let begin = last;
      while (begin > first && this.#bytes[begin - 1] !== NEW_LINE) begin--;
      return [begin, last];
    }
    let stop = first;
    while (stop < end && this.#bytes[stop] !== NEW_LINE) stop++;
    return [first, stop];
  }
}
