import type { Check, Note, Operands, Reading } from './grammar.ts';
import { whyNotRead } from './paths.ts';

export const text: Check = () => undefined;

export function matching(shape: RegExp, what: string): Check {
  return (value) => (shape.test(value) ? undefined : `'${value}' is not ${what}`);
}

export function oneOf(words: string): Check {
  const known = words.split(' ');
  return (value) => (known.includes(value) ? undefined : `'${value}' is not one of ${known.join(', ')}`);
}

export function listOf(check: Check): Check {
  return (value, note) =>
    value
      .split(',')
      .map((item) => check(item, note))
      .find((why) => why !== undefined);
}

export const number = matching(/^[+-]?\d{1,9}$/, 'a number');
export const size = matching(/^[+-]?\d{1,12}[a-zA-Z]{0,3}$/, 'a size');
export const duration = matching(/^\d{1,6}(\.\d+)?(ms|s|m|h|d|w)?(\d{1,6}(s|m|h))*$/, 'a duration');
export const time = matching(/^[\w .:,+/@-]{1,60}$/, 'a time');
export const name = matching(/^[A-Za-z0-9_@][\w.@:+/\\-]*$/, 'a name');
export const names = listOf(name);
/** A name that may hold a glob: the program looks names up in its own list, not in the file system. */
export const namePattern = matching(/^[\w@*?[\]][\w.@:+/\\*?[\]-]*$/, 'a name');
export const columns = matching(/^\+?[\w%:+.,-]+$/, 'a list of columns');
export const address = matching(/^[\w.:%/*[\]-]+$/, 'an address');

/** How often something that repeats may do so: what has no end is no reading. */
export const interval = matching(/^\d{1,2}(\.\d+)?$/, 'an interval of less than 100 seconds');
export const repeats = matching(/^([1-9]|[1-9]\d|100)$/, 'a number of repeats from 1 to 100');

function path(how: Reading['how']): Check {
  return (value, note) => {
    if (value === '-') return undefined;
    note({ path: value, how });
    return whyNotRead(value, how);
  };
}

/** A file whose content is read. */
export const file = path('content');
/** A certificate: public, also beside its key. `http:…` would be fetched, `file:…` is a path by another name. */
export const certificate: Check = (value, note) =>
  value.includes(':') ? `'${value}' is no path of a file` : path('certificate')(value, note);
/** A folder of which every file is read. */
export const tree = path('tree');
/** A file or folder of which names, sizes and times are read. */
export const entry = path('entry');
/** `/dev/sda`: asked for its state, not read. */
export const device = matching(/^\/dev\/[A-Za-z0-9][\w/-]*$/, 'a device');

/** Any number of words (from `least` to `most`) of one kind. */
export function many(check: Check, least = 0, most = 100): Operands {
  return (words, note) => {
    if (words.length < least) return `needs ${least === 1 ? 'an argument' : `${least} arguments`}`;
    if (words.length > most) return `'${words[most] ?? ''}' is one argument too many`;
    return firstFault(words, check, note);
  };
}

/** Words of different kinds: `first` one each, then any number of `rest`. */
export function sequence(first: readonly Check[], rest: Operands): Operands {
  return (words, note, options) => {
    if (words.length < first.length) return `needs ${first.length} arguments`;
    const fault = first.map((check, i) => check(words[i] ?? '', note)).find((why) => why !== undefined);
    return fault ?? rest(words.slice(first.length), note, options);
  };
}

export function firstFault(words: readonly string[], check: Check, note: Note): string | undefined {
  return words.map((word) => check(word, note)).find((why) => why !== undefined);
}
