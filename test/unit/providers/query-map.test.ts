import { describe, expect, test } from '@jest/globals';
import { expressionOf, nameOfExpression } from '../../../src/providers/prometheus/alert-expression.ts';
import { loadDefaultQueries, loadQueryMap, QueryMapError } from '../../../src/providers/prometheus/index.ts';
import { stepFor } from '../../../src/providers/prometheus/discover.ts';
import { scopeMatchers } from '../../../src/providers/prometheus/scope.ts';

const messageOf = (text: string): string => {
  try {
    loadQueryMap(text, 'queries.yaml');
  } catch (error) {
    if (error instanceof QueryMapError) return error.message;
    throw error;
  }
  return 'no error';
};

const group = (query: string) => `groups:
  - name: mine
    when: { metric: m }
    queries:
      - metric: m
        service: [service]
        query: ${query}
`;

describe('the query map', () => {
  test('the built-in one loads and covers the promised ground', () => {
    const names = loadDefaultQueries().groups.map((entry) => entry.when.metric);
    for (const metric of [
      'container_cpu_usage_seconds_total',
      'http_request_duration_seconds_count',
      'grpc_server_handled_total',
      'jvm_memory_used_bytes',
      'node_cpu_seconds_total',
      'pg_stat_activity_count',
      'redis_connected_clients',
      'up',
    ]) {
      expect(names).toContain(metric);
    }
  });

  test.each([
    ['broken YAML', 'groups: [\n', /^queries\.yaml:\d+:\d+: this is no YAML: /],
    [
      'a missing key',
      group('m').replace('when: { metric: m }', 'when: {}'),
      /^queries\.yaml:3: groups\.mine\.when\.metric: is missing/,
    ],
    [
      'an unknown key',
      group('m').replace('query:', 'quary:'),
      /^queries\.yaml:7: groups\.mine\.queries\.#1\.quary: .*did you mean query/m,
    ],
    [
      'a label outside a string',
      group('m{a={{pod}}}'),
      /^queries\.yaml:7: .*\{\{pod\}\} must stand inside a quoted string/,
    ],
    [
      'a narrow scope over several labels',
      group('m').replace('[service]', '[a, b]\n        scope: service'),
      /exactly one label/,
    ],
    ['an empty file', '', /^queries\.yaml: the file is empty; write for example `groups: /],
  ])('%s is refused with file and line', (_, text, expected) => expect(messageOf(text)).toMatch(expected));

  test('a good one loads with its defaults', () => {
    expect(loadQueryMap(group('m{a="{{pod}}", {{scope}} }'), 'f')).toMatchObject({
      topology: [],
      groups: [{ namespace: 'namespace', when: { labels: [] }, queries: [{ scope: 'namespace' }] }],
    });
  });
});

describe('the scope of a query', () => {
  const template = { service: ['server'] };
  const place = ['namespace="shop"'];
  test.each([
    ['namespace', 'namespace="shop"'],
    ['service', String.raw`namespace="shop", server=~"(?:a\\.b)(?:-.+)?"`],
    ['neighbours', String.raw`namespace="shop", server=~"(?:a\\.b|c)(?:-.+)?"`],
  ] as const)('%s', (scope, expected) => {
    expect(scopeMatchers({ ...template, scope }, place, 'a.b', ['a.b', 'c'])).toBe(expected);
  });
});

describe("the expression in an alert's link", () => {
  test.each([
    ['http://p:9090/graph?g0.expr=up+%3D%3D+0&g0.tab=1', 'up == 0'],
    ['http://p:9090/query?g0.expr=x%20%3E%205', 'x > 5'],
    ['/graph?g0.expr=up', 'up'],
    ['http://p:9090/graph', undefined],
    ['not a link at all', undefined],
    ['', undefined],
    [undefined, undefined],
    [`http://p/graph?g0.expr=${'x'.repeat(6000)}`, undefined],
  ])('%s', (link, expected) => expect(expressionOf(link)).toBe(expected));
});

describe("the name of an expression's values", () => {
  test.each([
    [
      'histogram_quantile(0.95, sum by (le) (rate(http_request_duration_seconds_bucket{a="b"}[5m]))) > 1',
      'http_request_duration_seconds_p95',
    ],
    ['histogram_quantile(.9, rate(rpc_latency_bucket[1m]))', 'rpc_latency_p90'],
    ['sum(rate(x[5m])) > 1', 'alert:Slow'],
  ])('%s → %s', (expression, expected) => {
    expect(nameOfExpression({ expression, alertName: 'Slow', labels: {} })).toBe(expected);
  });
});

describe('the step of a range query', () => {
  test.each([
    [3600, 15, 15],
    [3600, 14.8, 15],
    [3600, 60, 60],
    [60, 0.5, 1],
    [86_400, 15, 180],
    [86_500, 15, 181],
  ])('%d s scraped every %d s: %d s', (rangeS, scrapeS, stepS) => {
    expect(stepFor({ fromMs: 0, toMs: rangeS * 1000 }, scrapeS * 1000)).toBe(stepS * 1000);
  });
});
