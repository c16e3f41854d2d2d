import { pick } from '../seeded-random.ts';
import { logKind, ONCE } from './kind.ts';
import { every, logLine, QUIET, RECORDED, TROUBLE } from './timeline.ts';

const FOLLOW_UPS = ['catalog', 'basket', 'search', 'rates', 'mailer'];
const COMPLAINTS = [
  'upstream answered late for request <n>',
  'circuit <n> opened after failures',
  'fallback price used for basket <n>, error budget spent',
  'retry <n> exhausted, giving up on call',
  'worker <n> failed to fetch profile',
  'cannot render page <n>: data missing',
];

/** One line, few lines or the absence of lines among many. */
export const LINE_KINDS = [
  logKind(
    'a single FATAL line',
    () => [logLine(ONCE, 'checkout', 'FATAL', 'cannot acquire lease of shard 7, giving up')],
    /cannot acquire lease of shard 7/,
  ),
  logKind(
    'a kernel line about a killed process',
    () => [
      logLine(
        ONCE,
        'node-7',
        '',
        'kernel: [88213.220017] Out of memory: Killed process 4121 (java) total-vm:9184216kB, anon-rss:2097152kB',
      ),
    ],
    /Out of memory: Killed process 4121 \(java\)/,
  ),
  logKind(
    'a rare error in a storm of another error',
    () => [
      ...every(0.05, TROUBLE, (at, i) =>
        logLine(at, 'gateway', 'ERROR', `call ${i} to checkout failed: deadline of ${200 + (i % 90)} ms exceeded`),
      ),
      logLine(ONCE, 'checkout', 'ERROR', 'signature of ledger has no known key id 9f'),
    ],
    /signature of ledger has no known key id 9f/,
  ),
  logKind(
    'the first error before thirty kinds of follow-up errors',
    ({ random }) => [
      ...FOLLOW_UPS.flatMap((service, k) =>
        COMPLAINTS.flatMap((text, c) =>
          every(2, [TROUBLE[0] + 20 + c, TROUBLE[1]], (at, i) =>
            logLine(
              at,
              service,
              'ERROR',
              `${service} ${text.replace('<n>', String(i))} ${'.'.repeat(k)}${pick(random, ['a', 'b'])}`,
            ),
          ),
        ),
      ),
      logLine(TROUBLE[0] + 1, 'checkout', 'ERROR', 'write-ahead segment 0041 is truncated at offset 8192'),
    ],
    /write-ahead segment 0041 is truncated/,
  ),
  logKind(
    'a new line that is no error',
    () => [logLine(ONCE, 'checkout', 'INFO', 'leader lost for shard 7 in term 41')],
    /leader lost for shard 7 in term 41/,
  ),
  logKind(
    'three new warnings',
    () =>
      every(30, [TROUBLE[0], TROUBLE[0] + 91], (at, i) =>
        logLine(at, 'ledger', 'WARN', `replica ${i} lags behind by ${90 + i} segments`),
      ),
    /replica \S+ lags behind by/,
  ),
  logKind(
    'a line that vanished',
    () => every(2, QUIET, (at, i) => logLine(at, 'ledger', 'INFO', `heartbeat ${i} of replica received`)),
    /No more.*heartbeat <\*> of replica received/,
  ),
  logKind(
    'a line that became much rarer',
    () => [
      ...every(1, QUIET, (at, i) => logLine(at, 'ledger', 'INFO', `settled batch ${i} with the bank`)),
      ...every(40, TROUBLE, (at, i) => logLine(at, 'ledger', 'INFO', `settled batch ${9000 + i} with the bank`)),
    ],
    /settled batch <\*> with the bank/,
    /where \d+ are usual/,
  ),
  logKind(
    'a burst of a known warning',
    () => [
      ...every(20, RECORDED, (at, i) => logLine(at, 'checkout', 'WARN', `retrying payment ${i} at the acquirer`)),
      ...every(1, TROUBLE, (at, i) => logLine(at, 'checkout', 'WARN', `retrying payment ${7000 + i} at the acquirer`)),
    ],
    /More.*retrying payment <\*> at the acquirer/,
    /3\d\d lines/,
  ),
  logKind(
    'a burst of a known line that is no error',
    () => [
      ...every(10, RECORDED, (at, i) => logLine(at, 'rates', 'INFO', `cache miss for rate ${i}, asking origin`)),
      ...every(0.5, TROUBLE, (at, i) => logLine(at, 'rates', 'INFO', `cache miss for rate ${i}, asking origin`)),
    ],
    /More.*cache miss for rate <\*>, asking origin/,
  ),
  logKind(
    'an error of a service that no topology knows',
    () => [logLine(ONCE, 'vault-agent', 'ERROR', 'lease 55ad could not be renewed: vault is sealed')],
    /vault is sealed/,
    /vault-agent/,
  ),
  logKind(
    'an error without a time',
    () => [{ ...logLine(0, 'checkout', 'ERROR', 'journal is read-only since remount'), timeMs: Number.NaN }],
    /journal is read-only since remount/,
  ),
  logKind(
    'an error when there is no fault-free time',
    (scene) => {
      scene.logs = scene.logs.filter(({ timeMs }) => timeMs >= scene.incident.startsAtMs - 200_000);
      return [logLine(ONCE, 'checkout', 'ERROR', 'token bucket of tenant 12 is inconsistent')];
    },
    /token bucket of tenant 12 is inconsistent/,
  ),
  logKind(
    'a reason at the end of a long line',
    () => [
      logLine(
        ONCE,
        'checkout',
        'ERROR',
        `settlement of order 5 aborted; context ${'key=value step=done '.repeat(30)}; reason: quota of project 9 is exhausted`,
      ),
    ],
    /settlement of order/,
    /quota of project 9 is exhausted/,
  ),
  logKind(
    'a German message',
    () => [logLine(ONCE, 'checkout', 'ERROR', 'Verbindung zum Zahlungsdienst abgelehnt: Schlüssel 4 gesperrt')],
    /Verbindung zum Zahlungsdienst abgelehnt: Schlüssel 4 gesperrt/,
  ),
  logKind(
    'a Chinese message without a level',
    () => [logLine(ONCE, 'checkout', '', '数据库连接池已耗尽，等待队列长度 128')],
    /数据库连接池已耗尽/,
  ),
  logKind(
    'the end of a certificate, as a warning',
    () => [logLine(ONCE, 'ledger', 'WARN', 'certificate of ledger.internal expired 2 h ago (serial 0x5f21)')],
    /certificate of ledger\.internal expired 2 h ago/,
  ),
  logKind(
    'an error behind a megabyte of text',
    () => [logLine(ONCE, 'checkout', 'ERROR', `cannot decode snapshot 12 of tenant eight: ${'A1b2'.repeat(250_000)}`)],
    /cannot decode snapshot 12 of tenant eight/,
  ),
];
