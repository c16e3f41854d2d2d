import { byteSet, isSpace, skipSet, skipSpace } from './character-class.ts';
import { FieldCollector, type LineContent } from './line-content.ts';
import { textOf } from './line-bytes.ts';

const CLOSE_CURLY = 125;
const CLOSE_SQUARE = 93;
const COLON = 58;
const COMMA = 44;
const DOUBLE_QUOTE = 34;
const OPEN_CURLY = 123;
const OPEN_SQUARE = 91;

/** Deeper objects hold data, not the message of the line. */
const MAX_DEPTH = 3;
const SCALAR = byteSet('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.');
/** What a string ends in or an escape begins with. */
const STOPS = byteSet('"\\');
const MAX_NAMES = 64;

/**
 * Reads a line that is one JSON object, in one pass over its bytes and without building it: only the places of the fields
 * that matter are kept. Arrays are skipped.
 */
export class JsonReader {
  readonly #fields = new FieldCollector();
  #bytes: Uint8Array = new Uint8Array(0);
  #end = 0;
  /** Place of the string or scalar read last, without quotes. */
  #from = 0;
  #to = 0;
  /** Set while names are wanted, not values. */
  #names: Set<string> | undefined;

  /** Content of the object that begins at `from`; undefined when the text is no JSON object. */
  read(bytes: Uint8Array, from: number, end: number): LineContent | undefined {
    this.#bytes = bytes;
    this.#end = end;
    this.#fields.clear();
    const after = this.#object(from);
    if (after < 0 || skipSpace(bytes, after, end) < end) return undefined;
    return this.#fields.content() ?? { kind: 'fields', names: this.#namesOf(from) };
  }

  /** Names of all fields, sorted: what a line without a message is known by. */
  #namesOf(from: number): string {
    const names = new Set<string>();
    this.#names = names;
    this.#object(from);
    this.#names = undefined;
    return [...names].toSorted().slice(0, MAX_NAMES).join(' ');
  }

  /** Notes every field with a string or scalar value, not deeper than `MAX_DEPTH`. Returns the index after the object, or -1. */
  #object(open: number): number {
    const bytes = this.#bytes;
    let depth = 0;
    let at = this.#skip(open + 1);
    for (;;) {
      if (bytes[at] === CLOSE_CURLY) {
        at++;
        if (depth-- === 0) return at;
      } else {
        const colon = this.#skip(this.#stringEnd(at));
        if (colon <= 0 || bytes[colon] !== COLON) return -1;
        const keyFrom = this.#from;
        const keyTo = this.#to;
        const value = this.#skip(colon + 1);
        const first = bytes[value];
        if (first === OPEN_CURLY) {
          depth++;
          at = this.#skip(value + 1);
          continue;
        }
        at = first === OPEN_SQUARE ? this.#arrayEnd(value) : this.#scalarEnd(value);
        if (at < 0) return -1;
        if (first !== OPEN_SQUARE && depth < MAX_DEPTH) this.#note(keyFrom, keyTo, depth);
      }
      at = this.#skip(at);
      if (bytes[at] === COMMA) at = this.#skip(at + 1);
      else if (bytes[at] !== CLOSE_CURLY) return -1;
    }
  }

  #note(keyFrom: number, keyTo: number, depth: number): void {
    if (this.#names) this.#names.add(textOf(this.#bytes, keyFrom, keyTo).toLowerCase());
    else this.#fields.add(this.#bytes, keyFrom, keyTo, this.#from, this.#to, depth);
  }

  /** Most JSON in logs has no white space. */
  #skip(at: number): number {
    return isSpace(this.#bytes[at]) ? skipSpace(this.#bytes, at, this.#end) : at;
  }

  /** Index after the string that begins with the quote at `open`, or -1. */
  #stringEnd(open: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    if (bytes[open] !== DOUBLE_QUOTE) return -1;
    let i = open + 1;
    for (;;) {
      while (i < end && STOPS[bytes[i] ?? 0] === 0) i++;
      if (i >= end) return -1;
      if (bytes[i] === DOUBLE_QUOTE) break;
      i += 2;
    }
    this.#from = open + 1;
    this.#to = i;
    return i + 1;
  }

  #scalarEnd(at: number): number {
    if (this.#bytes[at] === DOUBLE_QUOTE) return this.#stringEnd(at);
    const stop = skipSet(this.#bytes, at, this.#end, SCALAR);
    this.#from = at;
    this.#to = stop;
    return stop > at ? stop : -1;
  }

  #arrayEnd(open: number): number {
    let depth = 0;
    for (let i = open; i < this.#end; i++) {
      const byte = this.#bytes[i];
      if (byte === DOUBLE_QUOTE) {
        i = this.#stringEnd(i) - 1;
        if (i < 0) return -1;
      } else if (byte === OPEN_SQUARE) depth++;
      else if (byte === CLOSE_SQUARE && --depth === 0) return i + 1;
    }
    return -1;
  }
}
