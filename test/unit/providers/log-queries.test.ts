import * as fc from 'fast-check';
import { describe, expect, test } from '@jest/globals';
import { readFieldUses, valueAt } from '../../../src/providers/elasticsearch/fields.ts';
import { toQuery, type KnownFields } from '../../../src/providers/elasticsearch/query-dsl.ts';
import { logWindow, type LineFilter } from '../../../src/providers/logs/log-source.ts';
import { lengthLimit, linesLimit } from '../../../src/providers/loki/limits.ts';
import { toLogql } from '../../../src/providers/loki/logql.ts';
import { isoNs, parseIsoNs, toLogsql } from '../../../src/providers/victorialogs/logsql.ts';

const window = logWindow(Date.parse('2026-01-01T10:00:00Z'), Date.parse('2026-01-01T10:00:59.999Z'));
const filter = (more: Partial<LineFilter>): LineFilter => ({ ...window, fields: [], ...more });

describe('the window', () => {
  test('holds the first and the last millisecond, and no more', () => {
    expect(window).toEqual({ fromNs: 1_767_261_600_000_000_000n, untilNs: 1_767_261_660_000_000_000n });
  });

  test('what is beyond any clock is cut to what servers can read', () => {
    const { fromNs, untilNs } = logWindow(-5, Number.MAX_SAFE_INTEGER);
    expect(fromNs).toBe(0n);
    expect(untilNs).toBeLessThan(2n ** 63n);
  });
});

describe('LogQL', () => {
  test('conditions, text and level', () => {
    const asked = filter({
      fields: [
        { field: 'namespace', values: ['shop'] },
        { field: 'app', values: ['a.b', 'c'] },
        { field: 'pod', set: false },
      ],
      contains: 'x|y',
      telling: 'errors',
    });
    expect(toLogql(asked, 'detected_level')).toMatch(
      /^\{namespace="shop", app=~"a\\\\\.b\|c", pod=""\} \|~ "\(\?i\)x\\\\\|y" \| detected_level =~ "\(\?i\)\^\(\?:error\|.*\)\$"$/,
    );
    expect(toLogql({ ...asked, telling: 'others' }, undefined)).toMatch(/ !~ "\(\?i\)\(\?:error\|fail.*\)"$/);
  });

  test('whatever a value holds, it stays one string: nothing of it is read as LogQL', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (value, contains) => {
        const logql = toLogql(filter({ fields: [{ field: 'app', values: [value] }], contains }), undefined);
        expect(logql.replace(/"(?:[^"\\]|\\.)*"/gs, 'TEXT')).toBe('{app=TEXT} |~ TEXT');
      }),
    );
  });

  test.each([
    ['max entries limit per query exceeded, limit > max_entries_limit_per_query (5000 > 1000) (HTTP 400).', 1000],
    ['parse error (5 > 3)', undefined],
  ])('the limit for lines in %j', (message, expected) => {
    expect(linesLimit(message)).toBe(expected);
  });

  test.each([
    ['the query time range exceeds the limit (query length: 490906h0m0s, limit: 30d1h) (HTTP 400).', 721],
    ['the query time range exceeds the limit (query length: 49h0m0s, limit: 24h0m0s)', 24],
    ['another limit: 5h', undefined],
  ])('the limit for the window in %j', (message, hours) => {
    expect(lengthLimit(message)).toBe(hours === undefined ? undefined : BigInt(hours) * 3_600_000_000_000n);
  });
});

describe('LogsQL', () => {
  test('time, conditions, text and level', () => {
    const asked = filter({
      fields: [
        { field: 'kubernetes.pod_namespace', values: ['shop', 'x"y'] },
        { field: 'app', set: false },
      ],
      contains: 'x',
      telling: 'others',
    });
    expect(toLogsql(asked, ['level'])).toMatch(
      /^_time:\[2026-01-01T10:00:00\.000000000Z, 2026-01-01T10:01:00\.000000000Z\) "kubernetes\.pod_namespace":in\("shop", "x\\"y"\) !"app":\* _msg:~"\(\?i\)x" !\("level":~".*" or \(!"level":\* _msg:~".*"\)\)$/,
    );
  });

  test('whatever a value holds, it stays one string', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (value, contains) => {
        const logsql = toLogsql(filter({ fields: [{ field: 'app', values: [value] }], contains }), []);
        const bare = logsql.replace(/"(?:[^"\\]|\\.)*"/gs, 'TEXT');
        expect(bare).toMatch(/^_time:\[[^\s]+, [^\s]+\) TEXT:in\(TEXT\) _msg:~TEXT$/);
      }),
    );
  });

  test('times keep their nanoseconds', () => {
    const ns = 1_767_261_600_123_456_789n;
    expect(isoNs(ns)).toBe('2026-01-01T10:00:00.123456789Z');
    expect(parseIsoNs('2026-01-01T10:00:00.123456789Z')).toBe(ns);
    expect(parseIsoNs('2026-01-01T10:00:00.5Z')).toBe(1_767_261_600_500_000_000n);
    expect(parseIsoNs('2026-01-01T10:00:00Z')).toBe(1_767_261_600_000_000_000n);
    expect(parseIsoNs('yesterday')).toBeUndefined();
  });
});

describe('the DSL of Elasticsearch', () => {
  const known = (more: Partial<KnownFields> = {}): KnownFields => ({
    time: '@timestamp',
    message: ['message'],
    level: ['log.level'],
    uses: new Map([
      ['message', { exact: undefined, isText: true, isNumber: false }],
      ['service', { exact: 'service.keyword', isText: true, isNumber: false }],
      ['log.level', { exact: 'log.level', isText: false, isNumber: false }],
    ]),
    mayUseWildcards: true,
    ...more,
  });
  const boolOf = (asked: LineFilter, of = known()) => toQuery(asked, of)['bool'] as Record<string, readonly unknown[]>;

  test('names of services are compared as a whole, by the keyword beside a text', () => {
    const { filter: conditions } = boolOf(filter({ fields: [{ field: 'service', values: ['a b'] }] }));
    expect(conditions).toContainEqual({ terms: { 'service.keyword': ['a b'] } });
  });

  test('a substring of words is asked for by what every analyser keeps together', () => {
    const { filter: conditions } = boolOf(filter({ contains: 'he said "Grün' }));
    expect(JSON.stringify(conditions)).toContain('"*said*"');
    expect(JSON.stringify(conditions)).not.toContain('ü');
  });

  test('stars and question marks in a text are text', () => {
    const uses = new Map([['message', { exact: 'message', isText: false, isNumber: false }]]);
    const { filter: conditions } = boolOf(filter({ contains: 'a*b?c\\d' }), known({ uses }));
    expect(JSON.stringify(conditions)).toContain(JSON.stringify('*a\\*b\\?c\\\\d*'));
  });

  test('errors and others are each the opposite of the other', () => {
    const [errors, others] = [boolOf(filter({ telling: 'errors' })), boolOf(filter({ telling: 'others' }))];
    expect(others['must_not']?.at(-1)).toEqual(errors['filter']?.at(-1));
  });

  test('a level that is a number is compared with numbers only: a word would be refused', () => {
    const uses = new Map([['log.level', { exact: 'log.level', isText: false, isNumber: true }]]);
    const { filter: conditions } = boolOf(filter({ telling: 'errors' }), known({ uses }));
    expect(JSON.stringify(conditions)).toContain('{"terms":{"log.level":["50","60"]}}');
  });

  test('which fields there are, and how they can be asked for', () => {
    const one = (type: string, aggregatable: boolean) => ({ [type]: { searchable: true, aggregatable } });
    const uses = readFieldUses(['a', 'b', 'c', 'd', 'e'], {
      fields: {
        a: one('keyword', true),
        b: one('text', false),
        'b.keyword': one('keyword', true),
        c: { ...one('keyword', true), ...one('text', false) },
        d: one('object', false),
        e: one('long', true),
      },
    });
    expect([...uses]).toEqual([
      ['a', { exact: 'a', isText: false, isNumber: false }],
      ['b', { exact: 'b.keyword', isText: true, isNumber: false }],
      ['c', { exact: undefined, isText: true, isNumber: false }],
      ['e', { exact: 'e', isText: false, isNumber: true }],
    ]);
  });

  test.each([
    [
      { kubernetes: { labels: { 'app.kubernetes.io/name': 'cart' } } },
      'kubernetes.labels.app.kubernetes.io/name',
      'cart',
    ],
    [{ 'service.name': 'cart' }, 'service.name', 'cart'],
    [{ service: { name: ['cart', 'b'] } }, 'service.name', 'cart'],
    [{ level: 50 }, 'level', '50'],
    [{ service: 'cart' }, 'service.name', undefined],
    [null, 'a', undefined],
  ])('the field of a document: %j at %s', (source, path, expected) => {
    expect(valueAt(source, path)).toBe(expected);
  });
});
