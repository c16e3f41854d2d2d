import type { Program, Programs } from '../grammar.ts';
import { columns, device, entry, many, matching, name, names, number, oneOf, text } from '../values.ts';

const listing: Program = {
  letters: 'abdDefiIJlLMmnNoOpPrsStTzAyu',
  words:
    'all bytes json list noheadings raw pairs paths ascii nodeps inverse fs topology perms scsi discard tree real df evaluate',
  values: { 'o output': columns },
};
/** Not a number: that is an interval, and it never ends. */
const pool = matching(/^[A-Za-z][\w.:-]*$/, 'a pool');
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

/** Disks, volumes, file systems and what is mounted. */
export const storage: Programs = {
  lsblk: {
    ...listing,
    values: {
      ...listing.values,
      'e exclude': matching(/^[\d,]+$/, 'device numbers'),
      'I include': matching(/^[\d,]+$/, 'device numbers'),
      'x sort': name,
    },
    operands: many(device),
  },
  // Not -p: it waits for changes.
  findmnt: {
    ...listing,
    letters: 'abDeiJklnrRuv',
    values: { ...listing.values, 't types': names, 'S source': text, 'T target M mountpoint': entry },
    operands: many(matching(/^[\w/.:=-]+$/, 'a mount point or device'), 0, 2),
  },
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
    // It keeps what it found in a file of its own unless it is told not to.
    adds: () => ['-c', '/dev/null'],
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
      status: { letters: 'vxLPtD', operands: many(pool) },
      list: { letters: 'Hvp', values: { o: columns }, operands: many(pool) },
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
};
