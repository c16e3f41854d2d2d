import { byteSet, CLASS_OF, DIGIT, isDigit, isWordByte, LETTER, skipDigits, skipSpace } from './character-class.ts';
import { WordTable } from './word-table.ts';

const BLANK = 32;
const CLOSE_ROUND = 41;
const CLOSE_SQUARE = 93;
const COLON = 58;
const COMMA = 44;
const DASH = 45;
const DOT = 46;
const OPEN_ROUND = 40;
const OPEN_SQUARE = 91;
const PLUS = 43;
const SLASH = 47;

const MONTHS = new WordTable('Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' '));
const WEEKDAYS = new WordTable('Mon Tue Wed Thu Fri Sat Sun'.split(' '));
const ZONES = new WordTable(
  (
    'Z UTC GMT WET WEST CET CEST EET EEST BST IST MSK SAST EST EDT CST CDT MST MDT PST PDT AKST AKDT HST JST KST HKT SGT ' +
    'AEST AEDT ACST ACDT AWST NZST NZDT BRT ART PKT ICT WIB'
  ).split(' '),
);

const DATE_SEPARATOR = byteSet('-/.');
const FRACTION_MARK = byteSet('.,:');
const FOLLOWS_TIME = byteSet('\0\t\n\r ]),|:;-');
const FOLLOWS_EPOCH = byteSet(' ,:|]');
/** Brackets, digits, and the letters that months and weekdays begin with. */
const BEGINS_TIME = byteSet('[(0123456789JFMASONDTW');
const LETTER_T = 84;
const LETTER_M = 77;
const MAX_NUMBER = 20;

/**
 * Index after the time that is written at `at`, brackets round it included; -1 when there is none. Forms: ISO 8601 and its
 * relatives with `/` and `.`, day and month with or without a year, `Mar  4`, `Wed Mar 04 … 2026`, `04/Mar/2026:…`,
 * `20260304 101112`, `260304 10:11:12`, epoch in seconds to nanoseconds, seconds since boot, a clock alone.
 */
export function timeEnd(bytes: Uint8Array, at: number, end: number): number {
  return BEGINS_TIME[bytes[at] ?? 0] === 0 ? -1 : wholeTimeEnd(bytes, at, end);
}

function wholeTimeEnd(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at] ?? 0;
  const isBracketed = first === OPEN_SQUARE || first === OPEN_ROUND;
  const from = isBracketed ? at + 1 : at;
  const after = isDigit(bytes[from]) ? numericTimeEnd(bytes, from, end) : namedTimeEnd(bytes, from, end);
  if (after < 0) return isBracketed ? sinceBootEnd(bytes, from, end) : -1;
  if (after >= end) return after;
  const next = bytes[after] ?? 0;
  if (FOLLOWS_TIME[next] === 0) return -1;
  return next === CLOSE_SQUARE || next === CLOSE_ROUND ? after + 1 : after;
}

/** The number of leading digits tells which form it can be. */
function numericTimeEnd(bytes: Uint8Array, at: number, end: number): number {
  const stop = skipDigits(bytes, at, Math.min(end, at + MAX_NUMBER));
  const next = bytes[stop] ?? 0;
  switch (stop - at) {
    case 1:
    case 2:
      if (next === COLON) return clockEnd(bytes, at, end);
      return dayFirstEnd(bytes, stop, end);
    case 4:
      return DATE_SEPARATOR[next] === 1 ? yearFirstEnd(bytes, stop, end) : -1;
    case 6:
      return next === BLANK ? sixDigitsEnd(bytes, stop, end) : -1;
    case 8:
      return compactEnd(bytes, stop, end);
    case 14:
      return zoneEnd(bytes, fractionEnd(bytes, stop, end), end);
    case 10:
    case 13:
    case 16:
    case 19: {
      const after = next === DOT && stop - at === 10 ? fractionEnd(bytes, stop, end) : stop;
      return after < end && FOLLOWS_EPOCH[bytes[after] ?? 0] === 1 ? after : -1;
    }
    default:
      return -1;
  }
}

/** `-11-20T10:00:00.123Z` and its relatives, from behind the year. Seconds may be missing where the date is whole. */
function yearFirstEnd(bytes: Uint8Array, afterYear: number, end: number): number {
  const month = fewDigitsEnd(bytes, afterYear + 1, end);
  if (month < 0 || DATE_SEPARATOR[bytes[month] ?? 0] === 0) return -1;
  const day = fewDigitsEnd(bytes, month + 1, end);
  if (day < 0) return -1;
  const hour = afterDateMark(bytes, day, end);
  if (hour < 0) return -1;
  const minute = fewDigitsEnd(bytes, hour, end);
  if (minute < 0 || !isClockMark(bytes[minute]) || !areTwoDigits(bytes, minute + 1)) return -1;
  const afterMinute = minute + 3;
  const hasSeconds = isClockMark(bytes[afterMinute]) && areTwoDigits(bytes, afterMinute + 1);
  const after = hasSeconds ? fractionEnd(bytes, afterMinute + 3, end) : afterMinute;
  return zoneEnd(bytes, after, end);
}

/** The mark between date and clock: `T`, `_`, `-`, one or two blanks, or a comma and a blank. */
function afterDateMark(bytes: Uint8Array, at: number, end: number): number {
  const mark = bytes[at] ?? 0;
  if ((mark | 32) === (LETTER_T | 32) || mark === 95 || mark === DASH) return at + 1;
  const blank = mark === COMMA ? at + 1 : at;
  if (bytes[blank] !== BLANK) return -1;
  return skipSpace(bytes, blank, Math.min(end, blank + 2));
}

/** Behind a day or month of one or two digits: `-03 10:11:12`, `/04/2026, 10:11:12 AM`, ` Mar 2026 10:11:12`, `/Mar/2026:10:11:12`. */
function dayFirstEnd(bytes: Uint8Array, at: number, end: number): number {
  const separator = bytes[at] ?? 0;
  const isBlank = separator === BLANK;
  if (!isBlank && DATE_SEPARATOR[separator] === 0) return -1;
  if (CLASS_OF[bytes[at + 1] ?? 0] === LETTER) return monthAndYearEnd(bytes, at + 1, end);
  if (isBlank) return -1;
  let day = fewDigitsEnd(bytes, at + 1, end);
  if (day < 0) return -1;
  if (DATE_SEPARATOR[bytes[day] ?? 0] === 1) {
    const year = skipDigits(bytes, day + 1, Math.min(end, day + 5));
    if (year - day >= 3) day = year;
  }
  const mark = bytes[day] === COMMA ? day + 1 : day;
  if (bytes[mark] === LETTER_T) return zonedClockEnd(bytes, mark + 1, end);
  const clock = skipSpace(bytes, mark, end);
  return clock > mark ? zonedClockEnd(bytes, clock, end) : -1;
}

function monthAndYearEnd(bytes: Uint8Array, at: number, end: number): number {
  if (!MONTHS.has(bytes, at, at + 3)) return -1;
  const separator = bytes[at + 3] ?? 0;
  if (separator !== BLANK && separator !== SLASH && separator !== DASH) return -1;
  const year = skipDigits(bytes, at + 4, Math.min(end, at + 8));
  const mark = bytes[year] ?? 0;
  if (year - at < 6 || (mark !== COLON && mark !== BLANK)) return -1;
  return zonedClockEnd(bytes, year + 1, end);
}

/** `Mar  4 10:11:12`, `Wed Mar 04 10:11:12 UTC 2026`, `Wed, 04 Mar 2026 10:11:12 GMT`, `Mar 4, 2026 10:11:12 AM`. */
function namedTimeEnd(bytes: Uint8Array, at: number, end: number): number {
  let from = at;
  if (WEEKDAYS.has(bytes, at, at + 3)) {
    from = bytes[at + 3] === COMMA ? at + 4 : at + 3;
    if (bytes[from] !== BLANK) return -1;
    from++;
    if (isDigit(bytes[from])) {
      const day = fewDigitsEnd(bytes, from, end);
      return day < 0 ? -1 : dayFirstEnd(bytes, day, end);
    }
  }
  if (!MONTHS.has(bytes, from, from + 3) || bytes[from + 3] !== BLANK) return -1;
  const day = fewDigitsEnd(bytes, skipSpace(bytes, from + 3, Math.min(end, from + 5)), end);
  if (day < 0) return -1;
  const clock = zonedClockEnd(bytes, afterYear(bytes, day), end);
  if (clock < 0) return -1;
  const hasYearBehind = bytes[clock] === BLANK && areDigits(bytes, clock + 1, 4) && !isWordByte(bytes[clock + 5]);
  return hasYearBehind && clock + 5 <= end ? clock + 5 : clock;
}

/** Behind `, 2026,` or ` 2026` or nothing, and the blank after it. */
function afterYear(bytes: Uint8Array, day: number): number {
  let at = bytes[day] === COMMA ? day + 1 : day;
  if (bytes[at] === BLANK && areDigits(bytes, at + 1, 4)) {
    at += 5;
    if (bytes[at] === COMMA) at++;
  }
  return bytes[at] === BLANK ? at + 1 : at;
}

/** ` 203615` or ` 10:11:12` behind a date of six digits. */
function sixDigitsEnd(bytes: Uint8Array, at: number, end: number): number {
  const clock = skipSpace(bytes, at, Math.min(end, at + 2));
  const stop = skipDigits(bytes, clock, end);
  if (stop - clock === 6) return bytes[stop] === BLANK ? stop : -1;
  return clockEnd(bytes, clock, end);
}

/** `T101112`, `-22:15:29:606` behind a date of eight digits. */
function compactEnd(bytes: Uint8Array, at: number, end: number): number {
  const mark = bytes[at] ?? 0;
  if (mark !== DASH && mark !== LETTER_T && mark !== BLANK) return -1;
  const stop = skipDigits(bytes, at + 1, end);
  if (stop - at === 7) return zoneEnd(bytes, fractionEnd(bytes, stop, end), end);
  if (bytes[stop] !== COLON || stop - at > 3 || stop === at + 1) return -1;
  const minute = fewDigitsEnd(bytes, stop + 1, end);
  if (minute < 0 || bytes[minute] !== COLON) return -1;
  const second = fewDigitsEnd(bytes, minute + 1, end);
  return second < 0 ? -1 : zoneEnd(bytes, fractionEnd(bytes, second, end), end);
}

function zonedClockEnd(bytes: Uint8Array, at: number, end: number): number {
  const clock = clockEnd(bytes, at, end);
  return clock < 0 ? -1 : zoneEnd(bytes, clock, end);
}

/** `10:11:12.345 PM`; without seconds only with AM or PM. */
function clockEnd(bytes: Uint8Array, at: number, end: number): number {
  const hour = fewDigitsEnd(bytes, at, end);
  if (hour < 0 || bytes[hour] !== COLON || !areTwoDigits(bytes, hour + 1)) return -1;
  const minute = hour + 3;
  if (bytes[minute] !== COLON || !areTwoDigits(bytes, minute + 1)) {
    const half = halfOfDayEnd(bytes, minute);
    return half > minute ? half : -1;
  }
  return halfOfDayEnd(bytes, fractionEnd(bytes, minute + 3, end));
}

function halfOfDayEnd(bytes: Uint8Array, at: number): number {
  const from = bytes[at] === BLANK ? at + 1 : at;
  const isHalf = (bytes[from] === 65 || bytes[from] === 80) && bytes[from + 1] === LETTER_M;
  return isHalf && !isWordByte(bytes[from + 2]) ? from + 2 : at;
}

function fractionEnd(bytes: Uint8Array, at: number, end: number): number {
  const isFraction = FRACTION_MARK[bytes[at] ?? 0] === 1 && isDigit(bytes[at + 1]) && at + 1 < end;
  return isFraction ? skipDigits(bytes, at + 1, end) : at;
}

/** Behind a zone such as `Z`, ` UTC`, `+01:00`; `at` when there is none. */
function zoneEnd(bytes: Uint8Array, at: number, end: number): number {
  const from = bytes[at] === BLANK ? at + 1 : at;
  const sign = bytes[from] ?? 0;
  let stop = at;
  if (sign === PLUS || sign === DASH) {
    const minutes = bytes[from + 3] === COLON ? from + 4 : from + 3;
    if (areTwoDigits(bytes, from + 1) && areTwoDigits(bytes, minutes)) stop = minutes + 2;
  } else if (CLASS_OF[sign] === LETTER) {
    let i = from;
    while (CLASS_OF[bytes[i] ?? 0] === LETTER) i++;
    if (ZONES.has(bytes, from, i)) stop = i;
  }
  return stop <= end && (stop === end || FOLLOWS_TIME[bytes[stop] ?? 0] === 1) ? stop : at;
}

/** The kernel's `[ 1234.567890]`, from behind the bracket. */
function sinceBootEnd(bytes: Uint8Array, at: number, end: number): number {
  const seconds = skipSpace(bytes, at, end);
  const dot = skipDigits(bytes, seconds, end);
  if (dot === seconds || bytes[dot] !== DOT || !areDigits(bytes, dot + 1, 6)) return -1;
  return bytes[dot + 7] === CLOSE_SQUARE ? dot + 8 : -1;
}

/** Index after one or two digits; -1 when there are none or more. */
function fewDigitsEnd(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end || !isDigit(bytes[at])) return -1;
  if (!isDigit(bytes[at + 1])) return at + 1;
  return isDigit(bytes[at + 2]) ? -1 : at + 2;
}

function isClockMark(byte: number | undefined): boolean {
  return byte === COLON || byte === DOT;
}

function areTwoDigits(bytes: Uint8Array, at: number): boolean {
  return CLASS_OF[bytes[at] ?? 0] === DIGIT && CLASS_OF[bytes[at + 1] ?? 0] === DIGIT;
}

function areDigits(bytes: Uint8Array, at: number, count: number): boolean {
  for (let i = at; i < at + count; i++) if (!isDigit(bytes[i])) return false;
  return true;
}
