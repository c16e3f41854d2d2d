import { classOf, DIGIT, isWordCharacter, JOINT, LETTER, skipSpace, SPACE } from './character-class.ts';
import type { Skeleton } from './skeleton.ts';

const codeOf = (character: string): number => character.charCodeAt(0);
const codesOf = (characters: string): ReadonlySet<number> => new Set(characters.split('').map(codeOf));
const [DOT, SLASH, BACKSLASH, COLON, EQUALS, AT] = ['.', '/', '\\', ':', '=', '@'].map(codeOf) as [
  number,
  number,
  number,
  number,
  number,
  number,
];
const CLOSING: ReadonlyMap<number, number> = new Map(
  ['()', '[]', '{}'].map((pair) => [codeOf(pair), pair.charCodeAt(1)]),
);
const QUOTES = codesOf('"\'`');
/** Where an unquoted value after `=` ends. */
const VALUE_END = codesOf(' \t,;)]}|&"\'');

const UNITS = new Set(
  (
    'b kb mb gb tb kib mib gib bytes byte ns us µs ms s sec secs second seconds min mins minute minutes h hour hours ' +
    'd day days msec khz mhz ghz utc gmt cet cest est edt pst pdt'
  ).split(' '),
);
const DATE_WORDS = new Set('mon tue wed thu fri sat sun jan feb mar apr may jun jul aug sep oct nov dec'.split(' '));
const LITERALS = new Set(['true', 'false', 'null', 'nil', 'none', 'nan', 'undefined']);
const HTTP_METHOD = /(?:GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS|CONNECT) (?=\S)/y;
const HEX_ADDRESS = /(?:[\da-f]{2}:){5}[\da-f]{2}\b|(?:[\da-f]{1,4}:){3,7}(?::?[\da-f]{1,4}\b|:)/iy;

/** Limits what bracket and quote searches of one line may read together: `[[[[…` would else cost the square of its length. */
const SEARCH_BUDGET = 6000;

/**
 * Writes the skeleton of a message: one pass, every character has one owner. What varies by its form alone becomes a
 * wildcard: words with digits, paths, URLs, addresses, quoted text, what follows `key=`, object dumps. Everything else stays.
 */
export class TextScanner {
  readonly #out: Skeleton;
  #text = '';
  #end = 0;
  #budget = 0;

  constructor(out: Skeleton) {
    this.#out = out;
  }

  scan(text: string, from: number, end: number): void {
    this.#text = text;
    this.#end = end;
    this.#budget = SEARCH_BUDGET;
    let i = from;
    while (i < end && !this.#out.isFull()) i = this.#next(i);
    this.#out.trimEnd();
  }

  #code(i: number): number {
    return i < this.#end ? this.#text.charCodeAt(i) : 0;
  }

  #next(i: number): number {
    const code = this.#code(i);
    const kind = classOf(code);
    if (kind === SPACE) {
      this.#out.space();
      return i + 1;
    }
    if (kind === LETTER || kind === DIGIT || kind === JOINT) return this.#word(i);
    if (QUOTES.has(code)) return this.#quoted(i, code);
    if (code === EQUALS) return this.#assignment(i);
    if (code === codeOf('[')) return this.#list(i);
    if (code === codeOf('(')) return this.#restatement(i);
    this.#out.append(code);
    return i + 1;
  }

  #word(from: number): number {
    let digits = 0;
    let letters = 0;
    let slashes = 0;
    let hex = true;
    let dots = 0;
    let i = from;
    let marks = 0;
    for (; i < this.#end; i++) {
      const code = this.#text.charCodeAt(i);
      const kind = classOf(code);
      if (kind === DIGIT) digits++;
      else if (kind === LETTER) {
        letters++;
        if ((code | 32) > 102) hex = false;
      } else if (kind === JOINT) {
        if (code === SLASH) slashes++;
        else if (code === DOT) dots++;
        else if (code === BACKSLASH || code === AT) marks++;
      } else break;
    }
    // A dot at the end closes the sentence, it is no part of the word.
    let end = i;
    while (end > from + 1 && this.#text.charCodeAt(end - 1) === DOT) end--;
    if (this.#code(i) === COLON) {
      if (this.#startsAddress(i, letters)) return this.#untilSpace(from);
      const address = i - from <= 4 ? this.#hexAddressEnd(from) : -1;
      if (address > 0) {
        this.#out.wildcard();
        return address;
      }
    }

    const length = end - from;
    const first = this.#text.charCodeAt(from);
    const isPath = slashes > 1 || (slashes === 1 && length > 1 && (first === SLASH || first === DOT));
    const isHex = hex && letters >= 8 && letters === length;
    if (
      digits > 0 ||
      isPath ||
      isHex ||
      (marks > 0 && letters > 0 && (dots > 0 || this.#text.charCodeAt(from) === BACKSLASH))
    ) {
      this.#out.wildcard();
      return i;
    }
    if (letters === length && this.#isValueWord(from, end)) {
      this.#out.wildcard();
      return i;
    }
    if (this.#isObjectDump(i)) {
      this.#out.wildcard();
      return this.#closingBracket(i) + 1;
    }
    this.#out.appendText(this.#text, from, end);
    return end === i ? i : this.#sentenceEnd(end, i);
  }

  /** Dots after a word stay: `done...` and `done.` are worded differently on purpose. */
  #sentenceEnd(from: number, to: number): number {
    this.#out.appendText(this.#text, from, to);
    return to;
  }

  /** `http://…` or `C:\…` */
  #startsAddress(colon: number, letters: number): boolean {
    if (this.#code(colon + 1) === SLASH && this.#code(colon + 2) === SLASH) return letters > 1;
    return letters === 1 && this.#code(colon + 1) === BACKSLASH;
  }

  /** End of a MAC or IPv6 address, which may happen to have no digit in it; -1 when there is none. */
  #hexAddressEnd(from: number): number {
    HEX_ADDRESS.lastIndex = from;
    return HEX_ADDRESS.test(this.#text) ? HEX_ADDRESS.lastIndex : -1;
  }

  #untilSpace(from: number): number {
    let i = from;
    while (i < this.#end && classOf(this.#text.charCodeAt(i)) !== SPACE && !QUOTES.has(this.#text.charCodeAt(i))) i++;
    const last = this.#text.charCodeAt(i - 1);
    if (last === codeOf(',') || last === codeOf(')') || last === codeOf(']') || last === codeOf(':')) i--;
    this.#out.wildcard();
    return i;
  }

  /** Words that are values wherever they stand: a unit after a number, a part of a date, true, null. */
  #isValueWord(from: number, end: number): boolean {
    if (end - from > 9) return false;
    const word = this.#text.slice(from, end).toLowerCase();
    if (UNITS.has(word)) return this.#out.endsInWildcard();
    if (LITERALS.has(word)) return this.#out.length > 0;
    if (!DATE_WORDS.has(word)) return false;
    const after = skipSpace(this.#text, end, this.#end);
    return classOf(this.#code(after)) === DIGIT || DATE_WORDS.has(this.#text.slice(after, after + 3).toLowerCase());
  }

  /** `Name{…}` or `Name(key=value, …)`: a value printed by its own toString. */
  #isObjectDump(i: number): boolean {
    const code = this.#code(i);
    if (code !== codeOf('{') && code !== codeOf('(')) return false;
    const close = this.#closingBracket(i);
    if (close < 0) return false;
    if (code === codeOf('{')) return true;
    const inside = this.#text.slice(i, close);
    return inside.includes('=') && inside.includes(',');
  }

  /** `[a, b, c]` with commas is a collection: its length varies with its contents. */
  #list(i: number): number {
    const close = this.#closingBracket(i);
    const isCollection = close > 0 && this.#text.slice(i, close).includes(',');
    this.#out.append(codeOf('['));
    if (!isCollection) return i + 1;
    this.#out.wildcard();
    return close;
  }

  /** Quoted text is quoted because it varies; a request line keeps its method. */
  #quoted(i: number, quote: number): number {
    const isApostrophe = quote !== codeOf('"') && i > 0 && isWordCharacter(this.#code(i - 1));
    const close = isApostrophe ? -1 : this.#closingQuote(i, quote);
    if (close < 0) {
      this.#out.append(quote);
      return i + 1;
    }
    HTTP_METHOD.lastIndex = i + 1;
    const method = HTTP_METHOD.exec(this.#text);
    if (method) {
      this.#out.appendText(method[0]);
    }
    this.#out.wildcard();
    return close + 1;
  }

  #closingQuote(open: number, quote: number): number {
    for (let i = open + 1; i < this.#end && this.#budget > 0; i++, this.#budget--) {
      const code = this.#text.charCodeAt(i);
      if (code === BACKSLASH) i++;
      else if (code === quote && (quote === codeOf('"') || classOf(this.#code(i + 1)) !== LETTER)) return i;
    }
    return -1;
  }

  #closingBracket(open: number): number {
    const opening = this.#text.charCodeAt(open);
    const closing = CLOSING.get(opening);
    let depth = 0;
    for (let i = open; i < this.#end && this.#budget > 0; i++, this.#budget--) {
      const code = this.#text.charCodeAt(i);
      if (code === opening) depth++;
      else if (code === closing && --depth === 0) return i;
    }
    // The bracket of a line that was cut would have closed behind the cut.
    return this.#end < this.#text.length && this.#budget > 0 ? this.#end - 1 : -1;
  }

  /** `key=value`, `key= value` and `key = value`: the key stays, the value goes, also when it is empty. */
  #assignment(i: number): number {
    this.#out.append(EQUALS);
    const next = this.#code(i + 1);
    const previous = this.#code(i - 1);
    const isOperator =
      next === EQUALS || next === codeOf('>') || previous === EQUALS || '!<>'.includes(String.fromCharCode(previous));
    if (isOperator) return i + 1;
    const value = skipSpace(this.#text, i + 1, this.#end);
    const end = this.#valueEnd(value);
    const startsNextKey = value > i + 1 && this.#code(end) === EQUALS;
    this.#out.wildcard();
    return startsNextKey || value >= this.#end ? i + 1 : end;
  }

  #valueEnd(from: number): number {
    const code = this.#code(from);
    if (QUOTES.has(code)) {
      const close = this.#closingQuote(from, code);
      if (close > 0) return close + 1;
    }
    let i = from;
    while (i < this.#end) {
      const at = this.#code(i);
      if (CLOSING.has(at)) {
        const close = this.#closingBracket(i);
        if (close < 0) return i;
        i = close + 1;
        continue;
      }
      if (at === EQUALS || VALUE_END.has(at) || classOf(at) === SPACE) break;
      i++;
    }
    return i;
  }

  /** `10.0.0.7 (db.example.org)` and `10.0.0.7 ()`: one host name in brackets after an address says the same again. */
  #restatement(i: number): number {
    let close = i + 1;
    let dots = 0;
    while (isWordCharacter(this.#code(close))) {
      if (this.#code(close) === DOT) dots++;
      close++;
    }
    const isHost = close === i + 1 || dots > 0;
    if (this.#out.endsInWildcard() && this.#out.atTokenStart() && this.#code(close) === codeOf(')') && isHost) {
      this.#out.wildcard();
      return close + 1;
    }
    this.#out.append(codeOf('('));
    return i + 1;
  }
}
