import {
  byteSet,
  DIGITS,
  endOfToken,
  isLetter,
  isSpace,
  LETTERS,
  skipDigits,
  skipSet,
  skipSpace,
} from './character-class.ts';
import { bracketEnd, contextIdsEnd, fieldEnd, numberEnd, separatorEnd } from './header-field.ts';
import { ALONE, FIRST_FIELD, LATER_FIELD, levelEnd } from './level-word.ts';
import { LineBytes, textOf } from './line-bytes.ts';
import { barFieldEnd, loggerEnd, syslogTagEnd } from './source-name.ts';
import { timeEnd } from './time-form.ts';
import { containerEnd, priorityEnd, streamEnd, wholeHeaderEnd } from './whole-header.ts';

/** The bit that tells `a` from `A`. */
const LOWER_CASE = 32;
const BLANK = 32;
const BAR = 124;
const CLOSE_SQUARE = 93;
const COLON = 58;
const COMMA = 44;
const DASH = 45;
const LESS = 60;
const OPEN_SQUARE = 91;

const EPOCH_DIGITS = 10;
const BEGINS_FIELD = byteSet(`${LETTERS}${DIGITS}_$/@#-.:|[({<`);
const TAG = byteSet(`${LETTERS.slice(0, 26)}-`);
const MAX_FIELDS_BEFORE_TIME = 5;
const MAX_FIELDS_BETWEEN_TIMES = 4;
const MAX_FURTHER_TIMES = 3;
const MAX_FIELDS_BEFORE_LEVEL = 8;
const MAX_FIELDS_BEFORE_LOGGER = 6;

/** A collector's header round a runtime's round an application's. */
const MAX_NESTING = 3;

const line = new LineBytes();

/** Index in `text`, read up to `end`, at which the message begins: after time, level, thread, process and logger. */
export function messageStart(text: string, end: number): number {
  const length = line.encode(end < text.length ? text.slice(0, end) : text);
  return textOf(line.bytes, 0, findMessage(line.bytes, 0, length)).length;
}

/**
 * Finds where the message of a log line begins. Time, level, thread, process and logger say when and where a message was
 * written, not what it says, so they must not split its group. A header is stripped only when it is recognised by a time
 * or a level and every field on the way looks like a field; otherwise nothing is stripped.
 */
export function findMessage(bytes: Uint8Array, from: number, end: number, nesting = 0): number {
  let start = skipSpace(bytes, from, end);
  let message = -1;
  const time = timeEnd(bytes, start, end);
  if (time >= 0) message = afterTime(bytes, start, time, end, nesting);
  else {
    if (isSentence(bytes, start)) return start;
    const whole = wholeHeaderEnd(bytes, start, end);
    if (whole >= 0) return whole;
    if (bytes[start] === LESS) start = priorityEnd(bytes, start, end);
    const container = containerEnd(bytes, start, end);
    if (container >= 0 && nesting < MAX_NESTING) return findMessage(bytes, container, end, nesting + 1);
    message = afterFieldsAndTime(bytes, start, end, nesting);
    if (message < 0) message = afterLeadingLevel(bytes, start, end, nesting);
  }
  return message >= 0 && message < end ? message : start;
}

/** Two words of letters, the first not in capitals: no field, level or name of a container begins so. Spares most messages a closer look. */
function isSentence(bytes: Uint8Array, at: number): boolean {
  let hasLowerCase = false;
  let i = at;
  for (; isLetter(bytes[i]); i++) if (((bytes[i] ?? 0) & LOWER_CASE) !== 0) hasLowerCase = true;
  return hasLowerCase && bytes[i] === BLANK && isLetter(bytes[i + 1]);
}

/** The fields may be none. */
function afterFieldsAndTime(bytes: Uint8Array, from: number, end: number, nesting: number): number {
  const time = timeBehindFields(bytes, from, end, MAX_FIELDS_BEFORE_TIME);
  return time < 0 ? -1 : afterTime(bytes, from, time, end, nesting);
}

function afterTime(bytes: Uint8Array, from: number, firstTime: number, end: number, nesting: number): number {
  let time = firstTime;
  // Collectors write their own time in front: an epoch with fields of theirs, a date directly.
  const hasFields = isEpoch(bytes, from, time);
  for (let again = 0; again < MAX_FURTHER_TIMES; again++) {
    const at = skipSpace(bytes, time, end);
    const next = hasFields ? timeBehindFields(bytes, at, end, MAX_FIELDS_BETWEEN_TIMES) : timeEnd(bytes, at, end);
    if (next < 0) break;
    time = next;
  }
  const stream = nesting < MAX_NESTING ? streamEnd(bytes, time, end) : -1;
  if (stream >= 0) return findMessage(bytes, stream, end, nesting + 1);
  return afterFields(bytes, time, end, nesting);
}

/** A time that is one long number. */
function isEpoch(bytes: Uint8Array, from: number, time: number): boolean {
  return skipDigits(bytes, from, time) - from >= EPOCH_DIGITS;
}

/** True for a dash or capitals alone: supercomputers write such a tag in front of the epoch. Behind words, a long number is a value. */
function isTag(bytes: Uint8Array, from: number, to: number): boolean {
  const tag = skipSet(bytes, from, to, TAG);
  return skipSpace(bytes, tag, to) >= to;
}

/** Index after a time that stands behind at most so many fields; -1 when there is none. */
function timeBehindFields(bytes: Uint8Array, from: number, end: number, maxFields: number): number {
  let at = from;
  for (let field = 0; field <= maxFields; field++) {
    const time = timeEnd(bytes, at, end);
    if (time >= 0) return field > 0 && isEpoch(bytes, at, time) && !isTag(bytes, from, at) ? -1 : time;
    const next = field < maxFields ? fieldEnd(bytes, at, end) : -1;
    if (next < 0) return -1;
    at = skipSpace(bytes, next, end);
  }
  return -1;
}

function afterFields(bytes: Uint8Array, time: number, end: number, nesting: number): number {
  const from = separatorEnd(bytes, time, end);
  if (BEGINS_FIELD[bytes[from] ?? 0] === 0) return from;
  const level = levelBehindFields(bytes, from, end);
  // `ERROR: text` has no logger: what follows the colon is said.
  if (level >= 0 && bytes[level - 1] === COLON) return skipSpace(bytes, level, end);
  if (level >= 0) return afterLogger(bytes, level, end);
  const tag = syslogTagEnd(bytes, from, end);
  if (tag >= 0) return afterTag(bytes, skipSpace(bytes, tag, end), end, nesting);
  let at = from;
  for (let bar = barFieldEnd(bytes, at, end); bar >= 0; bar = barFieldEnd(bytes, at, end)) at = bar;
  return at > from ? skipSpace(bytes, at, end) : afterLogger(bytes, from, end);
}

/** What a program sends to syslog may begin with a header of its own, and what the kernel says with its clock. */
function afterTag(bytes: Uint8Array, at: number, end: number, nesting: number): number {
  const hasOwnTime = nesting < MAX_NESTING && timeEnd(bytes, at, end) >= 0;
  return hasOwnTime ? findMessage(bytes, at, end, nesting + 1) : at;
}

/** Index after the level, when only fields stand before it; -1 when there is none. */
function levelBehindFields(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  for (let field = 0; field < MAX_FIELDS_BEFORE_LEVEL && at < end; field++) {
    const level = levelEnd(bytes, at, end, field === 0 ? FIRST_FIELD : LATER_FIELD);
    if (level >= 0) return level;
    const next = fieldEnd(bytes, at, end);
    if (next < 0) return -1;
    at = separatorEnd(bytes, next, end);
  }
  return -1;
}

/** After level or time: separators, bracket groups and numbers, then one logger, then ids of the context. */
function afterLogger(bytes: Uint8Array, from: number, end: number): number {
  let at = separatorEnd(bytes, from, end);
  for (let field = 0; field < MAX_FIELDS_BEFORE_LOGGER; field++) {
    const bracket = bracketEnd(bytes, at, end);
    const number = bracket >= 0 ? bracket : numberEnd(bytes, at, end);
    // What touches the bracket on the right belongs to the message: `[a][b] text` keeps both.
    if (number < 0 || (number < end && !isBetweenFields(bytes[number] ?? 0))) break;
    const next = separatorEnd(bytes, number, end);
    if (next >= end) return at;
    at = next;
  }
  const logger = loggerEnd(bytes, at, end);
  if (logger < 0) return at;
  const next = separatorEnd(bytes, logger, end);
  if (next < end) at = next;
  const ids = contextIdsEnd(bytes, at, end);
  return ids >= 0 ? separatorEnd(bytes, ids, end) : at;
}

function isBetweenFields(byte: number): boolean {
  return isSpace(byte) || byte === COLON || byte === BAR || byte === COMMA;
}

/** Lines without a time in front: `[INFO] …`, `ERROR: …`, `LEVEL [thread] time …`, `INFO  - …`, `[main] INFO a.b.Name - …`. */
function afterLeadingLevel(bytes: Uint8Array, from: number, end: number, nesting: number): number {
  let at = from;
  let level = levelEnd(bytes, at, end, ALONE);
  if (level < 0 && bytes[at] === OPEN_SQUARE) {
    at = skipSpace(bytes, Math.max(at, bracketEnd(bytes, at, end)), end);
    level = bytes[at] === OPEN_SQUARE ? -1 : levelEnd(bytes, at, end, ALONE);
  }
  if (level < 0) return -1;
  const rest = separatorEnd(bytes, level, end);
  const late = afterFieldsAndTime(bytes, rest, end, nesting);
  if (late >= 0) return late;
  if (bytes[level - 1] === COLON) return afterLogger(bytes, level, end);
  const isMarked = bytes[from] === OPEN_SQUARE || bytes[level - 1] === CLOSE_SQUARE || isColumn(bytes, level, end);
  return isMarked ? afterLogger(bytes, level, end) : -1;
}

/** The level is padded to a column, or a separator stands apart behind it. */
function isColumn(bytes: Uint8Array, at: number, end: number): boolean {
  const next = skipSpace(bytes, at, end);
  if (next - at > 1 || bytes[at] === 9) return true;
  const isSeparator = bytes[next] === DASH || bytes[next] === BAR;
  return isSeparator && endOfToken(bytes, next, end) === next + 1;
}
