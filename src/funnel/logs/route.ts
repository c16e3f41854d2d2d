import { byteSet, CLASS_OF, DIGITS, isDigit, LETTER, WILDCARD_BYTE } from './character-class.ts';
import { isStatus } from './access-line.ts';
import type { Span } from './line-content.ts';
import type { Skeleton } from './skeleton.ts';
import { WordTable } from './word-table.ts';

const BLANK = 32;
const COLON = 58;
const DOT = 46;
const HASH = 35;
const LOWER_CASE = 32;
const SLASH = 47;

const MAX_SEGMENTS = 12;
/** Longer segments are no names that somebody chose. */
const MAX_NAME = 24;
const VALUE_MARKS = byteSet(`${DIGITS}%@=,;*`);
const QUESTION_MARK = 63;
const LETTER_V = 118;
const ASSETS = new WordTable('js css png jpg jpeg gif svg ico woff woff2 ttf map webp pdf txt mp4 html htm'.split(' '));

/**
 * Writes `GET /orders /<*> status=5xx`: method, route and class of the status. Every segment is a token of its own, so that the
 * merge of variable positions finds slugs; the status is written as an assignment because it must never vary. Query strings,
 * segments with digits and asset names are values.
 */
export function writeRequest(out: Skeleton, bytes: Uint8Array, method: Span, path: Span, status: Span): void {
  for (let i = method.from; i < method.to; i++) {
    const byte = bytes[i] ?? 0;
    out.append(CLASS_OF[byte] === LETTER ? byte & ~LOWER_CASE : byte);
  }
  writeRoute(out, bytes, afterHost(bytes, path), path.to);
  if (isStatus(bytes, status.from, status.to)) {
    out.appendText(' status=');
    out.appendBytes(bytes, status.from, status.from + 1);
    out.appendText('xx');
  }
}

function writeRoute(out: Skeleton, bytes: Uint8Array, from: number, to: number): void {
  let segments = 0;
  let at = from;
  while (at < to && segments < MAX_SEGMENTS) {
    const stop = segmentEnd(bytes, at, to);
    if (stop > at) {
      out.append(BLANK);
      out.append(SLASH);
      if (isValueSegment(bytes, at, stop, segments)) out.append(WILDCARD_BYTE);
      else out.appendBytes(bytes, at, stop);
      segments++;
    }
    if (stop >= to || bytes[stop] !== SLASH) break;
    at = stop + 1;
  }
  if (segments === 0) out.appendText(' /');
}

/** Behind `https://host` of a path that is a whole URL. */
function afterHost(bytes: Uint8Array, { from, to }: Span): number {
  let i = from;
  while (i < to && CLASS_OF[bytes[i] ?? 0] === LETTER) i++;
  if (i === from || bytes[i] !== COLON || bytes[i + 1] !== SLASH || bytes[i + 2] !== SLASH) return from;
  i += 3;
  while (i < to && bytes[i] !== SLASH) i++;
  return i;
}

/** The query and what follows it are no part of the route. */
function segmentEnd(bytes: Uint8Array, from: number, to: number): number {
  let i = from;
  while (i < to && bytes[i] !== SLASH && bytes[i] !== QUESTION_MARK && bytes[i] !== HASH) i++;
  return i;
}

function isValueSegment(bytes: Uint8Array, from: number, to: number, depth: number): boolean {
  const isVersion = bytes[from] === LETTER_V && to - from <= 3 && to - from > 1 && areDigits(bytes, from + 1, to);
  if (isVersion) return false;
  if (to - from > MAX_NAME) return true;
  let dot = -1;
  for (let i = from; i < to; i++) {
    const byte = bytes[i] ?? 0;
    if (VALUE_MARKS[byte] === 1) return true;
    if (byte === DOT) dot = i;
  }
  return depth > 0 && dot >= 0 && ASSETS.has(bytes, dot + 1, to);
}

function areDigits(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (!isDigit(bytes[i])) return false;
  return true;
}
