import type { Check, Note, Program } from '../grammar.ts';
import { entry, matching, name, number, oneOf, size, text, time } from '../values.ts';

const age = matching(/^[+-]?\d{1,7}(\.\d+)?$/, 'an age');
const types = matching(/^[bcdpflsD](,[bcdpflsD])*$/, 'a list of file types');
const permissions = matching(/^[-/+]?[0-7ugoarwxst=,+-]+$/, 'permissions');

/** Looking for a key by its name is looking for a key. */
const pattern: Check = (value) =>
  /(^|[*/])(id_(rsa|dsa|ecdsa|ed25519)|g?shadow|\.?netrc|\.?pgpass|\.?htpasswd|\.git-credentials|\.kube|\.ssh|\.aws|kubeconfig|credentials|\.env)\b|(secret|password|privkey|private_key)|\.(key|p12|pfx|jks|keystore|kdbx|keytab|ovpn)\b/i.test(
    value,
  )
    ? `'${value}' looks for keys or passwords`
    : undefined;

const WITH_VALUE: ReadonlyMap<string, Check> = new Map<string, Check>([
  ...['name', 'iname', 'path', 'ipath', 'wholename', 'iwholename', 'regex', 'iregex', 'lname', 'ilname'].map(
    (test) => [test, pattern] as const,
  ),
  ...['mtime', 'atime', 'ctime', 'mmin', 'amin', 'cmin', 'used'].map((test) => [test, age] as const),
  ...['newer', 'anewer', 'cnewer', 'samefile'].map((test) => [test, entry] as const),
  ...['maxdepth', 'mindepth', 'links', 'inum', 'uid', 'gid'].map((test) => [test, number] as const),
  ...['user', 'group', 'fstype', 'context'].map((test) => [test, name] as const),
  ['type', types],
  ['xtype', types],
  ['size', size],
  ['perm', permissions],
  ['regextype', oneOf('emacs posix-awk posix-basic posix-egrep posix-extended grep awk')],
  ['printf', text],
]);

const ALONE: ReadonlySet<string> = new Set(
  'print print0 ls quit prune depth d mount xdev daystart noleaf empty executable readable writable nouser nogroup true false and a or o not warn nowarn ignore_readdir_race'.split(
    ' ',
  ),
);

/** Starting points, tests and the actions that print. `-exec`, `-delete`, `-fprint` and whatever else acts or writes is not listed. */
function readFind(words: readonly string[], note: Note): string | undefined {
  let i = 0;
  while (/^-[HLP]$/.test(words[i] ?? '')) i++;
  for (; i < words.length && !/^(-.|[!()]$|,$)/.test(words[i] ?? ''); i++) {
    const why = entry(words[i] ?? '', note);
    if (why) return why;
  }
  for (; i < words.length; i++) {
    const word = words[i] ?? '';
    if (['(', ')', '!', ','].includes(word)) continue;
    if (!word.startsWith('-')) return `'${word}' is no test; folders stand in front of the tests`;
    const test = word.slice(1);
    if (ALONE.has(test)) continue;
    const check =
      WITH_VALUE.get(test) ??
      (/^newer[aBcm]t$/.test(test) ? time : /^newer[aBcm][aBcm]$/.test(test) ? entry : undefined);
    if (!check) return `${word} is not a test or action that is known to only read`;
    const value = words[++i];
    if (value === undefined) return `${word} needs a value`;
    const why = check(value, note);
    if (why) return why;
  }
  return undefined;
}

export const findProgram: Program = { reads: readFind };
