import type { Note, Program, Programs } from '../grammar.ts';
import {
  columns,
  entry,
  firstFault,
  listOf,
  many,
  matching,
  name,
  names,
  number,
  oneOf,
  text,
  time,
} from '../values.ts';

const alone: Program = {};

/** The machine, its kernel, its users and its clock: every program here can also change something, in a form that is not listed. */
export const machine: Programs = {
  uname: {
    letters: 'asnrvmpio',
    words:
      'all kernel-name nodename kernel-release kernel-version machine processor hardware-platform operating-system',
  },
  arch: alone,
  // No operand: one sets the name. Not -F.
  hostname: {
    letters: 'aAdfiIsyV',
    words: 'fqdn long short ip-address all-ip-addresses all-fqdns domain alias version nis yp',
  },
  'dnsdomainname domainname nisdomainname': alone,
  hostnamectl: { words: 'static transient pretty no-pager', verbs: { status: alone }, bare: true },
  'hostid runlevel atq': alone,
  crontab: { letters: 'l', rule: ({ options }) => (options.has('l') ? undefined : 'only lists: crontab -l') },
  // An operand without + sets the clock. Not -s, not -f.
  date: {
    letters: 'uR',
    words: 'utc universal rfc-email debug',
    values: { 'd date': text, 'r reference': entry, 'rfc-3339': oneOf('date seconds ns') },
    optional: { 'I iso-8601': oneOf('date hours minutes seconds ns') },
    operands: many(matching(/^\+/, 'a format (it begins with +); anything else sets the clock'), 0, 1),
  },
  cal: { letters: '13ymj', operands: many(matching(/^[\w]+$/, 'a date'), 0, 3) },
  timedatectl: {
    words: 'no-pager all value',
    values: { 'p property': names },
    verbs: { status: alone, show: alone, 'list-timezones': alone, 'timesync-status': alone, 'show-timesync': alone },
    bare: true,
  },
  localectl: { words: 'no-pager', verbs: { status: alone }, bare: true },
  locale: { letters: 'ack', operands: many(name, 0, 2) },
  chronyc: {
    letters: 'nc46',
    verbs: Object.fromEntries(
      ['tracking', 'sources', 'sourcestats', 'activity', 'serverstats', 'rtcdata'].map((verb) => [
        verb,
        { letters: 'vad' },
      ]),
    ),
  },
  ntpq: {
    letters: 'pn46',
    words: 'peers numeric',
    rule: ({ options }) => (options.has('p') || options.has('peers') ? undefined : 'is interactive; use ntpq -pn'),
  },
  id: { letters: 'agGnruzZ', words: 'user group groups name real zero', operands: many(name, 0, 5) },
  whoami: alone,
  groups: { operands: many(name, 0, 5) },
  logname: alone,
  tty: { letters: 's' },
  who: {
    letters: 'abdHlmpqrstTu',
    words: 'all boot count heading users runlevel',
    operands: many(oneOf('am i'), 0, 2),
  },
  w: { letters: 'hsfiou', words: 'no-header short from ip-addr', operands: many(name, 0, 1) },
  users: alone,
  'last lastb': {
    letters: 'adFiRwx',
    words: 'fulltimes fullnames hostlast dns ip system',
    values: { 'n limit': number, 's since': time, 't until': time, 'p present': time, 'time-format': name },
    number: true,
    operands: many(name, 0, 3),
  },
  lastlog: { values: { 'u user': name, 't time': number, 'b before': number } },
  getent: { reads: (words, note) => readGetent(words, note) },
  getconf: { letters: 'a', operands: many(matching(/^[A-Z_][A-Z0-9_a-z]*$|^\/[\w./-]*$/, 'a name'), 0, 2) },
  nproc: { words: 'all', values: { ignore: number } },
  'lscpu lsmem lsipc lslogins lsirq': {
    letters: 'abBceJnprsSxyg',
    words: 'all bytes json parse online offline extended output-all summary',
    optional: { 'e extended p parse': columns },
    values: { 'o output': columns },
  },
  // Not -q: it asks a server for names.
  lspci: { letters: 'kmntvxDb', values: { s: text, d: text } },
  lsusb: { letters: 'tv', values: { s: text, d: text } },
  lsmod: alone,
  modinfo: {
    letters: 'adlpn0',
    words: 'author description license parameters filename',
    values: { 'F field': name, 'k set-version': name },
    operands: many(name, 1),
  },
  dmidecode: { letters: 'q', words: 'quiet', values: { 't type': matching(/^[\w,]+$/, 'a type'), 's string': name } },
  lshw: {
    words: 'short businfo json html xml sanitize quiet numeric',
    oneDash: true,
    values: { 'class C c': name },
    letters: '',
  },
  'nvidia-smi': {
    letters: 'Lq',
    words: 'list-gpus query',
    values: {
      'query-gpu query-compute-apps': columns,
      format: matching(/^[\w,]+$/, 'a format'),
      'd display': matching(/^[A-Z_,]+$/, 'a part'),
      'i id': matching(/^[\w:.,-]+$/, 'a device'),
    },
  },
  sensors: { letters: 'ufjAv' },
  lsb_release: { letters: 'acdirsv', words: 'all id description release codename short' },
  sysctl: {
    letters: 'aAneNbr',
    words: 'all names values ignore deprecated',
    values: { pattern: text },
    operands: many(matching(/^[\w./-]+$/, 'the name of a setting; with = it is set')),
  },
  ulimit: { letters: 'aSHcdefilmnpqrstuvxPT' },
  'getenforce sestatus': { letters: 'bv' },
  auditctl: { letters: 'ls', rule: ({ options }) => (options.size === 1 ? undefined : 'only lists: auditctl -l') },
  dmesg: {
    letters: 'dehHkLPrTtux',
    words: 'show-delta reltime kernel nopager raw ctime notime userspace decode json',
    values: {
      'l level': listOf(oneOf('emerg alert crit err warn notice info debug')),
      'f facility': names,
      since: time,
      until: time,
      'time-format': oneOf('ctime reltime delta notime iso'),
    },
    optional: { color: oneOf('auto always never') },
    adds: () => ['--nopager'],
  },
};

const DATABASES = oneOf(
  'passwd group services protocols networks rpc initgroups netgroup aliases ethers hosts ahosts ahostsv4 ahostsv6',
);
/** A name of the world would be asked of servers of the world, and may carry anything there. */
const LOCAL_NAME =
  /^([\d.]+|[\da-fA-F]*:[\da-fA-F:.]+|[\w-]+|[\w.-]+\.(local|localdomain|internal|svc|lan|home\.arpa|cluster\.local))$/;

/** Not the databases of passwords. */
function readGetent(words: readonly string[], note: Note): string | undefined {
  const [database = '', ...keys] = words;
  const key = /hosts/.test(database) ? matching(LOCAL_NAME, 'a name inside') : matching(/^[\w.:@/-]+$/, 'a key');
  return DATABASES(database, note) ?? firstFault(keys, key, note);
}
