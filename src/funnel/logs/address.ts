import { byteSet, CLASS_OF, DIGIT, isDigit, isHexLetter, isSpace, isWordByte, LETTER } from './character-class.ts';
import { startsWith } from './line-bytes.ts';

const BACKSLASH = 92;
const COLON = 58;
const DASH = 45;
const DOT = 46;
const SLASH = 47;
const UNDERSCORE = 95;

/** The one host name without a dot that every system knows. */
const LOCALHOST = 'localhost';

const ENDS_URL = byteSet('"\'`');
/** What stands behind a URL, not in it. */
const CLOSES_URL = byteSet(',:)]');

/**
 * End of `http://…`, `C:\…`, `host.domain:80`, or of a MAC or IPv6 address; -1 for other words. The word begins at
 * `from`, its first colon is at `colon`.
 */
export function addressEnd(bytes: Uint8Array, from: number, colon: number, end: number): number {
  const next = colon + 1 < end ? (bytes[colon + 1] ?? 0) : 0;
  if (isSpace(next)) return -1;
  const isUrl = colon - from > 1 && next === SLASH && bytes[colon + 2] === SLASH;
  const isDrive = colon - from === 1 && next === BACKSLASH;
  if (isUrl || isDrive) return urlEnd(bytes, from, end);
  const host = CLASS_OF[next] === DIGIT ? hostAndPortEnd(bytes, from, colon, end) : -1;
  return host > 0 ? host : hexAddressEnd(bytes, from, end);
}

function urlEnd(bytes: Uint8Array, from: number, end: number): number {
  let i = from;
  while (i < end && !isSpace(bytes[i]) && ENDS_URL[bytes[i] ?? 0] === 0) i++;
  return CLOSES_URL[bytes[i - 1] ?? 0] === 1 ? i - 1 : i;
}

/** End of `host.domain:80`, whose word before the colon is `from` to `colon`; -1 when it is something else. */
function hostAndPortEnd(bytes: Uint8Array, from: number, colon: number, end: number): number {
  let hasDot = false;
  for (let i = from; i < colon; i++) {
    const byte = bytes[i] ?? 0;
    const kind = CLASS_OF[byte];
    if (byte === DOT) {
      if (i === from || bytes[i - 1] === DOT || i + 1 === colon) return -1;
      hasDot = true;
    } else if (kind !== LETTER && kind !== DIGIT && byte !== DASH && byte !== UNDERSCORE) return -1;
  }
  const isHost = hasDot || (colon - from === LOCALHOST.length && startsWith(bytes, from, LOCALHOST));
  if (!isHost || CLASS_OF[bytes[from] ?? 0] !== LETTER) return -1;
  let port = colon + 1;
  while (port < end && port <= colon + 5 && isDigit(bytes[port])) port++;
  const next = port < end ? (bytes[port] ?? 0) : 0;
  return port > colon + 1 && !isWordByte(next) ? port : -1;
}

/** End of a MAC or IPv6 address: at least four groups of up to four hexadecimal digits; -1 when there is none. */
function hexAddressEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  let groups = 0;
  let last = -1;
  while (groups < 8) {
    const stop = hexGroupEnd(bytes, at, end);
    if (stop === at || (stop < end && isWordByte(bytes[stop]))) break;
    groups++;
    last = stop;
    if (stop >= end || bytes[stop] !== COLON) break;
    // Two colons stand for groups of zeros.
    at = bytes[stop + 1] === COLON ? stop + 2 : stop + 1;
  }
  return groups >= 4 ? last : -1;
}

function hexGroupEnd(bytes: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end && i < at + 4 && (isDigit(bytes[i]) || isHexLetter(bytes[i] ?? 0))) i++;
  return i;
}
