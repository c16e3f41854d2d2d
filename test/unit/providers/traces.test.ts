import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { Span } from '../../../src/domain/telemetry.ts';
import { chooseServices, nextTo } from '../../../src/providers/traces/choose-services.ts';
import { fairSides } from '../../../src/providers/traces/fair-sides.ts';
import { OtlpTraces, readOtlp } from '../../../src/providers/traces/otlp-spans.ts';
import type { StageRead } from '../../../src/providers/traces/read-stage.ts';
import { slicesOf } from '../../../src/providers/traces/slices.ts';
import { canonicalTraceId } from '../../../src/providers/traces/trace-ids.ts';
import { createTraceProvider } from '../../../src/providers/traces/trace-provider.ts';
import type { FoundTraces, TraceSearch, TraceServer } from '../../../src/providers/traces/trace-server.ts';
import { distinct, shortened } from '../../../src/providers/traces/whole-traces.ts';
import { incidentOf } from '../../support/incidents.ts';

const span = (traceId: string, spanId: string, more: Partial<Span> = {}): Span => ({
  timeUs: 1_000_000,
  traceId,
  spanId,
  parentId: '',
  service: 'web',
  operation: 'GET /',
  durationUs: 10,
  ...more,
});

describe('the stretches of both sides', () => {
  const length = ({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }) => toMs - fromMs;

  test('are of one length, within their side, without overlap, and not more than twelve', () => {
    const minutes = fc.integer({ min: 1, max: 600 });
    fc.assert(
      fc.property(minutes, minutes, (calm, now) => {
        const reference = { fromMs: 0, toMs: calm * 60_000 };
        const slices = slicesOf({ fromMs: 0, toMs: (calm + now) * 60_000, reference });
        expect(slices.incident.length + slices.reference.length).toBeLessThanOrEqual(12);
        expect(slices.incident[0]?.fromMs).toBe(reference.toMs);
        expect(slices.incident.at(-1)?.toMs).toBeCloseTo((calm + now) * 60_000);
        for (const [i, slice] of slices.reference.entries()) {
          expect(slice.fromMs).toBeGreaterThanOrEqual((slices.reference[i - 1]?.toMs ?? 0) - 1e-6);
          expect(slice.toMs).toBeLessThanOrEqual(reference.toMs + 1e-6);
        }
        const usual = slices.incident.map(length)[0] ?? 0;
        // A fault-free time that is shorter than one stretch is one by itself.
        for (const slice of slices.reference) expect(length(slice)).toBeLessThanOrEqual(usual + 1e-6);
        if (calm * 60_000 >= usual) for (const slice of slices.reference) expect(length(slice)).toBeCloseTo(usual);
      }),
    );
  });
});

describe('a gathering of very long traces', () => {
  test('ends when hundreds of thousands of spans came, and says so', async () => {
    let searches = 0;
    const find = ({ fromMs }: TraceSearch): Promise<FoundTraces> => {
      searches += 1;
      const trace = Array.from({ length: 60_000 }, (_, i) => span(`a${searches}`, `${i}`, { timeUs: fromMs * 1000 }));
      return Promise.resolve({ traces: [trace], hasMore: false, notes: [], characters: 1 });
    };
    const names = () => Promise.resolve({ names: ['web'], notes: [] });
    const nothing = () => Promise.resolve({ traces: [], hasMore: false, notes: [], characters: 0 });
    const server: TraceServer = {
      name: 'test',
      searchesAllServices: false,
      product: () => Promise.resolve('test'),
      services: names,
      operations: names,
      find,
      findRecent: nothing,
      trace: nothing,
    };
    const provider = createTraceProvider(
      server,
      { provider: 'test', prefix: 'T', api: '', urlHint: '', items: '' },
      400,
    );
    const incident = incidentOf({ alertname: 'A', service: 'web' }, { startsAtMs: 1e9 });
    const gathered = await provider.gather(incident, { fromMs: 0, toMs: 1e9 }, new AbortController().signal);
    expect(searches).toBeLessThan(10);
    expect(gathered.gaps.map(({ message }) => message).join()).toMatch(
      /300000 spans came, so no more traces were read/,
    );
    expect(gathered.spans.length).toBeGreaterThan(20_000);
  });
});

describe('what may be compared', () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => [span(id, '1')]);
  const read = (kind: string, incident: StageRead['incident'], reference: StageRead['reference']): StageRead => ({
    stage: { kind, services: ['web'], each: 1, only: {} },
    incident,
    reference,
    hasMore: false,
  });
  const all = [a, b, c, d].filter((trace) => trace !== undefined);
  const [one = [], two = [], three = [], four = []] = all;

  test('a stretch of which one kind is missing is left out with the others', () => {
    const sides = fairSides([read('failed', [[one], [two]], [[three]]), read('others', [undefined, [four]], [[]])], []);
    expect(sides.incident).toEqual([two, four]);
    expect(sides.reference).toEqual([three]);
    expect(sides.notes).toEqual(['1 of 3 stretches of time could not be read and are not compared.']);
  });

  test('a further kind counts only when it was read everywhere', () => {
    const main = [read('failed', [[one]], [[two]]), read('others', [[]], [[]])];
    expect(fairSides(main, [read('slow', [[three]], [undefined])])).toMatchObject({
      incident: [one],
      reference: [two],
      notes: [expect.stringMatching(/not all were read: slow traces/)],
    });
    expect(fairSides(main, [read('slow', [[three]], [[four]])])).toMatchObject({
      incident: [one, three],
      reference: [two, four],
      notes: [],
    });
  });

  test('failures of the incident are kept even when there is nothing to compare them with', () => {
    const sides = fairSides([read('failed', [[one]], [[two]]), read('others', [undefined], [undefined])], []);
    expect(sides).toMatchObject({ incident: [one], reference: [] });
  });
});

describe('whose traces are read', () => {
  const known = ['cart-service', 'checkout', 'web'];
  const incident = (labels: Readonly<Record<string, string>>) =>
    incidentOf({ alertname: 'A', ...labels }, { startsAtMs: 0 });

  test.each([
    [{ service: 'checkout' }, 'checkout'],
    [{ service: 'Checkout' }, 'checkout'],
    [{ service: 'shop/checkout' }, 'checkout'],
    [{ service: 'cart' }, 'cart-service'],
    [{ service: 'checkout-7c9d8b6f54-x2x9z' }, 'checkout'],
    [{ job: 'node', container: 'main', app: 'web' }, 'web'],
  ])('%j means %s', (labels, service) => {
    expect(chooseServices(incident(labels), known, [], false)).toEqual({ services: [service] });
  });

  test('of an unknown service those that nobody calls', () => {
    const edges = [
      { from: 'web', to: 'checkout' },
      { from: 'checkout', to: 'cart-service' },
    ];
    expect(chooseServices(incident({ service: 'billing' }), known, edges, false)).toMatchObject({
      services: ['web'],
      note: expect.stringMatching(/^billing has no traces, so those of web were read/),
    });
    expect(chooseServices(incident({}), known, edges, true)).toMatchObject({ services: [undefined] });
  });

  test('callees come before callers, and nobody without traces', () => {
    const edges = [
      { from: 'web', to: 'checkout' },
      { from: 'checkout', to: 'cart-service' },
      { from: 'checkout', to: 'db' },
    ];
    expect(nextTo(['checkout'], { services: [], edges }, known)).toEqual(['cart-service', 'web']);
  });
});

describe('spans of OTLP', () => {
  const otlp = (more: object) =>
    readOtlp(
      OtlpTraces.parse({
        resourceSpans: [
          {
            resource: { attributes: [{ key: 'service.name', value: { stringValue: 'web' } }] },
            scopeSpans: [
              {
                spans: [
                  {
                    traceId: '0af7651916cd43dd8448eb211c80319c',
                    spanId: 'b7ad6b7169203331',
                    name: 'GET /',
                    startTimeUnixNano: '1767261600000001999',
                    endTimeUnixNano: '1767261600000012999',
                    ...more,
                  },
                ],
              },
            ],
          },
        ],
      }),
    );

  test('ids in base64 and in hexadecimal are the same', () => {
    const hex = otlp({ parentSpanId: 'b7ad6b7169203330' });
    const base64 = otlp({ traceId: 'CvdlGRbNQ92ESOshHIAxnA==', spanId: 't61rcWkgMzE=', parentSpanId: 't61rcWkgMzA=' });
    expect(base64).toEqual(hex);
    expect(hex.spans[0]).toMatchObject({ timeUs: 1_767_261_600_000_001, durationUs: 11, spanId: 'b7ad6b7169203331' });
  });

  test.each([
    [{ status: { code: 2 } }, true],
    [{ status: { code: 'STATUS_CODE_ERROR' } }, true],
    [{ status: { code: 1 } }, undefined],
    [{ kind: 2, attributes: [{ key: 'http.response.status_code', value: { intValue: '503' } }] }, true],
    [{ kind: 'SPAN_KIND_SERVER', attributes: [{ key: 'http.status_code', value: { intValue: 500 } }] }, true],
    [{ kind: 3, attributes: [{ key: 'http.response.status_code', value: { intValue: '503' } }] }, undefined],
    [{ kind: 2, attributes: [{ key: 'http.response.status_code', value: { intValue: '404' } }] }, undefined],
  ])('%j failed: %s', (more, failed) => {
    expect(otlp(more).spans[0]?.error).toBe(failed);
  });

  test.each([
    { traceId: 'none' },
    { spanId: '' },
    { spanId: '0000000000000000' },
    { startTimeUnixNano: 'soon' },
    { endTimeUnixNano: '1' },
    { name: 5 },
  ])('a span with %j is left out and counted', (more) => {
    expect(otlp(more)).toEqual({ spans: [], dropped: 1 });
  });

  test('a parent of noughts is none', () => {
    expect(otlp({ parentSpanId: '0000000000000000' }).spans[0]?.parentId).toBe('');
  });
});

describe('whole traces', () => {
  test('each once, oldest first, whatever the order they came in; of two copies the fuller one', () => {
    const early = [span('b', '1', { timeUs: 5 })];
    const late = [span('a', '1', { timeUs: 9 }), span('a', '2', { timeUs: 10 })];
    const expected = [early, late];
    expect(distinct([late, early, late.slice(0, 1)])).toEqual(expected);
    expect(distinct([late.slice(0, 1), [...late].reverse(), early])).toEqual(expected);
    expect(distinct([[...late, ...late], early])).toEqual(expected);
  });

  test('of a trace of many thousand spans the beginning, and that is said', () => {
    const long = Array.from({ length: 6000 }, (_, i) => span('a', `${i}`));
    const { traces, cut } = shortened([long]);
    expect(traces[0]).toHaveLength(5000);
    expect(cut).toBe('of 1 traces with up to 6000 spans the first 5000 were kept');
  });

  test.each([
    ['c0ffee', '0000000000c0ffee'],
    ['0000000000000000000000000000C0FFEE'.slice(-32), '0000000000c0ffee'],
    ['af7651916cd43dd8448eb211c80319c', '0af7651916cd43dd8448eb211c80319c'],
  ])('the id %s is written %s', (id, canonical) => expect(canonicalTraceId(id)).toBe(canonical));
});
