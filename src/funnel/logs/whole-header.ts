import {
  byteSet,
  CLASS_OF,
  DIGITS,
  endOfToken,
  isDigit,
  isSpace,
  LETTER,
  LETTERS,
  skipDigits,
  skipSet,
  skipSpace,
} from './character-class.ts';
import { startsWith } from './line-bytes.ts';
import { timeEnd } from './time-form.ts';
import { WordTable } from './word-table.ts';

const BACKSLASH = 92;
const BAR = 124;
const BLANK = 32;
const CLOSE_SQUARE = 93;
const COLON = 58;
const COMMA = 44;
const DASH = 45;
const DOUBLE_QUOTE = 34;
const GREATER = 62;
const OPEN_SQUARE = 91;

/** Headers with a layout of their own. Every reader returns the index after what it read at `at`, or -1. */

const NAME = byteSet(`${LETTERS}${DIGITS}_.-`);
const KLOG_LEVELS = byteSet('VDIWEF');
const RUBY_LEVELS = byteSet('DIWEFAU');
const DOTNET_LEVELS = new WordTable('trce dbug info warn fail crit'.split(' '));
const PYTHON_LEVELS = new WordTable('DEBUG INFO WARNING ERROR CRITICAL'.split(' '));
const UPPER_CASE = byteSet(LETTERS.slice(0, 26));
const MAX_NAME = 120;
const LOWER_S = 115;

export function wholeHeaderEnd(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at] ?? 0;
  if (CLASS_OF[first] !== LETTER) return first === OPEN_SQUARE ? podPrefixEnd(bytes, at, end) : -1;
  if (KLOG_LEVELS[first] === 1 && isDigit(bytes[at + 1])) return klogEnd(bytes, at, end);
  if (RUBY_LEVELS[first] === 1 && bytes[at + 1] === COMMA) return rubyEnd(bytes, at, end);
  if (UPPER_CASE[first] === 1) return counterEnd(bytes, at, end) ?? pythonEnd(bytes, at, end);
  return bytes[at + 4] === COLON ? dotnetEnd(bytes, at, end) : -1;
}

/** klog and glog: `I0304 10:11:12.345678    1 server.go:12] `. */
function klogEnd(bytes: Uint8Array, at: number, end: number): number {
  const date = skipDigits(bytes, at + 1, end);
  if (date !== at + 5 || bytes[date] !== BLANK) return -1;
  const time = timeEnd(bytes, date + 1, end);
  if (time < 0) return -1;
  const number = skipSpace(bytes, time, end);
  const place = skipDigits(bytes, number, end);
  if (place === number || bytes[place] !== BLANK) return -1;
  let i = place + 1;
  while (i < end && !isSpace(bytes[i]) && bytes[i] !== CLOSE_SQUARE) i++;
  return bytes[i] === CLOSE_SQUARE ? skipSpace(bytes, i + 1, end) : -1;
}

/** Ruby: `I, [2026-03-04T10:11:12.345678 #7]  INFO -- name: [request id] `. */
function rubyEnd(bytes: Uint8Array, at: number, end: number): number {
  if (bytes[at + 2] !== BLANK || bytes[at + 3] !== OPEN_SQUARE) return -1;
  const close = indexOf(bytes, CLOSE_SQUARE, at + 4, Math.min(end, at + 90));
  if (close < 0) return -1;
  const level = skipSpace(bytes, close + 1, end);
  const afterLevel = skipSet(bytes, level, end, UPPER_CASE);
  if (afterLevel === level || !startsWith(bytes, afterLevel, ' -- ')) return -1;
  const colon = indexOf(bytes, COLON, afterLevel + 4, Math.min(end, afterLevel + 46));
  if (colon < 0 || bytes[colon + 1] !== BLANK) return -1;
  const message = colon + 2;
  const id = bytes[message] === OPEN_SQUARE ? skipSet(bytes, message + 1, end, NAME) : message;
  return id - message > 8 && bytes[id] === CLOSE_SQUARE && bytes[id + 1] === BLANK ? id + 2 : message;
}

/** .NET: `info: Company.Product.Class[12]` and then, often in a line of its own, the message. */
function dotnetEnd(bytes: Uint8Array, at: number, end: number): number {
  if (!DOTNET_LEVELS.has(bytes, at, at + 4) || bytes[at + 5] !== BLANK) return -1;
  const name = skipSet(bytes, at + 6, Math.min(end, at + MAX_NAME), NAME);
  const id = bytes[name] === OPEN_SQUARE ? skipDigits(bytes, name + 1, end) : name;
  if (id <= name + 1 || bytes[id] !== CLOSE_SQUARE || !isSpace(bytes[id + 1])) return -1;
  return skipSpace(bytes, id + 1, end);
}

/** logrus: `INFO[0001] `; undefined when it is none. */
function counterEnd(bytes: Uint8Array, at: number, end: number): number | undefined {
  const open = skipSet(bytes, at, Math.min(end, at + 5), UPPER_CASE);
  if (open !== at + 4 || bytes[open] !== OPEN_SQUARE) return undefined;
  const close = skipDigits(bytes, open + 1, end);
  return close > open + 1 && bytes[close] === CLOSE_SQUARE ? skipSpace(bytes, close + 1, end) : undefined;
}

/** True for the header of logrus, whose fields follow the message. */
export function isCounterHeader(bytes: Uint8Array, at: number, end: number): boolean {
  return UPPER_CASE[bytes[at] ?? 0] === 1 && counterEnd(bytes, at, end) !== undefined;
}

/** Python: `WARNING:package.module:message`. */
function pythonEnd(bytes: Uint8Array, at: number, end: number): number {
  const level = skipSet(bytes, at, Math.min(end, at + 9), UPPER_CASE);
  if (bytes[level] !== COLON || !PYTHON_LEVELS.has(bytes, at, level)) return -1;
  const name = skipSet(bytes, level + 1, Math.min(end, level + MAX_NAME), NAME);
  return name > level + 1 && name + 1 < end && bytes[name] === COLON ? name + 1 : -1;
}

/** `kubectl logs --prefix`: `[pod/web-7d9f/app] `. */
function podPrefixEnd(bytes: Uint8Array, at: number, end: number): number {
  if (!startsWith(bytes, at, '[pod/')) return -1;
  const close = endOfToken(bytes, at, end) - 1;
  return close + 1 < end && bytes[close] === CLOSE_SQUARE ? close + 1 : -1;
}

/** Behind the `<34>` of syslog, and the whole header of RFC 5424 when it follows; `at` when there is none. */
export function priorityEnd(bytes: Uint8Array, at: number, end: number): number {
  const digits = skipDigits(bytes, at + 1, end);
  if (digits === at + 1 || digits > at + 4 || bytes[digits] !== GREATER) return at;
  const structured = rfc5424End(bytes, digits + 1, end);
  return structured >= 0 ? structured : digits + 1;
}

/** `1 time host app process message-id [structured data] `. */
function rfc5424End(bytes: Uint8Array, at: number, end: number): number {
  if (!isDigit(bytes[at]) || bytes[at + 1] !== BLANK) return -1;
  let i = at + 2;
  for (let field = 0; field < 5; field++) {
    const stop = endOfToken(bytes, i, end);
    if (stop === i || bytes[stop] !== BLANK) return -1;
    i = stop + 1;
  }
  if (bytes[i] === DASH) i++;
  else {
    if (bytes[i] !== OPEN_SQUARE) return -1;
    while (i < end && bytes[i] === OPEN_SQUARE) {
      i = structuredDataEnd(bytes, i, end);
      if (i < 0) return -1;
    }
  }
  if (bytes[i] === BLANK) i++;
  const hasByteOrderMark = bytes[i] === 0xef && bytes[i + 1] === 0xbb && bytes[i + 2] === 0xbf;
  return hasByteOrderMark ? i + 3 : i;
}

/** Behind `[id key="value"]`. */
function structuredDataEnd(bytes: Uint8Array, open: number, end: number): number {
  let isQuoted = false;
  for (let i = open + 1; i < end; i++) {
    const byte = bytes[i];
    if (isQuoted && byte === BACKSLASH) i++;
    else if (byte === DOUBLE_QUOTE) isQuoted = !isQuoted;
    else if (byte === CLOSE_SQUARE && !isQuoted) return i + 1;
  }
  return -1;
}

/** Docker Compose: `web-1  | `. */
export function containerEnd(bytes: Uint8Array, at: number, end: number): number {
  const name = skipSet(bytes, at, Math.min(end, at + 60), NAME);
  if (name === at) return -1;
  const bar = skipSpace(bytes, name, Math.min(end, name + 40));
  const isContainer = bytes[bar] === BAR && bytes[bar + 1] === BLANK && bar + 1 < end;
  return isContainer ? bar + 2 : -1;
}

/** A container runtime's ` stdout F ` behind its time. */
export function streamEnd(bytes: Uint8Array, at: number, end: number): number {
  const from = bytes[at] === BLANK ? at + 1 : at;
  if (bytes[from] !== LOWER_S) return -1;
  if (!startsWith(bytes, from, 'stdout ') && !startsWith(bytes, from, 'stderr ')) return -1;
  const flag = bytes[from + 7];
  const isFlag = flag === 70 || flag === 80;
  return isFlag && bytes[from + 8] === BLANK && from + 8 < end ? from + 9 : -1;
}

function indexOf(bytes: Uint8Array, byte: number, from: number, to: number): number {
  for (let i = from; i < to; i++) if (bytes[i] === byte) return i;
  return -1;
}
