import type { Note, Programs } from '../grammar.ts';
import { findProgram } from '../languages/find.ts';
import { columns, entry, file, many, matching, number, oneOf, size, text } from '../values.ts';

const when = oneOf('always auto never yes no tty');
const block = matching(/^[\w'+-]{1,12}$/, 'a block size');
const digest = {
  letters: 'bctz',
  words: 'binary check text tag zero ignore-missing quiet status strict warn',
  values: { 'l length': number },
  operands: many(file),
};

const ls = {
  letters: 'aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1',
  words:
    'all almost-all author escape ignore-backups directory dired full-time group-directories-first no-group human-readable si dereference inode kibibytes literal numeric-uid-gid quote-name reverse recursive size context zero hide-control-chars show-control-chars dereference-command-line',
  values: {
    'I ignore': text,
    hide: text,
    'w width': number,
    'T tabsize': number,
    'block-size': block,
    sort: oneOf('none size time version extension name width'),
    time: oneOf('atime access use ctime status birth creation mtime modification'),
    'time-style': text,
    format: oneOf('across commas horizontal long single-column verbose vertical'),
    'indicator-style': oneOf('none slash file-type classify'),
    'quoting-style': oneOf('literal locale shell shell-always shell-escape c escape'),
  },
  optional: { color: when, hyperlink: when, classify: when },
  operands: many(entry),
};

/** Names, sizes, times and sums of files. */
export const files: Programs = {
  'ls dir vdir': ls,
  stat: {
    letters: 'LftZ',
    words: 'dereference file-system terse',
    values: { 'c format': text, printf: text, cached: oneOf('always never default') },
    operands: many(entry, 1),
  },
  // Not -p: it sets the time of the last access.
  file: {
    letters: 'bhikLNr0',
    words: 'brief mime mime-type mime-encoding dereference no-dereference keep-going',
    values: { 'F separator': text },
    operands: many(file, 1),
  },
  readlink: {
    letters: 'femnqsvz',
    words: 'canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero',
    operands: many(entry, 1),
  },
  realpath: {
    letters: 'emLPqsz',
    words: 'canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero',
    values: { 'relative-to': entry, 'relative-base': entry },
    operands: many(entry, 1),
  },
  basename: { letters: 'az', words: 'multiple zero', values: { 's suffix': text }, operands: many(text, 1) },
  dirname: { letters: 'z', words: 'zero', operands: many(text, 1) },
  pwd: { letters: 'LP', words: 'logical physical' },
  tree: {
    letters: 'adfiqNQpugshDFrtcUvxlJCASX',
    words: 'dirsfirst filesfirst noreport du si prune inodes device gitignore ignore-case matchdirs nolinks',
    values: {
      L: number,
      P: text,
      I: text,
      filelimit: number,
      timefmt: text,
      sort: oneOf('name size mtime ctime version'),
      charset: matching(/^[\w-]+$/, 'a charset'),
    },
    operands: many(entry),
  },
  du: {
    letters: 'abcDhHklLmPsSx0',
    words:
      'all apparent-size bytes total dereference-args human-readable si dereference no-dereference separate-dirs summarize one-file-system null inodes count-links',
    values: { 'd max-depth': number, 'B block-size': block, 't threshold': size, exclude: text },
    optional: { time: oneOf('atime access use ctime status mtime'), 'time-style': text },
    operands: many(entry),
  },
  df: {
    letters: 'aHhiklmPTv',
    words: 'all total human-readable si inodes local no-sync portability print-type',
    values: {
      'B block-size': block,
      't type': matching(/^[\w.-]+$/, 'a file system'),
      'x exclude-type': matching(/^[\w.-]+$/, 'a file system'),
    },
    optional: { output: columns },
    operands: many(entry),
  },
  find: findProgram,
  'locate plocate mlocate': {
    letters: 'bceiw0',
    words: 'basename count existing ignore-case wholename',
    values: { 'n limit l': number },
    operands: many(text, 1),
  },
  namei: { letters: 'lmovx', words: 'long modes owners vertical mountpoints', operands: many(entry, 1) },
  mountpoint: { letters: 'dqx', words: 'quiet', operands: many(entry, 1, 1) },
  readelf: {
    letters: 'aehlSsdnrVWIu',
    words: 'all headers file-header segments sections symbols dynamic notes relocs version-info wide',
    operands: many(file, 1),
  },
  nm: {
    letters: 'aAgnopruCDS',
    words: 'dynamic demangle defined-only undefined-only extern-only',
    operands: many(file, 1),
  },
  size: { letters: 'ABdoxt', words: 'totals common', operands: many(file, 1) },
  which: { letters: 'a', words: 'all', operands: many(matching(/^[\w.+-]+$/, 'a name of a program'), 1) },
  whereis: { letters: 'bms', operands: many(matching(/^[\w.+-]+$/, 'a name of a program'), 1) },
  'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum': digest,
  'cksum sum': { letters: 'rs', words: 'sysv', operands: many(file) },
  tar: {
    reads: (words, note) => readTar(words, note),
  },
  'unzip zipinfo': {
    reads: (words, note) => {
      const [option, archive, ...names] = words;
      if (option === undefined || !/^-(l|v|lv|vl|Z1)$/.test(option) || archive === undefined || archive.startsWith('-'))
        return 'only lists an archive: unzip -l FILE';
      return (
        file(archive, note) ??
        names
          .map((name) => (name.startsWith('-') ? `option ${name} is not known to only read` : undefined))
          .find(Boolean)
      );
    },
  },
};

const TAR_WORDS = new Set(
  '--list --verbose --gzip --xz --bzip2 --zstd --auto-compress --utc --full-time --numeric-owner'.split(' '),
);

/** `tar -tzf FILE`, `tar tf FILE`, `tar --list --file=FILE`: lists, and nothing else. */
function readTar(words: readonly string[], note: Note): string | undefined {
  let lists = false;
  const archives: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    const [, letters] = (i === 0 ? /^-?([a-zA-Z]+)$/ : /^-([a-zA-Z]+)$/).exec(word) ?? [];
    const [, named] = /^--file=(.+)$/.exec(word) ?? [];
    if (named !== undefined) archives.push(named);
    else if (word === '--file') archives.push(words[++i] ?? '');
    else if (TAR_WORDS.has(word)) lists ||= word === '--list';
    else if (letters !== undefined) {
      if (!/^[tvzjJa]+f?$/.test(letters))
        return `option ${word} is not known to only read; tar only lists here: tar -tf FILE`;
      lists ||= letters.includes('t');
      if (letters.endsWith('f')) archives.push(words[++i] ?? '');
    } else if (word.startsWith('-')) return `option ${word} is not known to only read`;
  }
  if (!lists || archives.length !== 1) return 'tar only lists one archive here: tar -tf FILE';
  // `host:file` would be fetched from another machine.
  return archives[0]?.includes(':') === true ? 'an archive of another machine' : file(archives[0] ?? '', note);
}
