import { byteSet, DIGITS, endOfToken, isDigit, isSpace, LETTERS, skipSet, skipSpace } from './character-class.ts';
import { startsWith } from './line-bytes.ts';
import type { LineContent } from './line-content.ts';
import { WordTable } from './word-table.ts';

type Request = Extract<LineContent, { readonly kind: 'request' }>;

export const STATUS_LENGTH = 3;
const BLANK = 32;
const DASH = 45;
const DOUBLE_QUOTE = 34;
const PLUS = 43;
const SLASH = 47;

const METHODS = new WordTable('GET POST PUT DELETE PATCH HEAD OPTIONS CONNECT TRACE PROPFIND'.split(' '));
const PROTOCOL = byteSet(`${LETTERS}${DIGITS}/.`);
const TIMERS = byteSet(`${DIGITS}/+-`);
const MAX_METHOD = 9;

/** Index after the method of the request that begins at `at`, before its blank; -1 when there is none. */
export function methodEnd(bytes: Uint8Array, at: number, end: number): number {
  const stop = skipSet(bytes, at, Math.min(end, at + MAX_METHOD), UPPER_CASE);
  return bytes[stop] === BLANK && METHODS.has(bytes, at, stop) && !isSpace(bytes[stop + 1]) ? stop : -1;
}
const UPPER_CASE = byteSet(LETTERS.slice(0, 26));

/** True when a path or a URL stands behind the method that ends at `method`: `DELETE` is a word of SQL too. */
export function isPathAt(bytes: Uint8Array, method: number): boolean {
  return startsWith(bytes, method, ' /') || startsWith(bytes, method, ' http');
}

/**
 * The request of an access log line whose quote stands at `quote` (common, combined and ingress formats, HAProxy): a status
 * follows the quote, or stands behind timers in front of it. Undefined for prose that quotes a request.
 */
export function readAccessLine(bytes: Uint8Array, from: number, quote: number, end: number): Request | undefined {
  const method = methodEnd(bytes, quote + 1, end);
  if (method < 0) return undefined;
  const path = { from: method + 1, to: pathEnd(bytes, method + 1, end) };
  const status = statusBehind(bytes, path.to, end) ?? statusBehindTimers(bytes, from, quote);
  if (status === undefined) return undefined;
  return {
    kind: 'request',
    method: { from: quote + 1, to: method },
    path,
    status: { from: status, to: status + 3 },
  };
}

/**
 * `GET /orders/17 503 12ms` and `503 GET /orders/17 12ms`: the status stands right behind the path, or where the text begins. Undefined for prose. The method is
 * the word from `from` to `method`.
 */
export function readPlainRequest(
  bytes: Uint8Array,
  from: number,
  method: number,
  end: number,
  textFrom: number,
): Request | undefined {
  const path = { from: method + 1, to: pathEnd(bytes, method + 1, end) };
  const status = textFrom < from ? textFrom : path.to + 1;
  if (bytes[method] !== BLANK || !isStatus(bytes, status, end)) return undefined;
  return { kind: 'request', method: { from, to: method }, path, status: { from: status, to: status + STATUS_LENGTH } };
}

function pathEnd(bytes: Uint8Array, from: number, end: number): number {
  let i = from;
  while (i < end && !isSpace(bytes[i]) && bytes[i] !== DOUBLE_QUOTE) i++;
  return i;
}

/** ` HTTP/1.1" 503`, with one group of numbers like `12/7` in front of the status or without. */
function statusBehind(bytes: Uint8Array, path: number, end: number): number | undefined {
  const close = bytes[path] === BLANK ? skipSet(bytes, path + 1, end, PROTOCOL) : path;
  if (bytes[close] !== DOUBLE_QUOTE || bytes[close + 1] !== BLANK) return undefined;
  let at = close + 2;
  const stop = endOfToken(bytes, at, end);
  if (skipSet(bytes, at, stop, TIMERS) === stop && hasSlash(bytes, at, stop)) at = stop + 1;
  return isStatus(bytes, at, end) ? at : undefined;
}

/** HAProxy writes five timers, `0/0/1/12/14`, then the status, and the request last. */
function statusBehindTimers(bytes: Uint8Array, from: number, quote: number): number | undefined {
  for (let at = from; at < quote;) {
    const stop = endOfToken(bytes, at, quote);
    if (isTimers(bytes, at, stop) && isStatus(bytes, stop + 1, quote)) return stop + 1;
    at = skipSpace(bytes, stop, quote);
  }
  return undefined;
}

function isTimers(bytes: Uint8Array, from: number, to: number): boolean {
  let slashes = 0;
  for (let i = from; i < to; i++) {
    const byte = bytes[i];
    if (byte === SLASH) slashes++;
    else if (!isDigit(byte) && byte !== DASH && byte !== PLUS) return false;
  }
  return slashes === 3 || slashes === 4;
}

function hasSlash(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] === SLASH) return true;
  return false;
}

/** Three digits and then white space or the end. */
export function isStatus(bytes: Uint8Array, at: number, end: number): boolean {
  if (at + 3 > end || !isDigit(bytes[at]) || !isDigit(bytes[at + 1]) || !isDigit(bytes[at + 2])) return false;
  return at + 3 >= end || isSpace(bytes[at + 3]);
}
