import { classOf, DIGIT, JOINT, LETTER } from './character-class.ts';

const DOT = 46;
const SLASH = 47;
const BACKSLASH = 92;
const AT = 64;
const LOWER_CASE = 32;
const LETTER_F = 102;
const MIN_HEX = 8;

const UNITS = new Set(
  (
    'b kb mb gb tb kib mib gib bytes byte ns us µs ms s sec secs second seconds min mins minute minutes h hour hours ' +
    'd day days msec usec microseconds milliseconds khz mhz ghz utc gmt cet cest est edt pst pdt'
  ).split(' '),
);
const DATE_WORDS = new Set('mon tue wed thu fri sat sun jan feb mar apr may jun jul aug sep oct nov dec'.split(' '));
const LITERALS = new Set('true false null nil none nan undefined'.split(' '));
const LITERAL_INITIALS = new Set([...LITERALS].map((word) => word.charCodeAt(0)));

/**
 * One word (letters, digits and what joins them) and what its form tells. One instance is used again for every word:
 * making an object for each would cost more than reading it.
 */
export class WordForm {
  from = 0;
  /** After the word, dots at its end included. */
  end = 0;
  /** After the word without the dots that close a sentence. */
  trimmedEnd = 0;
  letters = 0;
  #text = '';
  #digits = 0;
  #slashes = 0;
  #dots = 0;
  #marks = 0;
  #isHex = true;

  /** Reads the word that begins at `from`; the character there must be a word character. */
  read(text: string, from: number, limit: number): void {
    let letters = 0;
    let digits = 0;
    let slashes = 0;
    let dots = 0;
    let marks = 0;
    let isHex = true;
    let i = from;
    for (; i < limit; i++) {
      const code = text.charCodeAt(i);
      const kind = classOf(code);
      if (kind === LETTER) {
        letters++;
        if ((code | LOWER_CASE) > LETTER_F) isHex = false;
      } else if (kind === DIGIT) digits++;
      else if (kind !== JOINT) break;
      else if (code === SLASH) slashes++;
      else if (code === DOT) dots++;
      else if (code === BACKSLASH || code === AT) marks++;
    }
    let trimmedEnd = i;
    while (trimmedEnd > from + 1 && text.charCodeAt(trimmedEnd - 1) === DOT) trimmedEnd--;
    this.#text = text;
    this.from = from;
    this.end = i;
    this.trimmedEnd = trimmedEnd;
    this.letters = letters;
    this.#digits = digits;
    this.#slashes = slashes;
    this.#dots = dots;
    this.#marks = marks;
    this.#isHex = isHex;
  }

  /** True for words that are values by their form: with digits, paths, long hexadecimal numbers, mail addresses. */
  isValue(): boolean {
    if (this.#digits > 0 || this.#slashes > 1) return true;
    const length = this.trimmedEnd - this.from;
    const first = this.#text.charCodeAt(this.from);
    if (this.#slashes === 1 && length > 1 && (first === SLASH || first === DOT)) return true;
    if (this.#isHex && length >= MIN_HEX && this.letters === length) return true;
    return this.#marks > 0 && this.letters > 0 && (this.#dots > 0 || first === BACKSLASH);
  }

  isUnit(): boolean {
    return UNITS.has(this.#lowerCase(7));
  }

  /** true, null and their like. */
  isLiteral(): boolean {
    return LITERAL_INITIALS.has(this.#text.charCodeAt(this.from) | LOWER_CASE) && LITERALS.has(this.#lowerCase(9));
  }

  /** A weekday or a month, in three letters, that a number or another such word follows. */
  isPartOfDate(): boolean {
    if (this.letters !== 3 || this.end - this.from !== 3 || !DATE_WORDS.has(this.#lowerCase(3))) return false;
    const next = this.end + 1;
    return (
      classOf(this.#text.charCodeAt(next)) === DIGIT ||
      classOf(this.#text.charCodeAt(next + 1)) === DIGIT ||
      DATE_WORDS.has(this.#text.slice(next, next + 3).toLowerCase())
    );
  }

  #lowerCase(maxLength: number): string {
    const length = this.trimmedEnd - this.from;
    return length > maxLength || this.letters !== length
      ? ''
      : this.#text.slice(this.from, this.trimmedEnd).toLowerCase();
  }
}
