import type { Note, Operands, Programs } from '../grammar.ts';
import {
  entry,
  file,
  interval,
  listOf,
  many,
  matching,
  name,
  names,
  number,
  oneOf,
  repeats,
  text,
  time,
} from '../values.ts';

const pids = matching(/^\d{1,10}([, ]\d{1,10})*$/, 'a process id');
const format = matching(
  /^(?!.*environ)[a-z%_][\w%]*(:\d{1,4})?(=[\w %]*)?([, ][a-z%_][\w%]*(:\d{1,4})?(=[\w %]*)?)*$/,
  'a list of columns',
);

/** `:8080`, `TCP@10.0.0.5:443`: hosts in figures, for a name would be looked up. */
const internetAddress = matching(
  /^[46]?(TCP|UDP|tcp|udp)?(@(\d[\d.]*|\[[\da-fA-F:.]+\]))?(:[\w,-]+)?$/,
  'an address in figures or an absolute path',
);

/** `vmstat`, `vmstat 1 5`: an interval without a count never ends. */
const intervalAndCount: Operands = (words, note) => {
  const numbers = words.filter((word) => /^[\d.]+$/.test(word));
  if (numbers.length !== words.length)
    return `'${words.find((word) => !numbers.includes(word)) ?? ''}' has no place here`;
  if (numbers.length === 1) return 'never ends with an interval and no count; give both: 1 5';
  if (numbers.length > 2) return 'takes an interval and a count';
  return numbers.length === 0 ? undefined : (interval(numbers[0] ?? '', note) ?? repeats(numbers[1] ?? '', note));
};
/** `iostat -x sda 1 3`: devices in front of the interval. */
const devicesIntervalAndCount: Operands = (words, note, options) => {
  const first = words.findIndex((word) => /^[\d.]+$/.test(word));
  const devices = first < 0 ? words : words.slice(0, first);
  return (
    many(matching(/^[A-Za-z][\w./-]*$/, 'a device'))(devices, note, options) ??
    intervalAndCount(words.slice(devices.length), note, options)
  );
};

/** Processes and what they use. */
export const processes: Programs = {
  ps: { reads: (words, note) => readPs(words, note) },
  top: {
    letters: 'bcHiS1',
    words: 'batch-mode',
    values: {
      'n iterations': repeats,
      'd delay': interval,
      'p pid': pids,
      'o sort-override': matching(/^[+-]?[\w%]+$/, 'a column'),
      'w width': number,
      'u U': name,
      'E e': oneOf('k m g t p e'),
    },
    rule: ({ options }) =>
      (options.has('b') || options.has('batch-mode')) && (options.has('n') || options.has('iterations'))
        ? undefined
        : 'is interactive; use top -b -n 1',
  },
  pgrep: {
    letters: 'aflnovwxic',
    words: 'list-full list-name full newest oldest inverse exact count ignore-case',
    values: {
      'u euid': names,
      'U uid': names,
      'P parent': pids,
      'g pgroup': pids,
      'G group': names,
      't terminal': names,
      'd delimiter': text,
      's session': pids,
    },
    operands: many(text, 0, 1),
  },
  pidof: { letters: 'sxcq', operands: many(name, 1) },
  pstree: { letters: 'acghlnpsStTuUA', operands: many(matching(/^[\w.-]+$/, 'a process id or user'), 0, 1) },
  pmap: { letters: 'dqxX', words: 'device extended quiet', operands: many(pids, 1) },
  pwdx: { operands: many(pids, 1) },
  lsof: {
    letters: 'aCbhlnOPRtUvVwXN',
    values: {
      p: listOf(matching(/^\^?\d+$/, 'a process id')),
      u: text,
      c: text,
      d: text,
      g: listOf(pids),
      F: matching(/^\w*$/, 'fields'),
    },
    optional: {
      i: internetAddress,
      s: matching(/^(TCP|UDP|tcp|udp):[\w,^]+$/, 'a state'),
      S: number,
    },
    operands: (words, note) =>
      words
        .map((word) => {
          if (/^\+(L\d?|c\d+|D|d)$/.test(word)) return undefined;
          if (word.startsWith('+')) return `option ${word} is not known to only read`;
          // What is no path may be the address of a `-i` in front of it.
          return word.startsWith('/') ? entry(word, note) : internetAddress(word, note);
        })
        .find(Boolean),
  },
  fuser: {
    letters: 'acflMmsuv46',
    words: 'mount verbose user',
    values: { 'n namespace': oneOf('file tcp udp') },
    operands: many(matching(/^(\/[\w./-]*|[\w,]+(\/(tcp|udp))?)$/, 'a file or port'), 1),
  },
  lsns: { letters: 'Jlnrup', values: { 'o output': text, 't type': name }, operands: many(pids, 0, 1) },
  ipcs: { letters: 'aqmstpclub', words: 'all queues shmems semaphores limits summary human' },
  free: {
    letters: 'bkmghtlwvL',
    words: 'bytes kibi mebi gibi tebi kilo mega giga human si lohi total wide line committed',
    values: { 'c count': repeats, 's seconds': interval },
    rule: ({ options }) =>
      options.has('s') || options.has('seconds')
        ? options.has('c') || options.has('count')
          ? undefined
          : 'never ends with -s and no -c'
        : undefined,
  },
  vmstat: {
    letters: 'adDfmnstwy',
    words: 'active disk disk-sum forks slabs one-header stats timestamp wide',
    values: { 'S unit': oneOf('k K m M'), 'p partition': name },
    operands: intervalAndCount,
  },
  iostat: {
    letters: 'cdhkmNstxyz',
    words: 'human pretty compact dec=0 dec=1 dec=2',
    values: { p: matching(/^[\w,]+$/, 'a device'), o: oneOf('JSON'), j: name, g: name },
    operands: devicesIntervalAndCount,
  },
  mpstat: {
    letters: 'AnuTV',
    values: {
      P: matching(/^(ALL|ON|[\d,-]+)$/, 'a processor'),
      I: oneOf('SUM CPU SCPU ALL'),
      N: matching(/^(ALL|[\d,-]+)$/, 'a node'),
      o: oneOf('JSON'),
    },
    operands: intervalAndCount,
  },
  // Not -e: it starts a program.
  pidstat: {
    letters: 'dDhHIlRrsTtuUvVw',
    words: 'human',
    values: {
      p: matching(/^(ALL|SELF|[\d,]+)$/, 'a process id'),
      C: text,
      G: text,
      T: oneOf('TASK CHILD ALL'),
      U: name,
    },
    operands: intervalAndCount,
  },
  // Not -o: it writes a file.
  sar: {
    letters: 'AbBdFHhpqrRStuvVwWyz',
    words: 'human pretty',
    values: {
      n: matching(/^[A-Z0-9,]+$/, 'a list of networks'),
      P: matching(/^(ALL|[\d,-]+)$/, 'a processor'),
      f: file,
      s: time,
      e: time,
      i: number,
      m: matching(/^[A-Z,]+$/, 'a list'),
      I: matching(/^(SUM|ALL|[\d,-]+)$/, 'an interrupt'),
      'dev iface': text,
    },
    operands: intervalAndCount,
  },
  iotop: {
    letters: 'bokPatq',
    words: 'batch only processes accumulated',
    values: { 'n iter': repeats, 'd delay': interval, 'p pid': pids, 'u user': name },
    rule: ({ options }) =>
      (options.has('b') || options.has('batch')) && (options.has('n') || options.has('iter'))
        ? undefined
        : 'is interactive; use iotop -b -n 1',
  },
  slabtop: {
    letters: 'o',
    words: 'once',
    values: { 's sort': oneOf('a b c l v n o p s u') },
    rule: ({ options }) => (options.has('o') || options.has('once') ? undefined : 'is interactive; use slabtop -o'),
  },
  numastat: { letters: 'cmnsvz', values: { p: pids }, operands: many(pids) },
  numactl: { letters: 'Hs', words: 'hardware show' },
  uptime: { letters: 'psV', words: 'pretty since version' },
};

/** The letters of BSD style: everything but `e`, which shows the environment of every process. */
const BSD = /^[aAfghHjlLmnrsSTuUvwxX]+$/;
const BSD_FORMAT = /^([aAfghHjlLmnrsSTuUvwxX]*)o$/;
const WITH_VALUE = /^-([aAcdefFhHjlLMNPTwyZ]*)([oOpCuUgGtqsk])(.*)$/;
const PLAIN = /^-[aAcdefFHjlLMTwyZ]+$/;
const LONG = /^--(forest|headers|no-headers|no-heading|cumulative|info|context|deselect)$/;
const LONG_WITH_VALUE =
  /^--(sort|format|pid|ppid|user|User|group|Group|sid|tty|cols|columns|width|rows|lines|quick-pid)(?:=(.*))?$/;

/** Letters that are options when a ps reads everything in BSD's style, because what it was given in the other style is not there: `-e -u x`. */
const READ_AS_BSD = /^[aAfghHjlLmnrsSTuUvwxX]+(o.*)?$/;

/** `ps aux`, `ps -ef`, `ps -eo pid,comm --sort=-%mem`, `ps axo pid,cmd`. */
function readPs(words: readonly string[], note: Note): string | undefined {
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    // Without a user x it is read as BSD's `aux`, and so are all other options then: `-e` would show environments.
    if (word === '-aux' && words.some((other) => /^-[a-zA-Z]*e/.test(other)))
      return 'write ps aux without other options';
    if (PLAIN.test(word) || LONG.test(word) || word === '-aux') continue;
    const [, , letter = '', attached = ''] = WITH_VALUE.exec(word) ?? [];
    const [, long = '', value] = LONG_WITH_VALUE.exec(word) ?? [];
    if (letter !== '' || long !== '') {
      const given = letter === '' ? (value ?? words[++i]) : attached === '' ? words[++i] : attached;
      if (letter !== '' && attached !== '' && !/^[oOpC]$/.test(letter))
        return `write the value of -${letter} as a word of its own`;
      const check = /^[oO]$|^format$/.test(letter + long) ? format : matching(/^[\w%,.:+@ /-]+$/, 'a value');
      const why = given === undefined ? `${word} needs a value` : check(given, note);
      if (why) return why;
      if (
        /^[uUgGs]$|^(user|User|group|Group|sid)$/.test(letter + long) &&
        given !== 'root' &&
        READ_AS_BSD.test(given ?? '')
      )
        return `'${given ?? ''}' may be read as options; name users and groups by their number`;
    } else if (BSD_FORMAT.test(word)) {
      const why = format(words[++i] ?? '', note);
      if (why) return why;
    } else if (!BSD.test(word) && pids(word, note) !== undefined) {
      return word.includes('e') && /^[a-zA-Z]+$/.test(word)
        ? `'${word}' shows the environment of processes`
        : `option ${word} is not known to only read`;
    }
  }
  return undefined;
}
