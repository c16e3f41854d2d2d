import type { Program, Programs } from '../grammar.ts';
import { many, matching, name, text } from '../values.ts';

const pattern = matching(/^[\w*?[\]][\w.:+*?[\]~=-]*$/, 'a name of a package');
const patterns = many(pattern);
const onlyWith =
  (...needed: string[]): NonNullable<Program['rule']> =>
  ({ options }) =>
    needed.some((option) => options.has(option)) ? undefined : 'only lists and shows installed packages';

const queried: Program = {
  verbs: {
    list: { words: 'installed upgradable all-versions manual-installed', operands: patterns },
    'show policy depends rdepends search showpkg pkgnames stats madison': {
      letters: 'a',
      words: 'all-versions installed names-only no-recommends',
      operands: patterns,
    },
  },
};

/** What is installed. Nothing is fetched, refreshed or unpacked. */
export const packages: Programs = {
  dpkg: {
    letters: 'lsLSpCV',
    words: 'list status listfiles search print-avail audit get-selections print-architecture version verify no-pager',
    operands: many(matching(/^[\w*?/.][\w.:+*?[\]/~-]*$/, 'a name')),
    rule: onlyWith(
      'l',
      's',
      'L',
      'S',
      'p',
      'C',
      'V',
      'list',
      'status',
      'listfiles',
      'search',
      'print-avail',
      'audit',
      'get-selections',
      'print-architecture',
      'version',
      'verify',
    ),
    adds: () => ['--no-pager'],
  },
  'dpkg-query': {
    letters: 'lsLSpW',
    words: 'list status listfiles search print-avail show version no-pager',
    values: { 'f showformat': text },
    operands: many(matching(/^[\w*?/.][\w.:+*?[\]/~-]*$/, 'a name')),
    rule: onlyWith(
      'l',
      's',
      'L',
      'S',
      'p',
      'W',
      'list',
      'status',
      'listfiles',
      'search',
      'print-avail',
      'show',
      'version',
    ),
    adds: () => ['--no-pager'],
  },
  // Not --eval, --define, --pipe, --root, -p (a file of others), -i, -e, -U, -F, -V (runs scripts of packages).
  rpm: {
    letters: 'qailRcdsfv',
    words:
      'query all info list requires provides changelog configfiles docfiles state scripts last file whatrequires whatprovides version queryformat querytags nodeps nodigest',
    values: { 'qf queryformat': text, whatprovides: text, whatrequires: text },
    operands: many(matching(/^[\w*?/.][\w.:+*?[\]/~-]*$/, 'a name')),
    rule: (given) =>
      onlyWith('q', 'query', 'version')(given) ??
      (given.options.has('i') && !given.options.has('q') && !given.options.has('query') ? 'installs' : undefined),
  },
  apt: queried,
  'apt-cache': queried,
  'apt-mark': { verbs: { 'showauto showmanual showhold showinstall': { operands: patterns } } },
  'yum dnf microdnf': {
    letters: 'qC',
    words: 'quiet cacheonly',
    // From what is on this machine, without asking a repository.
    adds: () => ['--cacheonly'],
    verbs: {
      list: { words: 'installed', operands: many(matching(/^(installed|[\w*?.:+-]+)$/, 'a name')) },
      info: { operands: patterns },
      repolist: { operands: many(matching(/^(all|enabled|disabled)$/, 'a choice'), 0, 1) },
      history: { operands: many(matching(/^(list|info|\d{1,6})$/, 'list or info with a number'), 0, 2) },
    },
  },
  apk: {
    verbs: {
      info: { letters: 'aLvd', words: 'installed all contents depends', operands: patterns },
      list: { letters: 'Iuv', words: 'installed upgradable', operands: patterns },
      version: {},
    },
  },
  pacman: {
    letters: 'QilqeodmtskF',
    words: 'query info list quiet explicit',
    operands: many(matching(/^[\w/.][\w./+-]*$/, 'a name')),
    rule: ({ options }) => (options.has('Q') || options.has('query') ? undefined : 'only queries: pacman -Q'),
  },
  snap: {
    // Not info: it asks the store.
    verbs: { 'list version services': { words: 'all', operands: patterns }, changes: {} },
  },
  flatpak: { verbs: { list: { words: 'app runtime system user' } } },
  'pip pip3': {
    verbs: {
      'list freeze': {
        words: 'local user not-required',
        values: { format: matching(/^(columns|freeze|json)$/, 'a format') },
      },
      show: { letters: 'f', words: 'files', operands: many(name, 1) },
    },
  },
  gem: { verbs: { list: { words: 'local', operands: patterns } } },
  needrestart: {
    letters: 'bklpv',
    values: { r: matching(/^l$/, 'the list mode') },
    rule: ({ options }) => (options.has('r') ? undefined : 'may restart services; use needrestart -r l'),
  },
};
