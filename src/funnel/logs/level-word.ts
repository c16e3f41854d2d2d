import { byteSet, CLASS_OF, DIGITS, isSpace, LETTER, LETTERS, skipSet, skipSpace, SPACE } from './character-class.ts';
import { WordTable } from './word-table.ts';

const BAR = 124;
const CLOSE_ROUND = 41;
const CLOSE_SQUARE = 93;
const COLON = 58;
const COMMA = 44;
const DASH = 45;
const GREATER = 62;
const LESS = 60;
const OPEN_ROUND = 40;
const OPEN_SQUARE = 91;
const SLASH = 47;

/** What PostgreSQL writes in place of a level, always with a colon. Before a bracket, Nest writes the first of them. */
const STATEMENT_PARTS = 'LOG STATEMENT DETAIL HINT CONTEXT'.split(' ');
const UPPER_CASE =
  'TRACE DEBUG INFO NOTICE WARN WARNING ERROR ERR FATAL CRITICAL CRIT ALERT EMERG SEVERE PANIC INF WRN DBG ERRO FTL VERBOSE SYSTEM'.split(
    ' ',
  );
const TITLE_CASE = 'Trace Debug Info Information Notice Note Warn Warning Error Critical Fatal System'.split(' ');
const LOWER_CASE = 'trace debug info notice warn warning error crit critical fatal alert emerg'.split(' ');

const LEVELS = new WordTable([...STATEMENT_PARTS, ...UPPER_CASE, ...TITLE_CASE, ...LOWER_CASE]);
const FIRST_UPPER = STATEMENT_PARTS.length;
const FIRST_OTHER = FIRST_UPPER + UPPER_CASE.length;
const MAX_LEVEL = 11;

const LETTER_LEVELS = byteSet('VDIWEFT');
const NAME = byteSet(`${LETTERS}${DIGITS}_-`);
const MAX_NAME = 40;

/** Where a level may stand: alone in front of a line, or as the first or a later field behind a time. */
export const ALONE = 0;
export const FIRST_FIELD = 1;
export const LATER_FIELD = 2;

/**
 * Index after the level that begins at `at`, a colon behind it included; -1 when there is none. Upper case and words in
 * brackets are levels anywhere, other spellings only as the first field, one letter only as a later one.
 */
export function levelEnd(bytes: Uint8Array, at: number, end: number, place: number): number {
  const first = bytes[at] ?? 0;
  if (CLASS_OF[first] === LETTER) return bareLevelEnd(bytes, at, end, place);
  if (first !== OPEN_SQUARE && first !== OPEN_ROUND && first !== LESS) return -1;
  return withColon(bytes, bracketedLevelEnd(bytes, at + 1, end), end);
}

function withColon(bytes: Uint8Array, level: number, end: number): number {
  return level > 0 && level < end && bytes[level] === COLON ? level + 1 : level;
}

function bareLevelEnd(bytes: Uint8Array, at: number, end: number, place: number): number {
  const word = wordEnd(bytes, at, end);
  const next = word < end ? (bytes[word] ?? 0) : 0;
  if (word === at + 1) return place === LATER_FIELD ? letterLevelEnd(bytes, at, end) : -1;
  const level = LEVELS.find(bytes, at, word);
  if (level < 0) return -1;
  if (level < FIRST_UPPER) {
    if (next === COLON) return word + 1;
    return level === 0 && bytes[word + 1] === OPEN_SQUARE && isSpace(next) ? word : -1;
  }
  if (level < FIRST_OTHER) {
    if (next === SLASH) return withColon(bytes, subsystemEnd(bytes, word, end), end);
    return ENDS_LEVEL[next] === 1 || CLASS_OF[next] === SPACE ? withColon(bytes, word, end) : -1;
  }
  const isEnded = CLASS_OF[next] === SPACE || next === COLON || next === COMMA || next === BAR;
  return place === FIRST_FIELD && word < end && isEnded ? word : -1;
}
const ENDS_LEVEL = byteSet(String.fromCharCode(COLON, COMMA, BAR, CLOSE_SQUARE, CLOSE_ROUND, DASH));

/** One letter, as Android and MongoDB write it. */
function letterLevelEnd(bytes: Uint8Array, at: number, end: number): number {
  const isLetter = LETTER_LEVELS[bytes[at] ?? 0] === 1;
  return isLetter && at + 1 < end && (isSpace(bytes[at + 1]) || bytes[at + 1] === SLASH) ? at + 1 : -1;
}

/** Behind the name in `WARN/Worker-1]`; `at`, where the slash is, when there is none. */
function subsystemEnd(bytes: Uint8Array, at: number, end: number): number {
  const name = skipSet(bytes, at + 1, end, NAME);
  return name > at + 1 && bytes[name] === CLOSE_SQUARE ? name + 1 : at;
}

/** `[info]`, `<Warning>`, `(ERROR )`, `[core:error]`: from behind the opening bracket. */
function bracketedLevelEnd(bytes: Uint8Array, at: number, end: number): number {
  let from = at;
  let word = wordEnd(bytes, from, end);
  if (!isSpace(bytes[word]) && !isClosing(bytes[word])) {
    const name = skipSet(bytes, word, Math.min(end, at + MAX_NAME), NAME);
    if (name === at || bytes[name] !== COLON) return -1;
    from = name + 1;
    word = wordEnd(bytes, from, end);
  }
  if (LEVELS.find(bytes, from, word) < FIRST_UPPER) return -1;
  const close = skipSpace(bytes, word, end);
  return close < end && isClosing(bytes[close]) ? close + 1 : -1;
}

function isClosing(byte: number | undefined): boolean {
  return byte === CLOSE_SQUARE || byte === CLOSE_ROUND || byte === GREATER;
}

function wordEnd(bytes: Uint8Array, at: number, end: number): number {
  const limit = Math.min(end, at + MAX_LEVEL + 1);
  let i = at;
  while (i < limit && CLASS_OF[bytes[i] ?? 0] === LETTER) i++;
  return i;
}
