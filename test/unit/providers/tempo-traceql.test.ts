import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { limitsIn, split } from '../../../src/providers/tempo/limits.ts';
import { traceQl } from '../../../src/providers/tempo/traceql.ts';
import type { TestSpan } from '../../support/trace-servers/test-spans.ts';
import { parseTraceQl } from '../../support/trace-servers/traceql.ts';

const span: TestSpan = { traceId: 'a', spanId: 'b', service: 'web', name: 'GET /', startUs: 0, durationUs: 1500 };

describe('TraceQL of a search', () => {
  test.each([
    [{}, '{ }'],
    [{ service: 'web' }, '{ resource.service.name = "web" }'],
    [
      { service: 'web', operation: 'GET "/"', minDurationMs: 1.5 },
      '{ resource.service.name = "web" && name = "GET \\"/\\"" && duration >= 1500us }',
    ],
  ])('%j is %s', (search, query) => expect(traceQl(search)).toBe(query));

  test('no name, whatever it holds, matches anything but itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (service, operation) => {
        const matches = parseTraceQl(traceQl({ service, operation }));
        expect(matches({ ...span, service, name: operation })).toBe(!/[\ud800-\udfff]/u.test(service + operation));
        expect(matches({ ...span, service: `${service}x`, name: operation })).toBe(false);
      }),
    );
  });

  test('failed means by status, or of a server by HTTP status', () => {
    const matches = parseTraceQl(traceQl({ service: 'web', failedOnly: true }));
    expect(matches({ ...span, failed: true })).toBe(true);
    expect(matches({ ...span, attributes: { 'http.response.status_code': 502 } })).toBe(true);
    expect(matches({ ...span, kind: 'client', attributes: { 'http.response.status_code': 502 } })).toBe(false);
    expect(matches({ ...span, failed: true, service: 'other' })).toBe(false);
    expect(matches(span)).toBe(false);
  });
});

describe('limits that Tempo tells', () => {
  test.each([
    ['range specified by start and end exceeds 1h1m0s. received start=1 end=2', { windowMs: 3_660_000 }],
    ['range specified by start and end exceeds 168h0m0s. received start=1 end=2', { windowMs: 604_800_000 }],
    ['limit 500 exceeds max limit 100', { traces: 100 }],
    ['invalid TraceQL query', undefined],
  ])('%s', (text, limits) => expect(limitsIn(text)).toEqual(limits));

  test('a window is split without a gap, newest part first', () => {
    const { parts, left } = split({ fromMs: 0, toMs: 100_000 }, { windowMs: 42_000 });
    expect(parts).toEqual([
      { fromMs: 60_000, toMs: 100_000 },
      { fromMs: 20_000, toMs: 60_000 },
      { fromMs: 0, toMs: 20_000 },
    ]);
    expect(left).toBe(false);
    expect(split({ fromMs: 0, toMs: 1e9 }, { windowMs: 3000 })).toMatchObject({ parts: { length: 24 }, left: true });
    expect(split({ fromMs: 0, toMs: 1e9 }, {})).toEqual({ parts: [{ fromMs: 0, toMs: 1e9 }], left: false });
  });
});
