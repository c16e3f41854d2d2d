import { describe, expect, test } from '@jest/globals';
import { buildErrorTaxonomy } from '../../../../src/agent/evidence/error-taxonomy.ts';

const typeOf = (message: string) => buildErrorTaxonomy([{ message }]).error_taxonomy[0]?.error_type;
const componentsOf = (message: string) => buildErrorTaxonomy([{ message }]).error_taxonomy[0]?.affected_components;

describe('A11: buckets', () => {
  test.each([
    ['upstream TIMEOUT', 'ConnectionTimeout'],
    ['timed out', 'ConnectionTimeout'],
    ['connection closed', 'ConnectionRefused'],
    ['Could not resolve host: db', 'DNSResolution'],
    ['authorization denied', 'AuthenticationError'],
    ['403 Forbidden', 'AuthenticationError'],
    ['OOMKilled', 'OutOfMemory'],
    ['memory limit reached', 'OutOfMemory'],
    ['DiskFull', 'DiskFull'],
    ['throttled', 'RateLimited'],
    ['status=429', 'RateLimited'],
    ['invalid column "x"', 'SchemaValidation'],
    ['AttributeError: x', 'NullReference'],
    ["'NoneType' object", 'NullReference'],
    ['AccessDenied', 'PermissionDenied'],
    ['HTTP404', 'ResourceNotFound'],
    ['NoSuchKey', 'ResourceNotFound'],
    ["ModuleNotFoundError: No module named 'x'", 'ResourceNotFound'],
    ['parse error near', 'SyntaxError'],
    ['unexpected token <', 'SyntaxError'],
    ["No module named 'x'", 'ImportError'],
    ['stack trace follows', 'Exception'],
  ])('%s is %s', (message, type) => expect(typeOf(message)).toBe(type));

  test.each([
    'context deadline exceeded',
    'ECONNREFUSED',
    'no such host',
    'too many connections',
    'Deadlock detected',
    'latency 1429ms',
    '429ms',
    'pod-4013',
    '14040',
  ])('%s is Unknown', (message) => expect(typeOf(message)).toBe('Unknown'));
});

describe('A11: affected components', () => {
  test('quoted identifiers and assigned names, at most five', () => {
    expect(componentsOf(`cannot reach 'db-primary' and "cache_1"`)).toEqual(['db-primary', 'cache_1']);
    expect(componentsOf(`Service=cart, host=h1; table: x "orders" 'ab'`)).toEqual(['cart', 'h1', 'orders']);
    expect(componentsOf(`'aaa' 'bbb' 'ccc' 'ddd' 'eee' 'fff'`)).toHaveLength(5);
    expect(componentsOf('service: foo')).toEqual([]);
  });
});

describe('A11: buildErrorTaxonomy', () => {
  const logs = [
    { message: 'read timed out after 5s db=a', timestamp: '2' },
    { message: 'read timed out after 9s db=b', timestamp: '1', count: 7 },
    { message: 'write timed out', timestamp: '' },
    { message: 'odd', timestamp: '3', count: 20 },
  ];

  test('counts, times, components and samples of different wording; Unknown is a type like others', () => {
    expect(buildErrorTaxonomy(logs)).toEqual({
      error_taxonomy: [
        expect.objectContaining({ error_type: 'Unknown', count: 20, first_seen: '3', last_seen: '3' }),
        {
          error_type: 'ConnectionTimeout',
          count: 9,
          affected_components: ['a', 'b'],
          sample_message: 'read timed out after 5s db=a',
          first_seen: '1',
          last_seen: '2',
          sample_messages: ['read timed out after 5s db=a', 'read timed out after 9s db=b', 'write timed out'],
        },
      ],
      total_logs_fetched: 29,
      distinct_error_types: 2,
      raw_samples: [logs[0], logs[1], logs[3]],
    });
  });

  test('samples are capped, unique by wording; equal counts keep the order of appearance', () => {
    const many = Array.from({ length: 30 }, (_, i) => ({ message: `timeout ${'x'.repeat(i % 9)} after ${i} ms` }));
    const [kind] = buildErrorTaxonomy(many).error_taxonomy;
    expect(kind).toMatchObject({ count: 30, sample_messages: { length: 5 } });
    expect(buildErrorTaxonomy(many, 1).error_taxonomy[0]?.sample_messages).toHaveLength(1);
    const order = buildErrorTaxonomy([{ message: '404' }, { message: 'disk full' }, { message: '429' }]);
    expect(order.error_taxonomy.map(({ error_type }) => error_type)).toEqual([
      'ResourceNotFound',
      'DiskFull',
      'RateLimited',
    ]);
    expect(buildErrorTaxonomy([])).toMatchObject({ error_taxonomy: [], distinct_error_types: 0, raw_samples: [] });
  });

  test('at most two raw samples a kind and ten in all', () => {
    const messages = ['timeout', 'dns', 'disk full', 'throttled', 'schema', 'not found', 'exception', 'odd'];
    const logs = messages.flatMap((message) => [{ message }, { message }, { message }]);
    expect(buildErrorTaxonomy(logs).raw_samples).toHaveLength(10);
  });
});
