import { logKind, ONCE } from './kind.ts';
import { logLine } from './timeline.ts';

const stack = (lines: readonly string[]): string => lines.join('\n');
const javaFrames = (count: number, pkg: string): string[] =>
  Array.from({ length: count }, (_, i) => `\tat ${pkg}.Stage${i}.run(Stage${i}.java:${10 + i})`);

/** The same kind of fact, an error, as the loggers of this world write it. */
export const FORMAT_KINDS = [
  logKind(
    'an error in JSON',
    () => [
      logLine(
        ONCE,
        'checkout',
        '',
        '{"ts":"2026-05-06T09:58:40Z","level":"error","caller":"pay/settle.go:88","msg":"ledger refused the booking","account":"4711"}',
      ),
    ],
    /ledger refused the booking/,
  ),
  logKind(
    'an error level inside JSON under a collector that says info',
    () => [
      logLine(
        ONCE,
        'checkout',
        'INFO',
        '{"severity":"ERROR","message":"shard map of version 12 is stale","attempt":1}',
      ),
    ],
    /shard map of version 12 is stale/,
    /error/,
  ),
  logKind(
    'pino: level 50',
    () => [
      logLine(
        ONCE,
        'checkout',
        '',
        '{"level":50,"time":1778061520000,"pid":7,"hostname":"a","msg":"nonce of wallet 3 was used twice"}',
      ),
    ],
    /nonce of wallet 3 was used twice/,
    /error/,
  ),
  logKind(
    'a numeric level of the record: 50',
    () => [logLine(ONCE, 'checkout', '50', 'idempotency key of order 9 was seen before')],
    /idempotency key of order 9 was seen before/,
    /error/,
  ),
  logKind(
    'syslog severity 3 as level of the record',
    () => [logLine(ONCE, 'ledger', '3', 'raid device md0 lost member sdb')],
    /raid device md0 lost member sdb/,
    /error/,
  ),
  logKind(
    'syslog priority <11>',
    () => [
      logLine(ONCE, 'ledger', '', '<11>May  6 09:58:40 host-a ledgerd[812]: journal checksum mismatch in block 77'),
    ],
    /journal checksum mismatch in block 77/,
    /error/,
  ),
  logKind(
    'logfmt',
    () => [
      logLine(
        ONCE,
        'checkout',
        '',
        'time=2026-05-06T09:58:40Z level=error component=settler msg="mandate of payer is revoked" payer=12',
      ),
    ],
    /mandate of payer is revoked/,
    /error/,
  ),
  logKind(
    'klog',
    () => [
      logLine(
        ONCE,
        'checkout',
        '',
        'E0506 09:58:40.120034       1 reflector.go:147] watch of shard config ended with stale version 88',
      ),
    ],
    /watch of shard config ended with stale version 88/,
    /error/,
  ),
  logKind(
    'CRI',
    () => [logLine(ONCE, 'checkout', '', '2026-05-06T09:58:40.120034567Z stderr F ERROR mount of volume 3 is stale')],
    /mount of volume 3 is stale/,
    /error/,
  ),
  logKind(
    'a level in lower case without words of error',
    () => [logLine(ONCE, 'checkout', 'err', 'gave up waiting for slot 9')],
    /gave up waiting for slot 9/,
    /error/,
  ),
  logKind(
    'an access log line with 502',
    () => [
      logLine(
        ONCE,
        'checkout',
        '',
        '10.1.2.3 - - [06/May/2026:09:58:40 +0000] "POST /settle HTTP/1.1" 502 157 "-" "curl/8.5"',
      ),
    ],
    /POST \/settle/,
    /502/,
  ),
  logKind(
    'Java: the last cause of a deep trace',
    () => [
      logLine(
        ONCE,
        'checkout',
        'ERROR',
        stack([
          'settlement of order 17 failed',
          'org.springframework.web.util.NestedServletException: Request processing failed',
          ...javaFrames(30, 'org.springframework.web'),
          'Caused by: com.shop.PaymentException: cannot settle',
          '\tat com.shop.pay.Settler.settle(Settler.java:44)',
          ...javaFrames(12, 'org.apache.catalina.core'),
          'Caused by: java.net.UnknownHostException: vault.internal',
          ...javaFrames(9, 'java.base/java.net'),
          '\t... 38 more',
        ]),
      ),
    ],
    /Caused by: java\.net\.UnknownHostException: vault\.internal/,
    /more lines/,
  ),
  logKind(
    'Java: the cause behind a long first line',
    () => [
      logLine(
        ONCE,
        'checkout',
        'ERROR',
        stack([
          `Servlet.service() for servlet [dispatcher] in context with path [/shop] threw exception [${'Request processing failed; nested exception is org.springframework '.repeat(6)}] with root cause`,
          ...javaFrames(20, 'org.springframework.web'),
          'Caused by: java.sql.SQLTransientConnectionException: pool ledger-ro is closed',
          ...javaFrames(20, 'com.zaxxer.hikari'),
        ]),
      ),
    ],
    /pool ledger-ro is closed/,
  ),
  logKind(
    'Java: a trace that a collector cut into lines',
    () =>
      [
        'booking of order 8 failed',
        'java.lang.IllegalStateException: no route',
        ...javaFrames(25, 'org.apache.catalina'),
        'Caused by: java.io.FileNotFoundException: /etc/routes/eu.yaml',
        ...javaFrames(8, 'java.base/java.io'),
      ].map((text, i) => logLine(ONCE + i / 1000, 'checkout', 'ERROR', text)),
    /FileNotFoundException: \/etc\/routes\/eu\.yaml/,
  ),
  logKind(
    'a Go panic',
    () => [
      logLine(
        ONCE,
        'checkout',
        '',
        stack([
          'panic: runtime error: index out of range [3] with length 3',
          '',
          'goroutine 18 [running]:',
          'shop/internal/pay.(*Settler).split(0xc0000b2000, {0xc00012, 0x3, 0x4})',
          '\t/src/internal/pay/settler.go:87 +0x1f4',
          'created by shop/internal/pay.(*Settler).Start in goroutine 1',
          '\t/src/internal/pay/settler.go:31 +0x8a',
        ]),
      ),
    ],
    /index out of range \[3\] with length 3/,
    /pay/,
  ),
  logKind(
    'a Python traceback',
    () => [
      logLine(
        ONCE,
        'checkout',
        'ERROR',
        stack([
          'Traceback (most recent call last):',
          '  File "/usr/lib/python3/site-packages/flask/app.py", line 1455, in wsgi_app',
          '    response = self.full_dispatch_request()',
          '  File "/app/pay/settle.py", line 61, in settle',
          '    rate = rates[currency]',
          "KeyError: 'XAU'",
        ]),
      ),
    ],
    /KeyError: 'XAU'/,
    /settle\.py/,
  ),
  logKind(
    'an unhandled .NET exception',
    () => [
      logLine(
        ONCE,
        'checkout',
        '',
        stack([
          'Unhandled exception. System.InvalidOperationException: Sequence contains no matching element',
          '   at System.Linq.ThrowHelper.ThrowNoMatchException()',
          '   at Shop.Pay.Settler.Pick(List`1 routes) in /src/Pay/Settler.cs:line 52',
          '   at Shop.Pay.Settler.RunAsync() in /src/Pay/Settler.cs:line 20',
        ]),
      ),
    ],
    /Sequence contains no matching element/,
    /Settler\.cs:line 52/,
  ),
];
