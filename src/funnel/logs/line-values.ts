import { scanNumbers } from './scan-numbers.ts';

/** What a value measures, as far as its unit or the name of its field tells. Times are milliseconds, sizes bytes; a `word` measures nothing. */
export type Dimension = 'time' | 'size' | 'percent' | 'number' | 'word';

/** A value at one place of a line: name, dimension and `nth` are the same for the same place of another line of the template. */
export interface LineValue {
  /** What stands before the value: the name of its field, or a word. */
  readonly name: string;
  /** True for `name=value` and `"name": value`. */
  readonly isField: boolean;
  readonly dimension: Dimension;
  /** 1 for the first value of that name and dimension in the line. */
  readonly nth: number;
  /** The number in its base unit, or a word. */
  readonly value: number | string;
}

const UNITS: ReadonlyMap<string, readonly [Dimension, number]> = new Map(
  (
    [
      ['time', 1e-6, 'ns nanos nanoseconds'],
      ['time', 1e-3, 'us µs micros microseconds'],
      ['time', 1, 'ms msec msecs millis millisecond milliseconds'],
      ['time', 1000, 's sec secs second seconds'],
      ['time', 60_000, 'min mins minute minutes'],
      ['time', 3_600_000, 'h hr hour hours'],
      ['size', 1, 'b byte bytes'],
      ['size', 1024, 'kb kib'],
      ['size', 1024 ** 2, 'mb mib'],
      ['size', 1024 ** 3, 'gb gib'],
      ['size', 1024 ** 4, 'tb tib'],
      ['percent', 1, '% percent pct'],
    ] as const
  ).flatMap(([dimension, factor, names]) => names.split(' ').map((name) => [name, [dimension, factor]] as const)),
);

/** Last words of names whose numbers name something and do not grow or shrink, and of times of the day. */
const NAMING = new Set(
  (
    'id uid uuid pid tid gid port seq sequence offset line version epoch term generation hash key thread worker shard partition ' +
    'segment node pod host ip time ts timestamp date nonce trace span session serial build no nr num number'
  ).split(' '),
);

/** A bare number so large is the number of something, or a date. */
const NUMBER_THAT_NAMES = 1e7;

const MAX_VALUES = 24;
/** What is longer is no log line but a document; its values are not compared. */
const MAX_LINE = 500;

/** The values of a line. `places` finds the words that stand where the template has a wildcard (see `wildcardPlaces`). */
export function valuesOf(line: string, places: RegExp | undefined): readonly LineValue[] {
  const text = line.length > MAX_LINE ? line.slice(0, MAX_LINE) : line;
  const values: LineValue[] = [];
  const add = (name: string, isField: boolean, dimension: Dimension, value: number | string) => {
    if (values.length >= MAX_VALUES) return;
    let nth = 1;
    for (const known of values) if (known.dimension === dimension && known.name === name) nth++;
    values.push({ name, isField, dimension, nth, value });
  };
  readNumbers(text, add);
  readWords(text, add);
  if (places) for (const [, name = '', value = ''] of text.matchAll(places)) add(name, false, 'word', value);
  return values;
}

type Add = (name: string, isField: boolean, dimension: Dimension, value: number | string) => void;

function readNumbers(text: string, add: Add): void {
  for (const { at, value, unit } of scanNumbers(text)) {
    const { name, isField } = nameBefore(text, at);
    if (name === '') continue;
    const last = lastWord(name);
    if (NAMING.has(last)) continue;
    const [dimension, factor] = (unit !== '' ? UNITS.get(unit) : undefined) ?? unitOfName(name, last);
    if (dimension === 'number' && Math.abs(value) >= NUMBER_THAT_NAMES) continue;
    add(name, isField, dimension, value * factor);
  }
}

/** `mode=fallback`, `"zone": "eu-1"`. */
function readWords(text: string, add: Add): void {
  for (let i = 1; i < text.length; i++) {
    if (!isAssignment(text[i])) continue;
    let start = i + 1;
    if (text[start] === ' ') start++;
    if (isQuote(text[start])) start++;
    WORD_VALUE.lastIndex = start;
    const value = WORD_VALUE.exec(text)?.[0];
    if (value === undefined) continue;
    const { name } = nameBefore(text, i + 1);
    if (name !== '' && !NAMING.has(lastWord(name))) add(name, true, 'word', value);
  }
}
const WORD_VALUE = /[A-Za-z][\w./-]{0,40}(?=["',\s;)}\]]|$)/y;

/** The word or the name of a field that stands before the value at `at`; an empty name when there is none. */
function nameBefore(text: string, at: number): { readonly name: string; readonly isField: boolean } {
  let end = at;
  if (isQuote(text[end - 1])) end--;
  if (text[end - 1] === ' ') end--;
  const isField = isAssignment(text[end - 1]);
  if (isField || OPENING.has(text[end - 1] ?? '')) end--;
  if (text[end - 1] === ' ') end--;
  if (isField && isQuote(text[end - 1])) end--;
  let start = end;
  while (start > 0 && end - start < MAX_NAME && isNameCode(text.charCodeAt(start - 1))) start--;
  const isName = start < end && !NO_NAME.test(text[start] ?? '');
  return { name: isName ? text.slice(start, end) : '', isField };
}
const MAX_NAME = 40;
const OPENING = new Set('([{<'.split(''));
const NO_NAME = /[\d.-]/;

const isAssignment = (character: string | undefined): boolean => character === '=' || character === ':';
const isQuote = (character: string | undefined): boolean => character === '"' || character === "'";

/** A word character, `.` or `-`. */
function isNameCode(code: number): boolean {
  if (code >= 97) return code <= 122;
  return (code >= 65 && code <= 90) || code === 95 || (code >= 48 && code <= 57) || code === 45 || code === 46;
}

/** `elapsed_ms`, `sizeBytes`: the unit is the last word of the name. One letter is a unit only behind another word. */
function unitOfName(name: string, last: string): readonly [Dimension, number] {
  return (last.length > 1 || name.length > 1 ? UNITS.get(last) : undefined) ?? NO_UNIT;
}
const NO_UNIT = ['number', 1] as const;

/** In lower case and without the `s` of the plural: `ms` of `elapsed_ms`, `bytes` of `sizeBytes`, `id` of `orderIds`. */
function lastWord(name: string): string {
  let start = name.length;
  while (start > 0 && !isBorder(name, start)) start--;
  const word = name.slice(start).toLowerCase();
  const singular = word.length > 2 && word.endsWith('s') ? word.slice(0, -1) : word;
  return NAMING.has(singular) ? singular : word;
}

/** Before `at`: `_`, `.`, `-`, or a capital behind a small letter. */
function isBorder(name: string, at: number): boolean {
  const before = name[at - 1] ?? '';
  if (before === '_' || before === '.' || before === '-') return true;
  const code = name.charCodeAt(at);
  return code >= 65 && code <= 90 && name.charCodeAt(at - 1) >= 97;
}

/** Finds the values at the wildcards that stand behind a word of the template; undefined when there are none. */
export function wildcardPlaces(template: string): RegExp | undefined {
  const words = [...template.matchAll(/(?:^|\s)([\p{L}_-]{2,30}) <\*>(?=\s|$|[,;])/gu)].map((match) => match[1] ?? '');
  if (words.length === 0) return undefined;
  return new RegExp(`(?:^|\\s)(${[...new Set(words)].join('|')})\\s+([\\p{L}_][\\w./-]{0,40})(?=\\s|$|[,;])`, 'gu');
}
