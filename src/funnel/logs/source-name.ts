import { byteSet, DIGITS, isDigit, isSpace, LETTERS, skipDigits, skipSet, skipSpace } from './character-class.ts';

const BAR = 124;
const BLANK = 32;
const CLOSE_ROUND = 41;
const CLOSE_SQUARE = 93;
const COLON = 58;
const DASH = 45;
const DOT = 46;
const HASH = 35;
const OPEN_ROUND = 40;
const OPEN_SQUARE = 91;
const SLASH = 47;
const TAB = 9;

/** Readers of what wrote a line: a logger, a program, a column. Each returns the index after what it read at `at`, or -1. */

const NAME = `${LETTERS}${DIGITS}_`;
const DOTTED = byteSet(`${NAME}.-`);
const LOGGER = byteSet(`${NAME}.$/@#-`);
const LOGGER_START = byteSet(`${LETTERS}_$`);
const BAR_NAME = byteSet(`${NAME}.$:-`);
const COLUMN = byteSet(`${NAME}.$-`);
const IN_ROUND = byteSet(`${NAME}.: -`);
const HOST = byteSet(`${NAME}.:@-`);
const TAG_START = byteSet(`${LETTERS}_/`);
const ENDS_TAG = byteSet('[]:|');

const MAX_FIELD = 80;
const MAX_LOGGER = 101;
const MAX_SHORT = 60;

/** A logger by what follows it: `a.b.Name:`, `Name - `, `name|`, `a.b.Name [`, or a column of its own. */
export function loggerEnd(bytes: Uint8Array, at: number, end: number): number {
  const name = skipSet(bytes, at, Math.min(end, at + MAX_LOGGER), LOGGER);
  if (name === at || name >= end) return -1;
  const isNamed = LOGGER_START[bytes[at] ?? 0] === 1;
  if (isSpace(bytes[name])) return loggerBeforeSpaceEnd(bytes, at, name, end, isNamed);
  if (!isNamed) return -1;
  const detail = detailEnd(bytes, name, end);
  const line = lineNumberEnd(bytes, detail, end);
  let ended = closedLoggerEnd(bytes, line, end);
  if (ended < 0 && line > detail) ended = closedLoggerEnd(bytes, detail, end);
  if (ended < 0 && detail > name) ended = closedLoggerEnd(bytes, name, end);
  return ended >= 0 ? ended : dottedLoggerEnd(bytes, at, name, end);
}

/** `Name - `, `a.b.Name [`, `name  `. */
function loggerBeforeSpaceEnd(bytes: Uint8Array, at: number, name: number, end: number, isNamed: boolean): number {
  const next = skipSpace(bytes, name, end);
  const byte = next < end ? (bytes[next] ?? 0) : 0;
  if (isNamed && (byte === DASH || byte === BAR || byte === COLON) && next + 1 < end && isSpace(bytes[next + 1])) {
    return name;
  }
  if (isNamed && (byte === DASH || byte === OPEN_SQUARE)) {
    const dotted = dottedLoggerEnd(bytes, at, name, end);
    if (dotted >= 0) return dotted;
  }
  const isWide = next > name + 1 || bytes[name] === TAB;
  return isWide && name - at <= MAX_SHORT && skipSet(bytes, at, name, COLUMN) === name ? name : -1;
}

/** Behind `[worker-1]` or `(Main.java: 12)` directly after the name; `at` when there is none. */
function detailEnd(bytes: Uint8Array, at: number, end: number): number {
  const open = bytes[at] ?? 0;
  const close = open === OPEN_SQUARE ? CLOSE_SQUARE : open === OPEN_ROUND ? CLOSE_ROUND : 0;
  if (close === 0) return at;
  const i = skipSet(bytes, at + 1, Math.min(end, at + 41), open === OPEN_SQUARE ? DOTTED : IN_ROUND);
  return i < end && bytes[i] === close ? i + 1 : at;
}

/** Behind `:12`; `at` when there is none. */
function lineNumberEnd(bytes: Uint8Array, at: number, end: number): number {
  if (bytes[at] !== COLON) return at;
  const i = skipDigits(bytes, at + 1, end);
  return i > at + 1 ? i : at;
}

/** The name ends in a colon or a bar, or a separator stands apart behind it. */
function closedLoggerEnd(bytes: Uint8Array, at: number, end: number): number {
  const byte = bytes[at] ?? 0;
  if (at >= end) return -1;
  if (byte === BAR) return at + 1;
  if (byte === COLON && at + 1 < end && isSpace(bytes[at + 1])) return at + 1;
  const i = skipSpace(bytes, at, end);
  const separator = bytes[i];
  const isApart = separator === DASH || separator === BAR || separator === COLON;
  return i > at && i + 1 < end && isApart && isSpace(bytes[i + 1]) ? at : -1;
}

/** `a.b.Name [` and `a.b.Name#12 - `. */
function dottedLoggerEnd(bytes: Uint8Array, at: number, nameEnd: number, end: number): number {
  let dots = 0;
  let i = at;
  for (; i < nameEnd; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === DOT) {
      if (bytes[i + 1] === DOT || i + 1 >= nameEnd) return -1;
      dots++;
    } else if (COLUMN[byte] === 0) break;
  }
  if (dots === 0) return -1;
  const mark = bytes[i];
  if ((mark === HASH || mark === COLON) && isDigit(bytes[i + 1])) i = skipDigits(bytes, i + 1, end);
  const next = skipSpace(bytes, i, end);
  return next > i && next < end && (bytes[next] === OPEN_SQUARE || bytes[next] === DASH) ? i : -1;
}

/** `host tag[123]: ` or `tag: `, the way of syslog. */
export function syslogTagEnd(bytes: Uint8Array, at: number, end: number): number {
  let host = skipSet(bytes, at, Math.min(end, at + MAX_FIELD), HOST);
  if (host > at) {
    if (bytes[host] === SLASH) host = skipSet(bytes, host + 1, Math.min(end, host + MAX_FIELD), DOTTED);
    const next = skipSpace(bytes, host, end);
    if (next > host && next - host <= 4) {
      const tag = tagEnd(bytes, next, end);
      if (tag >= 0) return tag;
    }
  }
  return tagEnd(bytes, at, end);
}

function tagEnd(bytes: Uint8Array, at: number, end: number): number {
  const isApart = bytes[at] === DASH && bytes[at + 1] === DASH && bytes[at + 2] === BLANK;
  const from = isApart ? at + 3 : at;
  if (TAG_START[bytes[from] ?? 0] === 0) return -1;
  const limit = Math.min(end, from + MAX_FIELD + 1);
  let i = from;
  while (i < limit && !isSpace(bytes[i]) && ENDS_TAG[bytes[i] ?? 0] === 0) i++;
  if (bytes[i] === OPEN_SQUARE) {
    i = skipDigits(bytes, i + 1, end);
    if (bytes[i] !== CLOSE_SQUARE) return -1;
    while (bytes[i] === CLOSE_SQUARE) i++;
    if (i >= end || bytes[i] !== COLON) return -1;
    return bytes[i + 1] === BLANK ? i + 2 : i + 1;
  }
  return i + 1 < end && bytes[i] === COLON && bytes[i + 1] === BLANK ? i + 2 : -1;
}

/** `name|`. */
export function barFieldEnd(bytes: Uint8Array, at: number, end: number): number {
  const i = skipSet(bytes, at, Math.min(end, at + MAX_SHORT), BAR_NAME);
  return i > at && i < end && bytes[i] === BAR ? i + 1 : -1;
}
