import {
  byteSet,
  CLASS_OF,
  DIGITS,
  endOfToken,
  isSpace,
  LETTER,
  LETTERS,
  skipSet,
  skipSpace,
} from './character-class.ts';
import { FieldCollector, type LineContent } from './line-content.ts';

const AT = 64;
const BACKSLASH = 92;
const CLOSE_CURLY = 125;
const COLON = 58;
const DOUBLE_QUOTE = 34;
const EQUALS = 61;
const OPEN_CURLY = 123;

const KEY = byteSet(`${LETTERS}${DIGITS}_.@-`);

/** Reads lines of `key=value` pairs, and messages that context follows. */
export class PairReader {
  readonly #fields = new FieldCollector();

  /** Content of a logfmt line: a message or at least two pairs and nothing else; undefined otherwise. */
  read(bytes: Uint8Array, from: number, end: number): LineContent | undefined {
    this.#fields.clear();
    let pairs = 0;
    for (let at = from; at < end; pairs++) {
      const key = keyEnd(bytes, at, end);
      if (key < 0) return undefined;
      const value = key + 1;
      const close = bytes[value] === DOUBLE_QUOTE ? closingQuote(bytes, value, end) : -1;
      const stop = close >= 0 ? close : endOfToken(bytes, value, end);
      this.#fields.add(bytes, at, key, close >= 0 ? value + 1 : value, stop, 0);
      at = skipSpace(bytes, close >= 0 ? close + 1 : stop, end);
    }
    return pairs > 1 || this.#fields.hasMessage() ? this.#fields.content() : undefined;
  }
}

/** Index of the equals sign behind the key that begins at `at`; -1 when there is none. */
export function keyEnd(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at] ?? 0;
  if (CLASS_OF[first] !== LETTER && first !== 95 && first !== AT) return -1;
  const key = skipSet(bytes, at, end, KEY);
  return key < end && bytes[key] === EQUALS ? key : -1;
}

/** Index of the quote that closes the one at `open`; -1 when there is none. */
function closingQuote(bytes: Uint8Array, open: number, end: number): number {
  for (let i = open + 1; i < end; i++) {
    if (bytes[i] === BACKSLASH) i++;
    else if (bytes[i] === DOUBLE_QUOTE) return i;
  }
  return -1;
}

/** `"Pod started" pod="a/b" …`: the quoted text in front is the message, as structured loggers for Kubernetes write it. */
export function readQuotedMessage(bytes: Uint8Array, open: number, end: number): LineContent | undefined {
  const close = closingQuote(bytes, open, end);
  if (close <= open + 1) return undefined;
  const next = skipSpace(bytes, close + 1, end);
  const isFollowedByPairs = next > close + 1 && keyEnd(bytes, next, end) >= 0;
  return next >= end || isFollowedByPairs ? { kind: 'text', from: open + 1, to: close } : undefined;
}

/** `text {"key": …}`: an object behind the message is its context, which differs from line to line. */
export function readTextBeforeJson(bytes: Uint8Array, from: number, end: number): LineContent | undefined {
  if (bytes[end - 1] !== CLOSE_CURLY) return undefined;
  for (let i = from + 1; i + 1 < end; i++) {
    if (bytes[i] !== OPEN_CURLY || bytes[i + 1] !== DOUBLE_QUOTE) continue;
    let to = i;
    while (to > from && isSpace(bytes[to - 1])) to--;
    const last = bytes[to - 1];
    const isMessage = to < i && last !== COLON && last !== EQUALS && hasLetter(bytes, from, to);
    return isMessage ? { kind: 'text', from, to } : undefined;
  }
  return undefined;
}

/** Index at which the `key=value` pairs begin that fill the rest of the line, as logrus writes them; `end` when there are none. */
export function trailingPairsStart(bytes: Uint8Array, from: number, end: number): number {
  let start = end;
  for (let at = from; at < end;) {
    const key = keyEnd(bytes, at, end);
    if (key < 0) {
      start = end;
      at = skipSpace(bytes, endOfToken(bytes, at, end), end);
      continue;
    }
    if (start === end) start = at;
    const close = bytes[key + 1] === DOUBLE_QUOTE ? closingQuote(bytes, key + 1, end) : -1;
    at = skipSpace(bytes, close >= 0 ? close + 1 : endOfToken(bytes, key, end), end);
  }
  return start;
}

function hasLetter(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (CLASS_OF[bytes[i] ?? 0] === LETTER) return true;
  return false;
}
