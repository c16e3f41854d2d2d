import { skipSpace } from './character-class.ts';
import { withoutColours } from './colours.ts';
import { messageStart } from './line-header.ts';
import { writeRequest } from './route.ts';
import { TextScanner } from './scan-text.ts';
import { Skeleton } from './skeleton.ts';
import { frameSkeleton } from './stack-frame.ts';
import {
  readAccessLine,
  readJsonLine,
  readLogfmtLine,
  readQuotedMessage,
  readTextBeforeJson,
  type LineContent,
} from './structured-line.ts';

/** Longer lines are cut: what tells templates apart stands in front. */
const MAX_LINE = 2000;
/** A message inside a message inside a message: a container runtime's JSON around an application's JSON. */
const MAX_NESTING = 3;

/** Writes the skeletons of lines: finds the message, decides the format of this very line, and masks what varies by form. */
export class LineReader {
  readonly skeleton = new Skeleton();
  readonly #scanner = new TextScanner(this.skeleton);

  /** Leaves the skeleton of the line in `skeleton`. */
  read(line: string): void {
    this.skeleton.clear();
    this.#read(withoutColours(line), 0);
  }

  #read(line: string, nesting: number): void {
    const frame = frameSkeleton(line.length > MAX_LINE ? line.slice(0, MAX_LINE) : line);
    if (frame !== undefined) {
      this.skeleton.appendText(frame);
      return;
    }
    const end = Math.min(line.length, MAX_LINE);
    const start = messageStart(line, end);
    const content = nesting < MAX_NESTING ? readContent(line, start) : undefined;
    if (content === undefined) this.#scanner.scan(line, start, end);
    else this.#write(content, nesting);
  }

  #write(content: LineContent, nesting: number): void {
    if (content.kind === 'text') this.#read(content.text, nesting + 1);
    else if (content.kind === 'request') writeRequest(this.skeleton, content.method, content.path, content.status);
    else this.skeleton.appendText(`{${content.names}}`);
  }
}

const OPENING_BRACE = 123;
const QUOTE = 34;
const LOGFMT_START = /[A-Za-z_@][\w.@-]*=/y;

function readContent(line: string, from: number): LineContent | undefined {
  const start = skipSpace(line, from, line.length);
  const code = line.charCodeAt(start);
  if (code === OPENING_BRACE) return readJsonLine(line.slice(start).trimEnd());
  if (code === QUOTE) {
    const quoted = readQuotedMessage(line, start);
    if (quoted) return quoted;
  }
  LOGFMT_START.lastIndex = start;
  if (LOGFMT_START.test(line)) {
    const pairs = readLogfmtLine(line, start);
    if (pairs) return pairs;
  }
  return readAccessLine(line, start) ?? readTextBeforeJson(line, start);
}
