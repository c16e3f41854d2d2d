import {
  BAR,
  CLOSE_ROUND,
  CLOSE_SQUARE,
  COLON,
  COMMA,
  DASH,
  GREATER,
  LESS,
  OPEN_ROUND,
  OPEN_SQUARE,
  SLASH,
} from './ascii.ts';
import { byteSet, CLASS_OF, DIGITS, isSpace, LETTER, LETTERS, skipSet, skipSpace, SPACE } from './character-class.ts';
import { WordTable } from './word-table.ts';

const UPPER_CASE =
  'TRACE DEBUG INFO NOTICE WARN WARNING ERROR ERR FATAL CRITICAL CRIT ALERT EMERG SEVERE PANIC INF WRN DBG ERRO FTL VERBOSE SYSTEM';
const TITLE_CASE = 'Trace Debug Info Information Notice Note Warn Warning Error Critical Fatal System';
const LOWER_CASE = 'trace debug info notice warn warning error crit critical fatal alert emerg';

const UPPER_LEVELS = new WordTable(UPPER_CASE.split(' '));
const OTHER_LEVELS = new WordTable(`${TITLE_CASE} ${LOWER_CASE}`.split(' '));
/** What PostgreSQL writes in place of a level. */
const STATEMENT_PARTS = new WordTable('LOG STATEMENT DETAIL HINT CONTEXT'.split(' '));
const LETTER_LEVELS = byteSet('VDIWEFT');

const NAME = byteSet(`${LETTERS}${DIGITS}_-`);
const MAX_LEVEL = 11;

/**
 * Index after the level that begins at `at`, a colon behind it included; -1 when there is none. Upper case is a level
 * anywhere; other spellings only in brackets.
 */
export function levelEnd(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at] ?? 0;
  const isBracketed = first === OPEN_SQUARE || first === OPEN_ROUND || first === LESS;
  const level = isBracketed ? bracketedLevelEnd(bytes, at + 1, end) : bareLevelEnd(bytes, at, end);
  return level > 0 && level < end && bytes[level] === COLON ? level + 1 : level;
}

/** `INFO`, `WARN/Sub]`. */
function bareLevelEnd(bytes: Uint8Array, at: number, end: number): number {
  const word = wordEnd(bytes, at, end);
  const next = bytes[word] ?? 0;
  if (STATEMENT_PARTS.has(bytes, at, word)) return next === COLON && word < end ? word : -1;
  if (!UPPER_LEVELS.has(bytes, at, word)) return -1;
  if (next === SLASH) {
    const name = skipSet(bytes, word + 1, end, NAME);
    return name > word + 1 && bytes[name] === CLOSE_SQUARE ? name + 1 : word;
  }
  return word >= end || endsBareLevel(next) ? word : -1;
}

function endsBareLevel(byte: number): boolean {
  return (
    CLASS_OF[byte] === SPACE ||
    byte === COLON ||
    byte === COMMA ||
    byte === BAR ||
    byte === CLOSE_SQUARE ||
    byte === CLOSE_ROUND ||
    byte === DASH
  );
}

/** `[info]`, `<Warning>`, `(ERROR )`, `[core:error]`: from behind the opening bracket. */
function bracketedLevelEnd(bytes: Uint8Array, at: number, end: number): number {
  let from = at;
  const name = skipSet(bytes, at, Math.min(end, at + 40), NAME);
  if (name > at && bytes[name] === COLON) from = name + 1;
  const word = wordEnd(bytes, from, end);
  if (!isLevel(bytes, from, word)) return -1;
  const close = skipSpace(bytes, word, end);
  const byte = bytes[close];
  return close < end && (byte === CLOSE_SQUARE || byte === CLOSE_ROUND || byte === GREATER) ? close + 1 : -1;
}

/** Index after a level in title or lower case before white space, a colon, a comma or a bar: only good as a first field. */
export function firstLevelEnd(bytes: Uint8Array, at: number, end: number): number {
  const word = wordEnd(bytes, at, end);
  const next = bytes[word] ?? 0;
  const isEnded = CLASS_OF[next] === SPACE || next === COLON || next === COMMA || next === BAR;
  return word < end && isEnded && OTHER_LEVELS.has(bytes, at, word) ? word : -1;
}

/** Index after a level of one letter, as Android and MongoDB write it. */
export function letterLevelEnd(bytes: Uint8Array, at: number, end: number): number {
  const isLetter = LETTER_LEVELS[bytes[at] ?? 0] === 1;
  return isLetter && at + 1 < end && (isSpace(bytes[at + 1]) || bytes[at + 1] === SLASH) ? at + 1 : -1;
}

function isLevel(bytes: Uint8Array, from: number, to: number): boolean {
  return UPPER_LEVELS.has(bytes, from, to) || OTHER_LEVELS.has(bytes, from, to);
}

function wordEnd(bytes: Uint8Array, at: number, end: number): number {
  const limit = Math.min(end, at + MAX_LEVEL + 1);
  let i = at;
  while (i < limit && CLASS_OF[bytes[i] ?? 0] === LETTER) i++;
  return i;
}
