import { byteSet, CLASS_OF, DIGIT, isSpace, isWordByte, LETTER } from './character-class.ts';
import { closingOf } from './header-field.ts';

const BACKSLASH = 92;
const COLON = 58;
const COMMA = 44;
const DOUBLE_QUOTE = 34;
const EQUALS = 61;
const GREATER = 62;
const OPEN_CURLY = 123;

export const QUOTES = byteSet('"\'`');
/** Where an unquoted value after `=` ends, besides white space. */
const ENDS_VALUE = byteSet(`,;)]}|&"'=`);

/** What bracket and quote searches of one text may read together: `[[[[…` would else cost the square of its length. */
const SEARCH_BUDGET = 6000;

/** Finds where what is in brackets and quotes ends in one text, within a budget of bytes. */
export class EnclosedText {
  #bytes: Uint8Array = new Uint8Array(0);
  #end = 0;
  #isCut = false;
  #budget = 0;

  /** `isCut` says that the text goes on behind `end`. */
  begin(bytes: Uint8Array, end: number, isCut: boolean): void {
    this.#bytes = bytes;
    this.#end = end;
    this.#isCut = isCut;
    this.#budget = SEARCH_BUDGET;
  }

  /** Index of the quote that closes the one at `open`; -1 when there is none. */
  closingQuote(open: number, quote: number): number {
    let isDoubled = false;
    for (let i = open + 1; i < this.#end && this.#budget > 0; i++, this.#budget--) {
      const byte = this.#bytes[i];
      if (byte === BACKSLASH) i++;
      else if (byte === quote && quote !== DOUBLE_QUOTE && this.#bytes[i + 1] === quote) {
        // Two before a letter are one that was escaped; else the first closes what is quoted within: `'no 'orders''`.
        isDoubled ||= this.#isApostropheAt(i + 1);
        if (isDoubled) i++;
      } else if (byte === quote && (quote === DOUBLE_QUOTE || !this.#isApostropheAt(i))) return i;
    }
    return -1;
  }

  /** An apostrophe within a word closes nothing. */
  #isApostropheAt(i: number): boolean {
    return i + 1 < this.#end && CLASS_OF[this.#bytes[i + 1] ?? 0] === LETTER;
  }

  /**
   * Index of the bracket that closes the one at `open`; the end of a text that was cut, where it would have closed
   * behind the cut; else -1.
   */
  closingBracket(open: number): number {
    const opening = this.#bytes[open] ?? 0;
    const closing = closingOf(opening);
    let depth = 0;
    for (let i = open; i < this.#end && this.#budget > 0; i++, this.#budget--) {
      const byte = this.#bytes[i];
      if (byte === opening) depth++;
      else if (byte === closing && --depth === 0) return i;
    }
    return this.#isCut && this.#budget > 0 ? this.#end : -1;
  }

  /**
   * End of `{…}` or `(key=value, …)` directly behind a name: a value printed by its own toString. -1 for anything else.
   */
  objectDumpEnd(open: number): number {
    const close = this.closingBracket(open);
    if (close < 0) return -1;
    const isDump =
      this.#bytes[open] === OPEN_CURLY ||
      (hasByte(this.#bytes, EQUALS, open, close) && hasByte(this.#bytes, COMMA, open, close));
    return isDump ? Math.min(close + 1, this.#end) : -1;
  }

  /**
   * End of the value behind `=`: a quoted text, or what runs on to white space or a separator, whole brackets included.
   */
  fieldValueEnd(from: number): number {
    const quote = from < this.#end ? (this.#bytes[from] ?? 0) : 0;
    if (QUOTES[quote] === 1) {
      const close = this.closingQuote(from, quote);
      if (close > 0) return close + 1;
    }
    let i = from;
    while (i < this.#end) {
      const byte = this.#bytes[i] ?? 0;
      if (closingOf(byte) > 0) {
        const close = this.closingBracket(i);
        if (close < 0) return i;
        i = Math.min(close + 1, this.#end);
      } else if (ENDS_VALUE[byte] === 1 || isSpace(byte)) break;
      else i++;
    }
    return i;
  }
}

/**
 * End of `<unknown>`, `<eth0>`, `<me@example.org>`: one name in angle brackets stands for a value. -1 for anything
 * else.
 */
export function bracketedNameEnd(bytes: Uint8Array, open: number, end: number): number {
  let close = open + 1;
  if (CLASS_OF[bytes[close] ?? 0] !== LETTER) return -1;
  while (close < end && (isWordByte(bytes[close]) || bytes[close] === COLON)) close++;
  return close < end && bytes[close] === GREATER ? close + 1 : -1;
}

/** True when a field or a number stands there. */
export function hasValue(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === EQUALS || CLASS_OF[byte] === DIGIT) return true;
  }
  return false;
}

export function hasByte(bytes: Uint8Array, wanted: number, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] === wanted) return true;
  return false;
}
