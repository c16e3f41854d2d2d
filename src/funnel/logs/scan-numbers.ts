/** A number that stands for itself: no part of a word, a date, a time of day, an address, a path or a version. */
export interface ScannedNumber {
  /** Where it begins, its sign included. */
  readonly at: number;
  readonly value: number;
  /** The word that touches it, or the one behind a blank, in lower case; empty when there is none. */
  readonly unit: string;
}

const codeOf = (character: string): number => character.charCodeAt(0);
const MINUS = codeOf('-');
const PLUS = codeOf('+');
const DOT = codeOf('.');
const COMMA = codeOf(',');
const SLASH = codeOf('/');
const COLON = codeOf(':');
const BLANK = codeOf(' ');
const PERCENT = codeOf('%');
const MICRO = codeOf('µ');
const UNDERSCORE = codeOf('_');
const MAX_DIGITS = 15;
const MAX_UNIT = 12;

/** The numbers of a line, from left to right. `1m2.5s` is 62.5 with unit `s`. */
export function scanNumbers(text: string): readonly ScannedNumber[] {
  const numbers: ScannedNumber[] = [];
  for (let i = 0; i < text.length;) {
    if (!isDigit(text.charCodeAt(i))) {
      i++;
      continue;
    }
    const end = endOfNumber(text, i);
    const number = beginsAlone(text, i) && end - i <= MAX_DIGITS ? readNumber(text, i, end) : undefined;
    if (number) numbers.push(number);
    i = endOfWord(text, end);
  }
  return numbers;
}

function readNumber(text: string, start: number, numberEnd: number): ScannedNumber | undefined {
  let end = numberEnd;
  let minutes = 0;
  if (text[end] === 'm' && isDigit(text.charCodeAt(end + 1))) {
    minutes = Number(text.slice(start, end));
    end = endOfNumber(text, end + 1);
  }
  const digits = minutes > 0 ? text.slice(numberEnd + 1, end) : text.slice(start, end);
  const attached = endOfWord(text, end);
  const unit = attached > end ? text.slice(end, attached) : unitBehindBlank(text, end);
  if (attached - end > MAX_UNIT || !endsAlone(text, attached)) return undefined;
  const isNegative = text.charCodeAt(start - 1) === MINUS;
  const value = Number(digits) + 60 * minutes;
  return { at: isNegative ? start - 1 : start, value: isNegative ? -value : value, unit: unit.toLowerCase() };
}

function unitBehindBlank(text: string, end: number): string {
  if (text.charCodeAt(end) !== BLANK) return '';
  const wordEnd = endOfWord(text, end + 1);
  return wordEnd - end - 1 <= MAX_UNIT && !isDigit(text.charCodeAt(end + 1)) ? text.slice(end + 1, wordEnd) : '';
}

function endOfNumber(text: string, start: number): number {
  let end = start;
  while (isDigit(text.charCodeAt(end))) end++;
  if (text.charCodeAt(end) === DOT && isDigit(text.charCodeAt(end + 1))) {
    end++;
    while (isDigit(text.charCodeAt(end))) end++;
  }
  return end;
}

function beginsAlone(text: string, start: number): boolean {
  const before = text.charCodeAt(start - 1);
  const beforeThat = text.charCodeAt(start - 2);
  if (before === MINUS) return !isWord(beforeThat);
  if (before === COLON) return !isDigit(beforeThat);
  if (before === SLASH) return isDigit(beforeThat);
  return !isWord(before) && before !== DOT && before !== PLUS;
}

function endsAlone(text: string, end: number): boolean {
  const after = text.charCodeAt(end);
  const isDigitNext = isDigit(text.charCodeAt(end + 1));
  if (after === DOT || after === COMMA) return !isDigitNext;
  if (after === SLASH) return isDigitNext;
  return after !== MINUS && after !== COLON;
}

function endOfWord(text: string, start: number): number {
  let end = start;
  while (isWord(text.charCodeAt(end)) || text.charCodeAt(end) === PERCENT) end++;
  return end;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Letters of ASCII, digits, `_`, `µ`; false behind the ends of the text, where codes are NaN. */
function isWord(code: number): boolean {
  const lower = code | 32;
  return (lower >= 97 && lower <= 122) || isDigit(code) || code === UNDERSCORE || code === MICRO;
}
