import { isPathAt, isStatus, methodEnd, readAccessLine, readPlainRequest, STATUS_LENGTH } from './access-line.ts';
import { addressEnd } from './address.ts';
import { byteSet, CLASS_OF, DIGIT, endOfToken, isWordByte, LETTER, skipSpace, SPACE } from './character-class.ts';
import { bracketedNameEnd, EnclosedText, hasByte, hasValue, QUOTES } from './enclosed-text.ts';
import { foldFields, MANY_FIELDS } from './fold-fields.ts';
import { startsWith } from './line-bytes.ts';
import { writeRequest } from './route.ts';
import type { Skeleton } from './skeleton.ts';
import {
  FORM_OF,
  isOfLetters,
  isValueByForm,
  LETTER_FORM,
  LITERAL_MEANING,
  mayMeanMore,
  meaningOf,
  NO_MEANING,
  METHOD_MEANING,
  TRACE_MEANING,
  UNIT_MEANING,
  withoutFinalDots,
} from './word-form.ts';

const BLANK = 32;
const CLOSE_ROUND = 41;
const COLON = 58;
const COMMA = 44;
const DOUBLE_QUOTE = 34;
const EQUALS = 61;
const GREATER = 62;
const LESS = 60;
const OPEN_CURLY = 123;
const OPEN_ROUND = 40;
const OPEN_SQUARE = 91;

/** `==`, `!=`, `<=`, `>=` compare and `=>` points, they do not assign. */
const BEFORE_OPERATOR = byteSet('=!<>');
const AFTER_OPERATOR = byteSet('=>');
/** What behind a word may belong to it: an address, an object that is printed. */
const BEGINS_DETAIL = byteSet(':{(');

/**
 * Writes the skeleton of a message: one pass, every byte has one owner. What varies by its form alone becomes a
 * wildcard: words with digits, paths, URLs, addresses, quoted text, what follows `key=`, object dumps. The rest stays.
 */
export class TextScanner {
  readonly #out: Skeleton;
  readonly #enclosed = new EnclosedText();
  #bytes: Uint8Array = new Uint8Array(0);
  #from = 0;
  #end = 0;
  #assignments = 0;

  constructor(out: Skeleton) {
    this.#out = out;
  }

  /** `isCut` says that the text goes on behind `end`. The byte at `end` is zero meanwhile: no loop runs beyond it. */
  scan(bytes: Uint8Array, from: number, end: number, isCut: boolean): void {
    this.#bytes = bytes;
    this.#from = from;
    this.#end = end;
    this.#enclosed.begin(bytes, end, isCut);
    const behind = bytes[end] ?? 0;
    bytes[end] = 0;
    this.#assignments = 0;
    this.#scan(bytes, from, end);
    bytes[end] = behind;
    this.#out.trimEnd();
    if (this.#assignments >= MANY_FIELDS) foldFields(this.#out);
  }

  #scan(bytes: Uint8Array, from: number, end: number): void {
    const out = this.#out;
    const written = out.bytes;
    let i = from;
    while (i < end) {
      const first = bytes[i] ?? 0;
      let form = FORM_OF[first] ?? 0;
      if (form === 0) {
        if (CLASS_OF[first] === SPACE) {
          out.space();
          i++;
        } else i = this.#punctuation(i);
        continue;
      }
      // A word is written while it is read; it only counts once the length is set.
      const begin = i;
      let at = out.length;
      let byte = first;
      let forms = 0;
      do {
        forms |= form;
        written[at++] = byte;
        byte = bytes[++i] ?? 0;
        form = FORM_OF[byte] ?? 0;
      } while (form !== 0);
      if (forms === LETTER_FORM && BEGINS_DETAIL[byte] === 0 && !mayMeanMore(first, i - begin)) out.length = at;
      else i = this.#word(begin, i, forms);
    }
  }

  /** A word that may be a value, or whose value may go on behind it. Its bytes stand behind what is written already. */
  #word(from: number, end: number, forms: number): number {
    const bytes = this.#bytes;
    const next = bytes[end] ?? 0;
    const address = next === COLON ? addressEnd(bytes, from, end, this.#end) : -1;
    if (address > 0) return this.#value(address);
    const trimmed = withoutFinalDots(bytes, from, end);
    if (isValueByForm(bytes, from, trimmed, forms)) return this.#value(end);
    const meaning = isOfLetters(bytes, from, trimmed, forms) ? meaningOf(bytes, from, trimmed) : NO_MEANING;
    // A stack trace that was appended to a message says where, no longer what.
    if (meaning === TRACE_MEANING && this.#out.length > 0) return this.#end;
    const isRequest = meaning === METHOD_MEANING && (this.#out.length === 0 || this.#isBehindStatus(from));
    const request = isRequest ? readPlainRequest(bytes, from, end, this.#end, this.#from) : undefined;
    if (request) return this.#request(request);
    // `GET /orders` alone would leave nothing to tell it by.
    const isWhole = isRequest && endOfToken(bytes, end + 1, this.#end) >= this.#end;
    if (!isWhole && this.#isValueByMeaning(meaning)) return this.#value(end);
    const dump = next === OPEN_CURLY || next === OPEN_ROUND ? this.#enclosed.objectDumpEnd(end) : -1;
    if (dump > 0) return this.#value(dump);
    this.#out.length += end - from;
    return end;
  }

  /** Directly behind the status that the text begins with. */
  #isBehindStatus(from: number): boolean {
    return from === this.#from + STATUS_LENGTH + 1 && isStatus(this.#bytes, this.#from, from);
  }

  /**
   * Words of letters that are values by what they mean and where they stand: a unit after a number, a part of a date,
   * true.
   */
  #isValueByMeaning(meaning: number): boolean {
    if (meaning === LITERAL_MEANING) return this.#out.length > 0;
    if (meaning === UNIT_MEANING) return this.#out.endsInWildcard();
    return meaning !== NO_MEANING && meaning !== TRACE_MEANING;
  }

  /** The line says which request it was and how it ended, nothing else. */
  #request({ method, path, status }: NonNullable<ReturnType<typeof readAccessLine>>): number {
    this.#out.clear();
    writeRequest(this.#out, this.#bytes, method, path, status);
    return this.#end;
  }

  #value(end: number): number {
    this.#out.wildcard();
    return end;
  }

  /** Writes what begins with punctuation at `i` and returns the index after it. */
  #punctuation(i: number): number {
    const byte = this.#bytes[i] ?? 0;
    if (QUOTES[byte] === 1) return this.#quoted(i, byte);
    if (byte === EQUALS) return this.#assignment(i);
    if (byte === OPEN_SQUARE) return this.#list(i);
    if (byte === OPEN_ROUND) return this.#isCallAt(i) ? this.#arguments(i) : this.#restatement(i);
    // nginx writes the request behind the message, with fields that some requests have and others have not.
    if (byte === COMMA && startsWith(this.#bytes, i, ', client: ')) return this.#end;
    const name = byte === LESS ? bracketedNameEnd(this.#bytes, i, this.#end) : -1;
    if (name > 0) return this.#value(name);
    // `<1 sec`: the comparison is part of the value.
    const isBound = (byte === LESS || byte === GREATER) && CLASS_OF[this.#at(i + 1)] === DIGIT;
    if (!isBound) this.#out.append(byte);
    return i + 1;
  }

  /** Directly behind a word. */
  #isCallAt(open: number): boolean {
    return open > this.#from && CLASS_OF[this.#at(open - 1)] === LETTER;
  }

  /** What stands between the brackets of a call varies with the call; `close()` has nothing. */
  #arguments(open: number): number {
    const close = this.#enclosed.closingBracket(open);
    this.#out.append(OPEN_ROUND);
    return close > open + 1 ? this.#value(close) : open + 1;
  }

  /**
   * `[a, b, c]` with commas is a collection, and so is `[]`: its length varies with its contents. What a line begins
   * with in brackets, with a value in it, is its context.
   */
  #list(open: number): number {
    this.#out.append(OPEN_SQUARE);
    const close = this.#enclosed.closingBracket(open);
    const isContext =
      this.#out.length === 1 && close > 0 && this.#at(close + 1) !== 0 && hasValue(this.#bytes, open, close);
    const isEmpty = close === open + 1;
    return close > 0 && (isEmpty || isContext || hasByte(this.#bytes, COMMA, open, close))
      ? this.#value(close)
      : open + 1;
  }

  /**
   * Quoted text is quoted because it varies; a request keeps its method, unless it is the value of a field:
   * `request: "GET …"`. A request with its status makes the whole line an access line.
   */
  #quoted(open: number, quote: number): number {
    const bytes = this.#bytes;
    const request = quote === DOUBLE_QUOTE ? readAccessLine(bytes, this.#from, open, this.#end) : undefined;
    if (request) return this.#request(request);
    const isApostrophe = quote !== DOUBLE_QUOTE && open > this.#from && isWordByte(bytes[open - 1]);
    const close = isApostrophe ? -1 : this.#enclosed.closingQuote(open, quote);
    if (close < 0) {
      this.#out.append(quote);
      return open + 1;
    }
    const isField = bytes[open - 2] === COLON && bytes[open - 1] === BLANK;
    const method = isField ? -1 : methodEnd(bytes, open + 1, this.#end);
    // `DELETE FROM carts` is no request.
    if (method > 0 && isPathAt(bytes, method)) this.#out.appendBytes(bytes, open + 1, method + 1);
    return this.#value(close + 1);
  }

  /** `key=value`, `key= value` and `key = value`: the key stays, the value goes, also when it is empty. */
  #assignment(i: number): number {
    this.#out.append(EQUALS);
    this.#assignments++;
    const before = i > this.#from ? (this.#bytes[i - 1] ?? 0) : 0;
    if (BEFORE_OPERATOR[before] === 1 || AFTER_OPERATOR[this.#at(i + 1)] === 1) return i + 1;
    const value = skipSpace(this.#bytes, i + 1, this.#end);
    // `rpc error: code = Internal desc = …`: a gRPC status ends in free text.
    if (value > i + 1 && startsWith(this.#bytes, i - 6, ' desc = ')) return this.#value(this.#end);
    const end = this.#enclosed.fieldValueEnd(value);
    const startsNextKey = value > i + 1 && this.#at(end) === EQUALS;
    return this.#value(startsNextKey || value >= this.#end ? i + 1 : end);
  }

  /** `10.0.0.7 (db.example.org)` and `10.0.0.7 ()`: one host name in brackets after an address says the same again. */
  #restatement(open: number): number {
    if (this.#out.endsInWildcard() && this.#out.atTokenStart()) {
      let close = open + 1;
      while (isWordByte(this.#at(close))) close++;
      if (this.#at(close) === CLOSE_ROUND) return this.#value(close + 1);
    }
    this.#out.append(OPEN_ROUND);
    return open + 1;
  }

  /** 0 behind the end. */
  #at(i: number): number {
    return i < this.#end ? (this.#bytes[i] ?? 0) : 0;
  }
}
