import { describe, expect, test } from '@jest/globals';
import type { LogRecord } from '../../../../src/domain/telemetry.ts';
import { foldEvent } from '../../../../src/funnel/logs/event-folding.ts';
import { isErrorRecord, recordLevel } from '../../../../src/funnel/logs/log-severity.ts';
import { FOLDED, templateLogs } from '../../../../src/funnel/logs/templated-logs.ts';

const record = (message: string, more: Partial<LogRecord> = {}): LogRecord => ({
  timeMs: 1000,
  service: 'shop',
  level: 'INFO',
  message,
  ...more,
});

const TRACE = [
  'order 17 failed',
  'java.lang.IllegalStateException: no stock',
  '\tat org.springframework.web.Filter.doFilter(Filter.java:10)',
  '\tat com.example.Shop.buy(Shop.java:12)',
  ...Array.from({ length: 40 }, (_, i) => `\tat org.apache.catalina.Valve.invoke(Valve.java:${i + 1})`),
  'Caused by: java.net.SocketTimeoutException: Read timed out',
  '\tat com.example.Stock.load(Stock.java:9)',
];

describe('foldEvent', () => {
  test('C6: first line, first business line and the cause stay, the rest is counted', () => {
    expect(foldEvent(TRACE.join('\n'))).toBe(
      [
        'order 17 failed',
        'at com.example.Shop.buy(Shop.java:12)',
        'Caused by: java.net.SocketTimeoutException: Read timed out',
        '... 43 more lines',
      ].join('\n'),
    );
  });

  test('C6: a Python traceback keeps its last line', () => {
    const text = [
      'Traceback (most recent call last):',
      '  File "/usr/lib/python3/site-packages/web.py", line 3, in run',
      '    handler()',
      '  File "/app/shop.py", line 8, in buy',
      '    raise KeyError(sku)',
      "KeyError: 'A-17'",
    ].join('\n');
    expect(foldEvent(text).split('\n')).toEqual([
      'Traceback (most recent call last):',
      'File "/app/shop.py", line 8, in buy',
      "KeyError: 'A-17'",
      '... 3 more lines',
    ]);
  });

  test('C6: of nested causes the innermost stays, and causes of suppressed exceptions do not', () => {
    const text = [
      'order 17 failed',
      '\tat com.example.Shop.buy(Shop.java:12)',
      'Caused by: com.example.PayException: cannot pay',
      '\tat com.example.Pay.pay(Pay.java:9)',
      'Caused by: java.net.UnknownHostException: vault',
      '\tSuppressed: java.io.IOException: closed',
      '\tCaused by: java.io.EOFException',
    ].join('\n');
    expect(foldEvent(text).split('\n')).toEqual([
      'order 17 failed',
      'at com.example.Shop.buy(Shop.java:12)',
      'Caused by: java.net.UnknownHostException: vault',
      '... 4 more lines',
    ]);
  });

  test('a single line is itself', () => expect(foldEvent('\nall is well\n')).toBe('all is well'));
});

describe('templateLogs', () => {
  test('the same message carries the same number in both lists', () => {
    const { current, reference, templates } = templateLogs(
      [record('took 3 ms'), record('cache cleared')],
      [record('cache cleared'), record('took 90 ms')],
    );
    expect([...current]).toEqual([0, 1]);
    expect([...reference]).toEqual([1, 0]);
    expect(templates.map(({ text }) => text)).toEqual(['took <*>', 'cache cleared']);
  });

  test('the same words as error and as information are two templates', () => {
    const { templates } = templateLogs([record('pool is empty'), record('pool is empty', { level: 'error' })], []);
    expect(templates.map(({ isError }) => isError)).toEqual([false, true]);
  });

  test('C6: a trace in one record and a trace in records of its lines are the same event', () => {
    const whole = templateLogs([record(TRACE.join('\n'))], []);
    const [head = '', ...rest] = TRACE.slice(0, 1).concat(TRACE.slice(2));
    const split = templateLogs(
      [record(head), record('hello', { service: 'cart' }), ...rest.map((line) => record(line))],
      [],
    );
    expect(whole.templates[0]?.text).toBe('order <*> failed');
    expect([...split.current].slice(0, 3)).toEqual([0, 1, FOLDED]);
    expect([...split.current].filter((number) => number === FOLDED)).toHaveLength(rest.length);
    expect(split.templates[0]?.sample).toContain('Caused by: java.net.SocketTimeoutException');
    expect(split.templates[0]?.sample).toContain('... 42 more lines');
  });

  test('a frame long after the last line of its service is an event of its own', () => {
    const { current } = templateLogs([record('hello'), record('\tat a.B.c(B.java:1)', { timeMs: 60_000 })], []);
    expect([...current]).toEqual([0, 1]);
  });

  test('samples are one well-formed line of at most 240 characters, cut between graphemes', () => {
    const { templates } = templateLogs([record(`a ${'👩‍👩‍👧'.repeat(90)}`), record(`b \ud83d ${'x'.repeat(500)}`)], []);
    for (const { sample } of templates) {
      expect(sample.length).toBeLessThanOrEqual(240);
      expect(Buffer.from(sample).toString()).toBe(sample);
      expect(sample).not.toMatch(/\u200d…$|\n/);
    }
  });

  test('what is too long keeps its end, and a trace behind a long first line its cause', () => {
    const text = `cannot settle; ${'step=done '.repeat(90)}; quota of project 9 is exhausted`;
    const trace = ['x'.repeat(900), '\tat a.B.c(B.java:1)', 'Caused by: a.PoolClosed: ledger-ro'].join('\n');
    const [long, traced] = templateLogs([record(text), record(trace)], []).templates;
    expect(long?.sample).toMatch(/^cannot settle; step=done .*… .*quota of project 9 is exhausted$/);
    expect(traced?.sample).toMatch(/^x+… x+ ⏎ at a\.B\.c\(B\.java:1\) ⏎ Caused by: a\.PoolClosed: ledger-ro$/);
    expect(traced?.sample.length).toBeLessThanOrEqual(240);
  });

  test('an answer of class 5xx is an error', () => {
    const line = (status: number) => record(`10.0.0.1 - - "GET /a HTTP/1.1" ${status} 3`, { level: '' });
    expect(templateLogs([line(200), line(502)], []).templates.map(({ isError }) => isError)).toEqual([false, true]);
  });

  test('no records, no templates', () => expect(templateLogs([], []).templates).toEqual([]));
});

describe('severity', () => {
  test.each([
    ['ERROR', 'x', 'error'],
    ['warning', 'x', 'warn'],
    ['', '2026-03-04 10:11:12 FATAL: out', 'fatal'],
    ['unknown', '{"level":"error","msg":"x"}', 'error'],
    ['', 'level=warn msg=x', 'warn'],
    ['', '[error] x', 'error'],
    ['', 'an error while reading', ''],
    ['50', 'x', 'error'],
    ['3', 'x', 'error'],
    ['17', 'x', 'error'],
    ['13', 'x', 'warn'],
    ['99', 'x', ''],
    ['E', 'x', 'error'],
    ['', '{"level":30,"msg":"x"}', 'info'],
    ['', '<11>May  6 09:58:40 host d[8]: x', 'error'],
    ['', '<34>1 2026-05-06T09:58:40Z host d 8 - - x', 'fatal'],
    ['', 'E0506 09:58:40.120034       1 a.go:147] x', 'error'],
    ['INFO', '{"severity":"ERROR","message":"x"}', 'error'],
    ['error', 'I0506 09:58:40.120034       1 a.go:147] written to stderr', 'info'],
    ['INFO', 'time=1 level=error msg=x', 'error'],
    ['INFO', 'the level=error of this dial', 'info'],
  ])('level "%s" and text "%s" is "%s"', (level, message, expected) => {
    expect(recordLevel(level, message)).toBe(expected);
  });

  test.each([
    ['connection failed', true],
    ['kernel panic', true],
    ['done with no errors', false],
    ['sent=3 failed=0', false],
    ['"error":null', false],
    ['0 failed, but 1 exception', true],
    ['all is well', false],
  ])('without a level the words decide: %s', (message, expected) => {
    expect(isErrorRecord('', message)).toBe(expected);
  });

  test('a level outweighs the words', () => {
    expect(isErrorRecord('info', 'retry after error')).toBe(false);
    expect(isErrorRecord('fatal', 'bye')).toBe(true);
  });
});
