import { describe, expect, test } from '@jest/globals';
import type { Span } from '../../../../src/domain/telemetry.ts';
import { modelIncident } from '../../../../src/funnel/incident-model.ts';
import { readTraces } from '../../../../src/funnel/traces/read-traces.ts';
import { measureSpans } from '../../../../src/funnel/traces/span-times.ts';
import { readTraceShifts } from '../../../../src/funnel/traces/trace-shifts.ts';
import { incident, telemetry, TRIGGER_MS } from '../incident-model/shop.ts';

interface Call {
  readonly ordersUs?: number;
  readonly paymentsUs?: number;
  readonly gapUs?: number;
  readonly fails?: boolean;
}

/** web → orders → payments, once; times in µs. The gap lies between the spans of orders (client) and payments (server). */
export function trace(
  id: string,
  atMs: number,
  { ordersUs = 2000, paymentsUs = 5000, gapUs = 300, fails = false }: Call,
): Span[] {
  const common = { traceId: id, ...(fails ? { error: true } : {}) };
  const client = paymentsUs + gapUs;
  const startUs = atMs * 1000;
  return [
    {
      ...common,
      spanId: `${id}1`,
      parentId: '',
      service: 'web',
      operation: 'POST /buy',
      timeUs: startUs,
      durationUs: client + ordersUs + 1000,
    },
    {
      ...common,
      spanId: `${id}2`,
      parentId: `${id}1`,
      service: 'orders',
      operation: 'create',
      timeUs: startUs + 500,
      durationUs: client + ordersUs,
    },
    {
      ...common,
      spanId: `${id}3`,
      parentId: `${id}2`,
      service: 'orders',
      operation: 'call payments',
      timeUs: startUs + 900,
      durationUs: client,
    },
    {
      ...common,
      spanId: `${id}4`,
      parentId: `${id}3`,
      service: 'payments',
      operation: 'charge',
      timeUs: startUs + 1000,
      durationUs: paymentsUs,
    },
  ];
}

const many = (n: number, atMs: number, call: Call) =>
  Array.from({ length: n }, (_, i) =>
    trace(`${atMs % 97}-${i}-`, atMs + i * 100, { ...call, paymentsUs: (call.paymentsUs ?? 5000) + i }),
  ).flat();

const reference = { logs: [], spans: many(30, TRIGGER_MS - 86_400_000, {}) };
const modelOf = (spans: Span[], over = {}) => modelIncident(incident(), telemetry({ spans, reference, ...over }));

describe('times of spans', () => {
  test('own time is the duration without the union of the children; a gap is the callers span without the callees', () => {
    const overlapping: Span[] = [
      { traceId: 't', spanId: 'p', parentId: '', service: 'stock', operation: 'list', timeUs: 0, durationUs: 1000 },
      { traceId: 't', spanId: 'a', parentId: 'p', service: 'stock', operation: 'read', timeUs: 100, durationUs: 400 },
      { traceId: 't', spanId: 'b', parentId: 'p', service: 'stock', operation: 'read', timeUs: 300, durationUs: 400 },
    ];
    const own = measureSpans(overlapping, (name) => name).selfTimes.get('\nstock\nlist');
    expect(own?.seconds[0]).toBeCloseTo(400e-6, 12);
    const gaps = measureSpans(trace('x', 0, { gapUs: 300 }), (name) => name).gaps;
    expect(gaps.get('orders\npayments\ncharge')?.seconds[0]).toBeCloseTo(300e-6, 12);
  });

  test('a span that another service called is no client span: what its callees do not cover is its own time', () => {
    const serverSpans: Span[] = [
      { traceId: 't', spanId: 'a', parentId: '', service: 'web', operation: 'GET /', timeUs: 0, durationUs: 1000 },
      { traceId: 't', spanId: 'b', parentId: 'a', service: 'orders', operation: 'list', timeUs: 100, durationUs: 300 },
      { traceId: 't', spanId: 'c', parentId: 'a', service: 'search', operation: 'find', timeUs: 500, durationUs: 400 },
    ];
    const { gaps, selfTimes } = measureSpans(serverSpans, (name) => name);
    expect(gaps.size).toBe(0);
    expect(selfTimes.get('\nweb\nGET /')?.seconds[0]).toBeCloseTo(300e-6, 12);
  });

  test('the clocks of caller and callee may differ', () => {
    const skewed = trace('x', 0, { gapUs: 300 }).map((span) =>
      span.service === 'payments' ? { ...span, timeUs: span.timeUs + 3_000_000 } : span,
    );
    const { gaps } = measureSpans(skewed, (name) => name);
    expect(gaps.get('orders\npayments\ncharge')?.seconds[0]).toBeCloseTo(300e-6, 12);
  });

  test('a failure belongs to where it begins, not to its callers', () => {
    expect([...measureSpans(trace('x', 0, { fails: true }), (name) => name).failures]).toEqual([['payments', 1]]);
  });
});

describe('the trace layer', () => {
  test('time lost between two services is told of their edge', () => {
    const [first] = readTraces(modelOf(many(20, TRIGGER_MS - 60_000, { gapUs: 800_000 }))).items;
    expect(first?.key).toBe('edge:orders->payments');
    expect(first?.evidence.statement).toBe(
      'time lost between orders and payments (charge): 0.3 ms → 0.8 s; upper quartile of 20 calls',
    );
  });

  test('time spent inside a service is told of its operation', () => {
    const [first] = readTraces(modelOf(many(20, TRIGGER_MS - 60_000, { paymentsUs: 900_000 }))).items;
    expect(first?.key).toBe('trace:payments/charge');
  });

  test('failing calls are told where they begin', () => {
    const { items } = readTraces(modelOf(many(20, TRIGGER_MS - 60_000, { fails: true })));
    expect(items[0]?.evidence.statement).toMatch(/^20 of 20 calls fail in payments first, usually 0/);
  });

  test('without a reference only gaps are judged, and the note says so', () => {
    const spans = many(20, TRIGGER_MS - 60_000, { paymentsUs: 900_000 });
    const model = modelOf(spans, { reference: { logs: [], spans: [] } });
    expect(readTraceShifts(model)?.shifts.filter(({ kind }) => kind === 'self')).toEqual([]);
    expect(readTraces(model).notes.join()).toContain('no fault-free reference');
  });

  test('what is usual is not claimed where nobody knows it', () => {
    const spans = many(20, TRIGGER_MS - 60_000, { fails: true });
    const [first] = readTraces(modelOf(spans, { reference: { logs: [], spans: [] } })).items;
    expect(first?.evidence.statement).toMatch(
      /^20 of 20 calls fail in payments first, no fault-free time to compare with;/,
    );
    expect(first?.evidence.numbers).toEqual([20, 20]);
  });

  test('too few spans, and none at all, are stated', () => {
    expect(readTraces(modelOf(trace('x', TRIGGER_MS, {}))).notes).toEqual(['only 4 spans: too few to compare']);
    expect(readTraces(modelOf([])).notes).toEqual(['no traces']);
  });

  test('unchanged traces leave no sentence but a count', () => {
    expect(readTraces(modelOf(many(30, TRIGGER_MS - 60_000, {})))).toEqual({
      items: [],
      notes: ['120 spans, none notably slower or failing'],
    });
  });
});
