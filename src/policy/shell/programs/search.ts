import type { Operands, Program, Programs } from '../grammar.ts';
import { file, many, matching, number, oneOf, text, sequence, tree } from '../values.ts';

const context = matching(/^\d{1,5}$/, 'a number of lines');

/** Of a whole tree, everything that is named like a secret is left out; behind the user's `--include`, for the last one wins. */
export const SECRET_NAMES: readonly string[] =
  '.* *.key *.pem *.p12 *.pfx *.jks *.keystore *.keytab *.kubeconfig *.tfstate *.env id_* *_history *secret* *credential* *password* *token*'.split(
    ' ',
  );
const NOT_SEARCHED = ['--exclude-dir=.[!.]*', ...SECRET_NAMES.map((glob) => `--exclude=${glob}`)];

/** What is looked for where passwords are looked for. */
const HUNTED = /passw(or)?d|passphrase|secret|credential|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|token|BEGIN/i;

/** The first word is the pattern unless `-e` gave one; with `-r` folders are read whole. */
const patternAndPaths: Operands = (words, note, options) => {
  const isDeep = options.has('r') || options.has('recursive');
  const given = options.get('e');
  const [patterns, paths] = given ? [given, words] : [words.slice(0, 1), words.slice(1)];
  if (isDeep && patterns.some((pattern) => HUNTED.test(pattern)) && !paths.every((path) => path.startsWith('/var/log')))
    return 'looks for passwords in all files of a folder; only logs are searched for such words';
  return sequence(given ? [] : [text], many(isDeep ? tree : file))(words, note, options);
};

/** `-R` is not listed: it follows links out of the tree. `-f` is not: a file of patterns is a file read aloud. */
const grep: Program = {
  letters: 'abcEFGHhIiLlnoPqrsTUvVwxyzZ',
  words:
    'extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp line-regexp count ' +
    'files-without-match files-with-matches only-matching quiet silent no-messages byte-offset with-filename no-filename line-number ' +
    'initial-tab null text null-data line-buffered recursive version',
  values: {
    'e regexp': text,
    'm max-count': number,
    'A after-context': context,
    'B before-context': context,
    'C context': context,
    'binary-files': oneOf('text without-match binary'),
    include: text,
    exclude: text,
    'exclude-dir': text,
    label: text,
    'd directories': oneOf('read skip'),
    'D devices': oneOf('skip'),
  },
  optional: { 'color colour': oneOf('always never auto') },
  number: true,
  operands: patternAndPaths,
  closes: ({ options }) => (options.has('r') || options.has('recursive') ? NOT_SEARCHED : []),
};

const patternAndOneFile: Operands = (words, note, options) => {
  if (options.has('r') || options.has('recursive')) return 'does not read folders; name one file';
  const files = options.has('e') ? words : words.slice(1);
  if (files.length > 1) return 'reads one file at a time here';
  return patternAndPaths(words, note, options);
};

export const search: Programs = {
  grep,
  egrep: { ...grep, runs: ['grep', '-E'] },
  fgrep: { ...grep, runs: ['grep', '-F'] },
  /** A script for a shell; its work is done by two programs (`unpacks`), of one file. */
  zgrep: { ...grep, operands: patternAndOneFile, closes: () => [], unpacks: true },
};
