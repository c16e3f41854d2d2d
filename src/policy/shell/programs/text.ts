import type { Note, Programs } from '../grammar.ts';
import { awk } from '../languages/awk.ts';
import { jq, yq } from '../languages/jq.ts';
import { sed } from '../languages/sed.ts';
import { SECRET_NAMES } from './search.ts';
import { file, many, matching, number, oneOf, size, text, sequence, tree } from '../values.ts';

const fields = matching(/^[\d,-]+$/, 'a list of fields');
const key = matching(/^\d+(\.\d+)?[bdfgihMnRrV]*(,\d+(\.\d+)?[bdfgihMnRrV]*)?$/, 'a sort key');
const separator = matching(/^.{0,8}$/, 'a separator');
/** `%d`, `%-20s`: a width of millions is output without an end. */
const format = matching(/^(?:[^%]|%%|%[-+ #0]*\d{0,3}(\.\d{0,3})?[a-zA-Z])*$/, 'a format');
const lines = {
  letters: 'qvz',
  words: 'quiet silent verbose zero-terminated',
  values: { 'n lines': size, 'c bytes': size },
  number: true,
};
const files = many(file);
const someFiles = many(file, 1);

/** Programs that read files or a pipe and print. What writes a second operand (`uniq IN OUT`, `xxd IN OUT`) takes one here. */
export const textPrograms: Programs = {
  cat: {
    letters: 'AbeEnstTuv',
    words: 'show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting',
    operands: files,
  },
  tac: { letters: 'br', words: 'before regex', values: { 's separator': separator }, operands: files },
  head: { ...lines, operands: files },
  // Neither -f, -F nor --retry: nobody waits for the next line.
  tail: {
    ...lines,
    operands: (words, note, options) =>
      // `+5f` is an old way to say -f.
      words.some((word) => /^\+\d*[a-zA-Z]/.test(word))
        ? 'a + begins a number of lines'
        : files(
            words.filter((word) => !/^\+\d{1,9}$/.test(word)),
            note,
            options,
          ),
  },
  nl: {
    letters: 'p',
    words: 'no-renumber',
    values: {
      'b body-numbering': text,
      'n number-format': oneOf('ln rn rz'),
      's number-separator': separator,
      'w number-width': matching(/^\d{1,2}$/, 'a width'),
      'v starting-line-number': number,
      'i line-increment': number,
    },
    operands: files,
  },
  wc: { letters: 'clmwL', words: 'bytes chars lines words max-line-length', operands: files },
  // Neither -o, -T, --compress-program nor --files0-from.
  sort: {
    letters: 'bcCdfghiMmnRrsuVz',
    words:
      'ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort human-numeric-sort numeric-sort reverse ' +
      'version-sort stable unique zero-terminated merge',
    values: {
      'k key': key,
      't field-separator': separator,
      sort: oneOf('general-numeric human-numeric month numeric version'),
      'S buffer-size': matching(/^\d{1,5}[bkKM%]?$/, 'a size up to megabytes'),
    },
    optional: { check: oneOf('quiet silent diagnose-first') },
    operands: files,
  },
  uniq: {
    letters: 'cdDiuz',
    words: 'count repeated ignore-case unique zero-terminated',
    values: { 'f skip-fields': number, 's skip-chars': number, 'w check-chars': number },
    optional: { 'all-repeated': oneOf('none prepend separate'), group: oneOf('separate prepend append both') },
    operands: many(file, 0, 1),
  },
  cut: {
    letters: 'nsz',
    words: 'complement only-delimited zero-terminated',
    values: {
      'b bytes': fields,
      'c characters': fields,
      'f fields': fields,
      'd delimiter': separator,
      'output-delimiter': separator,
    },
    operands: files,
  },
  tr: { letters: 'cCdst', words: 'complement delete squeeze-repeats truncate-set1', operands: many(text, 1, 2) },
  paste: { letters: 'sz', words: 'serial zero-terminated', values: { 'd delimiters': separator }, operands: files },
  join: {
    letters: 'iz',
    words: 'ignore-case check-order nocheck-order header zero-terminated',
    values: {
      'a v': oneOf('1 2'),
      e: text,
      '1 2 j': number,
      t: separator,
      o: matching(/^(auto|[\d.,]+)$/, 'a format'),
    },
    operands: many(file, 2, 2),
  },
  comm: {
    letters: '123z',
    words: 'check-order nocheck-order total zero-terminated',
    values: { 'output-delimiter': separator },
    operands: many(file, 2, 2),
  },
  cmp: {
    letters: 'bls',
    words: 'print-bytes verbose quiet silent',
    values: { 'n bytes': size },
    operands: many(file, 2, 2),
  },
  diff: {
    letters: 'abBcdeEiNnpqrstTuwyZ',
    words:
      'brief report-identical-files unified context side-by-side ignore-case ignore-all-space ignore-space-change ignore-blank-lines recursive new-file text ' +
      'suppress-common-lines minimal show-c-function strip-trailing-cr no-dereference',
    values: {
      U: number,
      C: number,
      'W width': number,
      'x exclude': text,
      'I ignore-matching-lines': text,
      'label L': text,
    },
    optional: { color: oneOf('always never auto') },
    // Of two folders it compares every file that stands in both, also without -r.
    operands: (words, note, options) =>
      many(file, 2, 2)(words, note, options) ?? many(tree, 2, 2)(words, note, options),
    closes: () => SECRET_NAMES.map((glob) => `--exclude=${glob}`),
  },
  fold: { letters: 'bcs', words: 'bytes spaces', values: { 'w width': number }, operands: files },
  fmt: {
    letters: 'cstu',
    words: 'crown-margin split-only tagged-paragraph uniform-spacing',
    values: { 'w width': number, 'g goal': number },
    operands: files,
  },
  'expand unexpand': { letters: 'ai', words: 'all initial first-only', values: { 't tabs': fields }, operands: files },
  rev: { operands: files },
  column: {
    letters: 'tnexJ',
    words: 'table table-noheadings json fillrows',
    values: {
      's separator': separator,
      'o output-separator': separator,
      'c output-width': number,
      'N table-columns': text,
      'R table-right': text,
      'H table-hide': text,
    },
    operands: files,
  },
  od: {
    letters: 'abcdfhilosvx',
    words: 'output-duplicates',
    values: {
      'A address-radix': oneOf('d o x n'),
      't format': matching(/^[acdfoux\dCSILFDz]+$/, 'a format'),
      'N read-bytes': size,
      'j skip-bytes': size,
      'w width': number,
    },
    operands: files,
  },
  'hexdump hd': {
    letters: 'bcCdovx',
    words: 'canonical',
    values: { 'n length': size, 's skip': size },
    operands: files,
  },
  xxd: {
    letters: 'abeiupE',
    values: { 'l len': size, 's seek': size, 'c cols': number, 'g groupsize': number },
    operands: many(file, 0, 1),
  },
  strings: {
    letters: 'afow',
    words: 'all print-file-name',
    values: { 'n bytes': number, 't radix': oneOf('o d x'), 'e encoding': oneOf('s S b l B L') },
    operands: someFiles,
  },
  'base64 base32': {
    letters: 'di',
    words: 'decode ignore-garbage',
    values: { 'w wrap': number },
    operands: many(file, 0, 1),
  },
  numfmt: {
    letters: 'dz',
    words: 'grouping header',
    values: {
      from: oneOf('none auto si iec iec-i'),
      to: oneOf('none si iec iec-i'),
      field: fields,
      'd delimiter': separator,
      suffix: text,
      padding: matching(/^-?\d{1,3}$/, 'a width'),
      round: oneOf('up down from-zero towards-zero nearest'),
      format,
    },
    operands: many(matching(/^[\w.+-]+$/, 'a number')),
  },
  iconv: { letters: 'lc', words: 'list', values: { 'f from-code': text, 't to-code': text }, operands: files },
  shuf: {
    letters: 'ez',
    words: 'echo zero-terminated',
    values: { 'n head-count': number, 'i input-range': matching(/^\d{1,6}-\d{1,6}$/, 'a range') },
    operands: (words, note, options) =>
      options.has('e') || options.has('echo') ? undefined : many(file, 0, 1)(words, note, options),
  },
  tsort: { operands: many(file, 0, 1) },
  seq: {
    letters: 'w',
    words: 'equal-width',
    values: { 's separator': separator, 'f format': format },
    operands: many(matching(/^-?\d{1,6}(\.\d{1,6})?$/, 'a number'), 1, 3),
  },
  echo: { reads: () => undefined },
  printf: {
    reads: (words, note) =>
      words[0]?.startsWith('-') === true
        ? `option ${words[0]} is not known to only read`
        : sequence([format], many(text))(words, note, new Map()),
  },
  'true false': { operands: many(text, 0, 0) },
  test: { reads: (words, note) => readTest(words, note) },
  '[': {
    reads: (words, note) => (words.at(-1) === ']' ? readTest(words.slice(0, -1), note) : 'has no `]` at its end'),
  },
  sed,
  awk,
  'gawk mawk nawk': awk,
  jq,
  yq,
  zcat: { operands: someFiles, letters: 'fq', runs: ['gzip', '-cd'] },
  bzcat: { operands: someFiles, runs: ['bzip2', '-cd'] },
  xzcat: { operands: someFiles, runs: ['xz', '-cd'] },
  zstdcat: { operands: someFiles, runs: ['zstd', '-cdq'] },
  gzip: {
    letters: 'lvq',
    words: 'list verbose quiet',
    operands: someFiles,
    rule: ({ options }) => (options.has('l') || options.has('list') ? undefined : 'only lists here (-l); zcat reads'),
  },
};

const ABOUT_A_FILE = /^-[bcdefghkLOGNprsSuwx]$/;
const BETWEEN = /^(=|==|!=|-(eq|ne|lt|le|gt|ge|nt|ot|ef))$/;

/** `test -f PATH`, `test A = B`; no brackets, no `-a`, no `-o`. */
function readTest(words: readonly string[], note: Note): string | undefined {
  const [first = '', second = '', third = ''] = words[0] === '!' ? words.slice(1) : words;
  const count = words.length - (words[0] === '!' ? 1 : 0);
  if (count === 2 && /^-[nz]$/.test(first)) return undefined;
  if (count === 2 && ABOUT_A_FILE.test(first)) return file(second, note);
  if (count === 3 && BETWEEN.test(second))
    return /^-(nt|ot|ef)$/.test(second) ? (file(first, note) ?? file(third, note)) : undefined;
  return 'is more than one comparison';
}
