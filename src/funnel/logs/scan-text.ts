import { classOf, DIGIT, isWordCharacter, LETTER, PUNCTUATION, skipSpace, SPACE } from './character-class.ts';
import type { Skeleton } from './skeleton.ts';
import { WordForm } from './word-form.ts';

const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const BACKTICK = 96;
const SLASH = 47;
const BACKSLASH = 92;
const COLON = 58;
const LESS = 60;
const EQUALS = 61;
const GREATER = 62;
const ROUND = 40;
const SQUARE = 91;
const CURLY = 123;
const CLOSING: ReadonlyMap<number, number> = new Map([
  [ROUND, 41],
  [SQUARE, 93],
  [CURLY, 125],
]);
/** Where an unquoted value after `=` ends, besides white space. */
const ENDS_VALUE = flags(`,;)]}|&"'=`);
/** `==`, `!=`, `<=`, `>=` compare and `=>` points, they do not assign. */
const BEFORE_OPERATOR = flags('=!<>');
const AFTER_OPERATOR = flags('=>');
const HTTP_METHOD = /(?:GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS|CONNECT) (?=\S)/y;
const HOST_AND_PORT = /[a-z][\w-]{0,62}(?:\.[\w-]{1,62}){1,8}:\d{1,5}(?![\w.])/iy;
const HEX_ADDRESS = /(?:[\da-f]{2}:){5}[\da-f]{2}\b|(?:[\da-f]{1,4}:){3,7}(?::?[\da-f]{1,4}\b|:)/iy;

/** What bracket and quote searches of one line may read together: `[[[[…` would else cost the square of its length. */
const SEARCH_BUDGET = 6000;

/** A table of ASCII characters that are set. */
function flags(characters: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}

const isQuote = (code: number): boolean => code === DOUBLE_QUOTE || code === SINGLE_QUOTE || code === BACKTICK;

/**
 * Writes the skeleton of a message: one pass, every character has one owner. What varies by its form alone becomes a
 * wildcard: words with digits, paths, URLs, addresses, quoted text, what follows `key=`, object dumps. The rest stays.
 */
export class TextScanner {
  readonly #out: Skeleton;
  readonly #form = new WordForm();
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

  /** Writes what begins at `i` and returns the index after it. */
  #next(i: number): number {
    const code = this.#text.charCodeAt(i);
    const kind = classOf(code);
    if (kind === SPACE) {
      this.#out.space();
      return i + 1;
    }
    if (kind !== PUNCTUATION) return this.#word(i);
    if (isQuote(code)) return this.#quoted(i, code);
    if (code === EQUALS) return this.#assignment(i);
    if (code === SQUARE) return this.#list(i);
    if (code === ROUND) return this.#restatement(i);
    // `<1 sec`: the comparison is part of the value.
    const isBound = (code === LESS || code === GREATER) && classOf(this.#code(i + 1)) === DIGIT;
    if (!isBound) this.#out.append(code);
    return i + 1;
  }

  #word(from: number): number {
    const form = this.#form;
    form.read(this.#text, from, this.#end);
    const { end } = form;
    const next = this.#code(end);
    const address = next === COLON ? this.#addressEnd(form) : -1;
    if (address > 0) return this.#value(address);
    if (form.isValue() || this.#isValueWord(form)) return this.#value(end);
    const dump = next === CURLY || next === ROUND ? this.#objectDumpEnd(end) : -1;
    if (dump > 0) return this.#value(dump);
    this.#out.appendText(this.#text, from, end);
    return end;
  }

  #value(end: number): number {
    this.#out.wildcard();
    return end;
  }

  /** Words that are values by where they stand: a unit after a number, a part of a date, true. */
  #isValueWord(form: WordForm): boolean {
    if (form.isPartOfDate()) return true;
    if (this.#out.endsInWildcard() && form.isUnit()) return true;
    return this.#out.length > 0 && form.isLiteral();
  }

  /** End of `http://…`, `C:\…`, `host.domain:80`, or of a MAC or IPv6 address without a digit in it; -1 for other words. */
  #addressEnd({ from, end, letters }: WordForm): number {
    const isUrl = letters > 1 && this.#code(end + 1) === SLASH && this.#code(end + 2) === SLASH;
    const isDrive = letters === 1 && this.#code(end + 1) === BACKSLASH;
    if (isUrl || isDrive) return this.#endOfUrl(from);
    const isHost = classOf(this.#code(end + 1)) === DIGIT && this.#text.lastIndexOf('.', end) > from;
    const pattern = isHost ? HOST_AND_PORT : HEX_ADDRESS;
    pattern.lastIndex = from;
    return pattern.test(this.#text) ? Math.min(pattern.lastIndex, this.#end) : -1;
  }

  #endOfUrl(from: number): number {
    let i = from;
    while (i < this.#end && classOf(this.#text.charCodeAt(i)) !== SPACE && !isQuote(this.#text.charCodeAt(i))) i++;
    return ',:)]'.includes(this.#text.charAt(i - 1)) ? i - 1 : i;
  }

  /** End of `{…}` or `(key=value, …)` directly behind a name: a value printed by its own toString. -1 for anything else. */
  #objectDumpEnd(open: number): number {
    const close = this.#closingBracket(open);
    if (close < 0) return -1;
    const inside = this.#text.slice(open, close);
    const isDump = this.#code(open) === CURLY || (inside.includes('=') && inside.includes(','));
    return isDump ? close + 1 : -1;
  }

  /** `[a, b, c]` with commas is a collection: its length varies with its contents. */
  #list(open: number): number {
    this.#out.append(SQUARE);
    const close = this.#closingBracket(open);
    const isCollection = close > 0 && this.#text.slice(open, close).includes(',');
    return isCollection ? this.#value(close) : open + 1;
  }

  /** Quoted text is quoted because it varies; a request keeps its method, unless it is the value of a field: `request: "GET …"`. */
  #quoted(open: number, quote: number): number {
    const isApostrophe = quote !== DOUBLE_QUOTE && open > 0 && isWordCharacter(this.#text.charCodeAt(open - 1));
    const close = isApostrophe ? -1 : this.#closingQuote(open, quote);
    if (close < 0) {
      this.#out.append(quote);
      return open + 1;
    }
    HTTP_METHOD.lastIndex = open + 1;
    const isField = this.#text.startsWith(': ', open - 2);
    const method = isField ? null : HTTP_METHOD.exec(this.#text);
    if (method) this.#out.appendText(method[0]);
    return this.#value(close + 1);
  }

  /** `key=value`, `key= value` and `key = value`: the key stays, the value goes, also when it is empty. */
  #assignment(i: number): number {
    this.#out.append(EQUALS);
    if (BEFORE_OPERATOR[this.#text.charCodeAt(i - 1)] || AFTER_OPERATOR[this.#code(i + 1)]) return i + 1;
    const value = skipSpace(this.#text, i + 1, this.#end);
    const end = this.#valueEnd(value);
    const startsNextKey = value > i + 1 && this.#code(end) === EQUALS;
    return this.#value(startsNextKey || value >= this.#end ? i + 1 : end);
  }

  #valueEnd(from: number): number {
    if (isQuote(this.#code(from))) {
      const close = this.#closingQuote(from, this.#code(from));
      if (close > 0) return close + 1;
    }
    let i = from;
    while (i < this.#end) {
      const code = this.#text.charCodeAt(i);
      if (code === ROUND || code === SQUARE || code === CURLY) {
        const close = this.#closingBracket(i);
        if (close < 0) return i;
        i = close + 1;
      } else if (ENDS_VALUE[code] || classOf(code) === SPACE) break;
      else i++;
    }
    return i;
  }

  /** `10.0.0.7 (db.example.org)` and `10.0.0.7 ()`: one host name in brackets after an address says the same again. */
  #restatement(open: number): number {
    if (this.#out.endsInWildcard() && this.#out.atTokenStart()) {
      let close = open + 1;
      while (isWordCharacter(this.#code(close))) close++;
      const name = this.#text.slice(open + 1, close);
      if (this.#code(close) === CLOSING.get(ROUND) && (name === '' || name.includes('.')))
        return this.#value(close + 1);
    }
    this.#out.append(ROUND);
    return open + 1;
  }

  #closingQuote(open: number, quote: number): number {
    for (let i = open + 1; i < this.#end && this.#budget > 0; i++, this.#budget--) {
      const code = this.#text.charCodeAt(i);
      if (code === BACKSLASH) i++;
      // An apostrophe within a word closes nothing.
      else if (code === quote && (quote === DOUBLE_QUOTE || classOf(this.#code(i + 1)) !== LETTER)) return i;
    }
    return -1;
  }

  /** Index of the bracket that closes the one at `open`; -1 when there is none. */
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
    const isCut = this.#end < this.#text.length && this.#budget > 0;
    return isCut ? this.#end : -1;
  }

  /** 0 behind the end. */
  #code(i: number): number {
    return i < this.#end ? this.#text.charCodeAt(i) : 0;
  }
}
