import type { Program, Programs } from '../grammar.ts';
import {
  columns,
  device,
  entry,
  file,
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
const listing: Program = {
  letters: 'abdDefiIJlLMmnNoOpPrsStTzAyu',
  words:
    'all bytes json list noheadings raw pairs paths ascii nodeps inverse fs topology perms scsi discard tree real df evaluate',
  values: {
    'o output': columns,
    'O output-all': text,
    'e exclude': matching(/^[\d,]+$/, 'device numbers'),
    'I include': matching(/^[\d,]+$/, 'device numbers'),
    'x sort': name,
    't types': names,
    'S source': text,
    'T target M mountpoint': entry,
  },
};
const lvm: Program = {
  letters: 'av',
  words: 'all noheadings verbose segments',
  values: {
    'o options': columns,
    units: matching(/^[a-zA-Z]$/, 'a unit'),
    'O sort': columns,
    separator: text,
    reportformat: oneOf('basic json'),
  },
  operands: many(matching(/^(\/dev\/)?[A-Za-z0-9][\w/+.-]*$/, 'a volume')),
};

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
  lsblk: { ...listing, values: { ...listing.values }, operands: many(device) },
  // Not -p: it waits for changes.
  findmnt: {
    ...listing,
    letters: 'abDeiJklnrRuv',
    operands: many(matching(/^[\w/.:=-]+$/, 'a mount point or device'), 0, 2),
  },
  lspci: { letters: 'kmnqtvxDb', values: { s: text, d: text } },
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
  smartctl: {
    letters: 'aHiAxc',
    words: 'all health info attributes xall capabilities json scan',
    values: {
      'd device': matching(/^[\w,+]+$/, 'a type'),
      'l log': oneOf('error selftest selective directory background sasphy scttemp ssd devstat'),
      'n nocheck': name,
    },
    operands: many(device, 0, 1),
  },
  nvme: {
    verbs: {
      list: { letters: 'v', values: { 'o output-format': oneOf('json normal') } },
      'smart-log': { operands: many(device, 1, 1), values: { 'o output-format': oneOf('json normal') } },
    },
  },
  mount: {
    letters: 'lv',
    words: 'show-labels',
    values: { 't types': matching(/^[\w,.]+$/, 'a list of file systems') },
  },
  swapon: {
    letters: 's',
    words: 'show noheadings raw bytes summary',
    optional: { show: columns },
    rule: ({ options }) => (options.size > 0 ? undefined : 'only shows: swapon --show'),
  },
  blkid: {
    values: { 's match-tag': name, 'o output': oneOf('full value list device udev export'), 't match-token': text },
    letters: 'k',
    operands: many(device),
  },
  'pvs vgs lvs pvdisplay vgdisplay lvdisplay': lvm,
  mdadm: {
    letters: 'DQ',
    words: 'detail query',
    operands: many(device, 1),
    rule: ({ options }) => (options.size > 0 ? undefined : 'only shows: mdadm --detail DEVICE'),
  },
  zpool: {
    verbs: {
      status: { letters: 'vxLPtD', operands: many(name) },
      list: { letters: 'Hvp', values: { o: columns }, operands: many(name) },
    },
  },
  zfs: {
    verbs: {
      list: {
        letters: 'Hrp',
        values: { o: columns, t: names, d: number, s: name },
        operands: many(matching(/^[\w/@.:-]+$/, 'a dataset')),
      },
    },
  },
  multipath: { letters: 'l', rule: ({ options }) => (options.has('l') ? undefined : 'only lists: multipath -ll') },
  xfs_info: { operands: many(entry, 1, 1) },
  quota: { letters: 'gsuvw', operands: many(name, 0, 1) },
  lsattr: { letters: 'adlRpv', operands: many(entry) },
  getfacl: { letters: 'acdenptR', words: 'access default omit-header', operands: many(entry, 1) },
  getcap: { letters: 'rv', operands: many(entry, 1) },
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
  openssl: {
    oneDash: true,
    verbs: {
      x509: {
        oneDash: true,
        words:
          'noout text dates enddate startdate subject issuer serial fingerprint hash subject_hash issuer_hash purpose email ocsp_uri modulus pubkey alias sha1 sha256 sha512 md5',
        values: {
          in: (value, note) => certificate(value, note),
          inform: oneOf('PEM DER pem der'),
          nameopt: text,
          certopt: text,
          ext: text,
          dateopt: name,
          checkend: number,
          checkhost: text,
          checkip: text,
        },
        rule: ({ options }) => (options.has('in') && options.has('noout') ? undefined : 'needs -in FILE and -noout'),
      },
      crl: {
        oneDash: true,
        words: 'noout text lastupdate nextupdate issuer hash fingerprint',
        values: { in: (value, note) => certificate(value, note), inform: oneOf('PEM DER pem der') },
        rule: ({ options }) => (options.has('in') && options.has('noout') ? undefined : 'needs -in FILE and -noout'),
      },
      req: {
        oneDash: true,
        words: 'noout text subject verify pubkey',
        values: { in: (value, note) => certificate(value, note) },
        rule: ({ options }) => (options.has('in') && options.has('noout') ? undefined : 'needs -in FILE and -noout'),
      },
      dgst: { oneDash: true, words: 'sha1 sha256 sha384 sha512 md5 r hex', operands: many(file, 1) },
      version: { oneDash: true, words: 'a v b o f p d' },
    },
  },
};

/** A certificate is public, also beside its key. */
function certificate(path: string, note: Parameters<typeof file>[1]): string | undefined {
  const isPublic =
    /\.(crt|cer|cert|csr|crl)$|\.pem$/.test(path) &&
    !/key[^/]*$|priv[^/]*$/i.test(path) &&
    !/(^|\/)(secrets?|private|\.\.|\.[^/]+)(\/|$)/.test(path);
  if (!isPublic) return file(path, note);
  note({ path, how: 'entry' });
  return path.includes('..') ? 'a path that climbs' : undefined;
}

const DATABASES = oneOf(
  'passwd group services protocols networks rpc initgroups netgroup aliases ethers hosts ahosts ahostsv4 ahostsv6',
);
/** A name of the world would be asked of servers of the world, and may carry anything there. */
const LOCAL_NAME =
  /^([\d.]+|[\da-fA-F]*:[\da-fA-F:.]+|[\w-]+|[\w.-]+\.(local|localdomain|internal|svc|lan|home\.arpa|cluster\.local))$/;

/** Not the databases of passwords. */
function readGetent(words: readonly string[], note: Parameters<typeof file>[1]): string | undefined {
  const [database = '', ...keys] = words;
  const key = /hosts/.test(database) ? matching(LOCAL_NAME, 'a name inside') : matching(/^[\w.:@/-]+$/, 'a key');
  return DATABASES(database, note) ?? firstFault(keys, key, note);
}
