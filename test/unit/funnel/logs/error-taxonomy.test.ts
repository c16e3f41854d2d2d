import { describe, expect, test } from '@jest/globals';
import { affectedComponents, buildErrorTaxonomy, errorBucket } from '../../../../src/funnel/logs/error-taxonomy.ts';

describe('errorBucket', () => {
  test.each([
    ['upstream request timeout', 'ConnectionTimeout'],
    ['operation timed out', 'ConnectionTimeout'],
    ['Connection reset by peer', 'ConnectionRefused'],
    ['temporary failure in name resolution', 'DNSResolution'],
    ['403 Forbidden', 'AuthenticationError'],
    ['authentication failed for user', 'AuthenticationError'],
    ['OOMKilled', 'OutOfMemory'],
    ['no space left on device', 'DiskFull'],
    ['throttled', 'RateLimited'],
    ['HTTP429', 'RateLimited'],
    ['missing field "id"', 'SchemaValidation'],
    ['AttributeError: x', 'NullReference'],
    ['java.lang.NullPointerException', 'NullReference'],
    ['permission denied', 'PermissionDenied'],
    ['HTTP404', 'ResourceNotFound'],
    ['NoSuchKey', 'ResourceNotFound'],
    ["ModuleNotFoundError: No module named 'x'", 'ResourceNotFound'],
    ['SyntaxError: bad input', 'SyntaxError'],
    ['ImportError: cannot import', 'ImportError'],
    ['unhandled exception', 'Exception'],
  ])('A11: %s is %s', (message, bucket) => expect(errorBucket(message)).toBe(bucket));

  test.each([
    'latency 1429ms',
    '429ms',
    'pod-4013',
    'context deadline exceeded',
    'ECONNREFUSED',
    'too many connections',
  ])('A11: %s is Unknown', (message) => expect(errorBucket(message)).toBe('Unknown'));
});

describe('affectedComponents', () => {
  test('A11: quoted identifiers', () => {
    expect(affectedComponents(`cannot reach 'db-primary' and "cache_1"`)).toEqual(['db-primary', 'cache_1']);
  });

  test('A11: assigned names come first; a colon assigns nothing', () => {
    expect(affectedComponents(`"orders" failed service=cart, Host=db1; table: users`)).toEqual([
      'cart',
      'db1',
      'orders',
    ]);
  });

  test('A11: at most five', () => {
    expect(affectedComponents('db=a db=b db=c db=d db=e db=f')).toHaveLength(5);
  });
});

describe('buildErrorTaxonomy', () => {
  const line = (message: string, count: number, firstMs: number, lastMs: number) => ({
    message,
    count,
    firstMs,
    lastMs,
  });

  test('A11: counts, time range and samples by bucket, most lines first', () => {
    const kinds = buildErrorTaxonomy([
      line('cache not found', 2, NaN, NaN),
      line('read timed out service=a', 3, 100, 200),
      line('timeout service=b', 4, 50, 150),
    ]);
    expect(kinds).toEqual([
      {
        errorType: 'ConnectionTimeout',
        count: 7,
        affectedComponents: ['a', 'b'],
        firstMs: 50,
        lastMs: 200,
        samples: ['read timed out service=a', 'timeout service=b'],
      },
      {
        errorType: 'ResourceNotFound',
        count: 2,
        affectedComponents: [],
        firstMs: NaN,
        lastMs: NaN,
        samples: ['cache not found'],
      },
    ]);
  });
});

test('A11: as many components as wordings are summed in one pass', () => {
  // With the square of their number this takes a quarter of a minute.
  const errors = Array.from({ length: 8000 }, (_, i) => ({
    message: `timeout host=h${i} db=d${i} table=t${i}`,
    count: 1,
    firstMs: i,
    lastMs: i + 1,
  }));
  const [kind, ...others] = buildErrorTaxonomy(errors);
  expect(others).toEqual([]);
  expect(kind).toMatchObject({ errorType: 'ConnectionTimeout', count: 8000, firstMs: 0, lastMs: 8000 });
  expect(kind?.affectedComponents).toHaveLength(24_000);
  expect(kind?.samples).toHaveLength(5);
});
