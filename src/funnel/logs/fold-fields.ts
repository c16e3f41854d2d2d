import { WILDCARD_BYTE } from './character-class.ts';
import type { Skeleton } from './skeleton.ts';

const BLANK = 32;
const EQUALS = 61;
const LETTER_A = 65;
const LETTER_Z = 90;
/** Longest flag that may stand between fields: `DF`, `ACK`. */
const MAX_FLAG = 4;

/**
 * So many fields one after the other are a dump of a state, in which some are there today and not tomorrow. Fewer are a
 * sentence.
 */
export const MANY_FIELDS = 10;

/**
 * Joins a run of `key=<*>` fields, with the flags between them, to one value, when it has `MANY_FIELDS` or more. A line
 * that begins with fields has nothing else to say and keeps them.
 */
export function foldFields(skeleton: Skeleton): void {
  const { bytes, length } = skeleton;
  if (isField(bytes, 0, bytes.indexOf(BLANK))) return;
  let written = 0;
  let runStart = 0;
  let fields = 0;
  const endRun = () => {
    if (fields >= MANY_FIELDS) {
      bytes[runStart] = WILDCARD_BYTE;
      bytes[runStart + 1] = BLANK;
      written = runStart + 2;
    }
    fields = 0;
  };
  for (let from = 0; from < length;) {
    let to = from;
    while (to < length && bytes[to] !== BLANK) to++;
    if (isField(bytes, from, to)) {
      if (fields === 0) runStart = written;
      fields++;
    } else if (fields > 0 && !isFlag(bytes, from, to)) endRun();
    const stop = Math.min(to + 1, length);
    bytes.copyWithin(written, from, stop);
    written += stop - from;
    from = to + 1;
  }
  endRun();
  skeleton.length = written;
  skeleton.trimEnd();
}

/** `key=<*>`, and `cmd=<*>|all`. */
function isField(bytes: Uint8Array, from: number, to: number): boolean {
  let equals = from;
  while (equals < to && bytes[equals] !== EQUALS) equals++;
  return equals > from && equals + 1 < to && bytes[equals + 1] === WILDCARD_BYTE;
}

function isFlag(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from > MAX_FLAG) return false;
  for (let i = from; i < to; i++) if ((bytes[i] ?? 0) < LETTER_A || (bytes[i] ?? 0) > LETTER_Z) return false;
  return true;
}
