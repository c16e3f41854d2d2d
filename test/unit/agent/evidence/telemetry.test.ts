import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { listChanges } from '../../../../src/agent/evidence/list-changes.ts';
import { mergeEvents } from '../../../../src/agent/evidence/merge-events.ts';
import { exampleTraces } from '../../../../src/agent/evidence/trace-examples.ts';
import { callStatistics, countedStatistics } from '../../../../src/agent/evidence/trace-statistics.ts';
import { placeSpans } from '../../../../src/agent/evidence/trace-tree.ts';
import type { ClusterEvent, Span } from '../../../../src/domain/telemetry.ts';

const TRIGGER_MS = Date.parse('2026-03-01T10:00:00Z');
const MINUTE_MS = 60_000;

const event = (more: Partial<ClusterEvent> = {}): ClusterEvent => ({
  timeMs: TRIGGER_MS - MINUTE_MS,
  type: 'Warning',
  reason: 'BackOff',
  message: 'Back-off restarting',
  objectKind: 'Pod',
  objectName: 'cart-7d9f8b6c5-x2x4z',
  namespace: 'shop',
  ...more,
});
const merged = (events: readonly ClusterEvent[]) =>
  mergeEvents(events, TRIGGER_MS).map(({ draft: { statement } }) => statement);

describe('events for the agent', () => {
  test('are merged by reason and object, pods of a workload as one, with counts, times and what was said', () => {
    const [line, ...others] = mergeEvents(
      [
        event({ count: 3, firstTimeMs: TRIGGER_MS - 40 * MINUTE_MS }),
        event({ objectName: 'cart-7d9f8b6c5-zzzzz', timeMs: TRIGGER_MS + 10_000, message: 'waited 20s' }),
        event({ message: 'waited 30s' }),
      ],
      TRIGGER_MS,
    );
    expect(others).toEqual([]);
    expect(line?.draft).toEqual({
      kind: 'event',
      service: 'cart',
      statement:
        'Warning BackOff × 5 on Pod cart-7d9f8b6c5-zzzzz and 1 more in shop, first 40 min before the alert, last 10 s after the alert (09:20:00Z to 10:00:10Z): waited 20s | Back-off restarting',
      atMs: TRIGGER_MS + 10_000,
      query: 'kubectl -n shop describe pod cart-7d9f8b6c5-zzzzz',
      numbers: [5],
    });
  });

  test('warnings first, nearest to the alert first; what every start says is one line, last', () => {
    const start = (reason: string, message: string) => event({ type: 'Normal', reason, message });
    const lines = merged([
      start('Started', 'Started container'),
      start('Pulled', 'Container image "cart:2" present'),
      event({ type: 'Normal', reason: 'Killing', objectName: 'a' }),
      event({ reason: 'Far', timeMs: TRIGGER_MS - 50 * MINUTE_MS }),
      event({ reason: 'Timeless', timeMs: Number.NaN }),
      event({ reason: 'Near' }),
    ]);
    expect(lines.map((line) => line.split(' on ')[0])).toEqual([
      'Warning Near',
      'Warning Far',
      'Warning Timeless',
      'Normal Killing',
      'Normal Pulled, Started × 2',
    ]);
    expect(lines[2]).toContain('time unknown');
    expect(lines[4]).toMatch(/: Container image "cart:2" present$/);
  });

  test('a message that only names its own pod differently is the same message', () => {
    const of = (objectName: string) => event({ objectName, message: `Back-off restarting pod ${objectName}` });
    expect(merged([of('cart-7d9f8b6c5-zzzzz'), of('cart-7d9f8b6c5-x2x4z')])).toEqual([
      expect.stringMatching(
        /× 2 on Pod cart-7d9f8b6c5-zzzzz and 1 more[^|]*: Back-off restarting pod cart-7d9f8b6c5-zzzzz$/,
      ),
    ]);
  });

  test('another day is told by its date', () => {
    expect(merged([event({ timeMs: TRIGGER_MS - 20 * 60 * MINUTE_MS })])[0]).toContain('(2026-02-28T14:00:00Z)');
  });
});

test('changes: the last before the alert first, what came after it last, equal ones once', () => {
  const change = (minutes: number) => ({
    timeMs: TRIGGER_MS + minutes * MINUTE_MS,
    service: 'cart',
    kind: 'deploy',
    summary: `v${minutes}`,
    link: 'https://git.example/1',
  });
  const lines = listChanges([change(5), change(-90), change(-7), change(-7)], TRIGGER_MS);
  expect(lines.map(({ draft: { statement } }) => statement)).toEqual([
    'deploy of cart, 7 min before the alert (09:53:00Z): v-7',
    'deploy of cart, 90 min before the alert (08:30:00Z): v-90',
    'deploy of cart, 5 min after the alert (10:05:00Z): v5',
  ]);
  expect(lines[0]?.draft.link).toBe('https://git.example/1');
});

let ids = 0;
const span = (startMs: number, durationMs: number, more: Partial<Span> = {}): Span => ({
  timeUs: (TRIGGER_MS + startMs) * 1000,
  durationUs: durationMs * 1000,
  traceId: 't1',
  spanId: `s${++ids}`,
  parentId: '',
  service: 'web',
  operation: 'GET /',
  ...more,
});

describe('spans in their tree', () => {
  test('each before its children, by time, with its own time', () => {
    const spans = [
      span(50, 40, { spanId: 'b', parentId: 'r', service: 'db' }),
      span(0, 100, { spanId: 'r' }),
      span(10, 50, { spanId: 'a', parentId: 'r', service: 'cart', error: true }),
      span(20, 10, { parentId: 'a', service: 'cache' }),
    ];
    expect(placeSpans(spans)).toMatchObject([
      { service: 'web', depth: 0, startMs: 0, ownMs: 20 },
      { service: 'cart', depth: 1, startMs: 10, ownMs: 40, isError: true },
      { service: 'cache', depth: 2, ownMs: 10 },
      { service: 'db', depth: 1, startMs: 50, durationMs: 40 },
    ]);
  });

  test('calls recorded beside the span that waits for them are not its own time', () => {
    const spans = [
      span(0, 100, { spanId: 'r' }),
      span(1, 98, { operation: 'handle', parentId: 'r' }),
      span(2, 96, { spanId: 'call', operation: 'POST', parentId: 'r' }),
      span(3, 90, { service: 'cart', parentId: 'call' }),
    ];
    expect(placeSpans(spans)[1]).toMatchObject({ operation: 'handle', ownMs: 2 });
  });

  test('whatever parents say, every span stands there once', () => {
    const parent = fc.constantFrom('', 'a', 'b', 'c', 'gone');
    fc.assert(
      fc.property(fc.array(fc.tuple(parent, parent, fc.nat(50), fc.nat(50)), { maxLength: 12 }), (rows) => {
        const spans = rows.map(([spanId, parentId, start, duration]) => span(start, duration, { spanId, parentId }));
        const placed = placeSpans(spans);
        expect(placed).toHaveLength(spans.length);
        for (const { ownMs, durationMs } of placed) {
          expect(ownMs).toBeGreaterThanOrEqual(0);
          expect(ownMs).toBeLessThanOrEqual(durationMs);
        }
      }),
    );
  });

  test('a request with thousands of queries side by side is not compared query by query', () => {
    const count = 2000;
    let looks = 0;
    const root = span(0, count);
    const queries = Array.from({ length: count }, (_, i): Span => ({
      ...span(i, 1, { parentId: root.spanId }),
      get service() {
        looks++;
        return 'web';
      },
    }));
    expect(placeSpans([root, ...queries])).toHaveLength(count + 1);
    expect(looks).toBeLessThan(10 * count);
  });

  test('a trace as deep as it is long does not exhaust the stack', () => {
    const chain = Array.from({ length: 20_000 }, (_, i) => span(i, 1, { spanId: `d${i}`, parentId: `d${i - 1}` }));
    expect(placeSpans(chain).at(-1)?.depth).toBe(19_999);
  });
});

describe('A12, A13: example traces', () => {
  test('errors first, then the slowest; runs of equal calls are one line', () => {
    const calls = Array.from({ length: 5 }, (_, i) =>
      span(10 * i, 8 + i, { traceId: 'slow', parentId: 'r', service: 'db', operation: 'SELECT' }),
    );
    const traces = exampleTraces(
      [
        span(0, 10, { traceId: 'failed', error: true }),
        span(0, 900, { traceId: 'slow', spanId: 'r' }),
        ...calls,
        span(0, 20, { traceId: 'fast' }),
      ],
      TRIGGER_MS,
    );
    expect(traces.map(({ line }) => line.draft.statement.split(':')[0])).toEqual([
      'trace failed',
      'trace slow',
      'trace fast',
    ]);
    expect(traces[0]?.line.draft.statement).toContain('1 spans with errors, the innermost in web GET /');
    expect(traces[1]?.line.draft.statement).toBe(
      'trace slow: web GET / took 900 ms, at the alert (10:00:00Z); 6 spans of 2 services; most own time in web GET /: 851 ms',
    );
    expect(traces[1]?.tree).toEqual([
      'Trace slow, its spans:',
      '  web GET / 900 ms, own 851 ms, +0 ms',
      '    4 × db SELECT 9 ms to 12 ms each, from +10 ms',
      '  … 1 more spans, each shorter than 1 % of the trace',
    ]);
  });

  test('of a long trace 50 spans are shown, and how many there are', () => {
    const spans = [
      span(0, 1000, { spanId: 'r' }),
      ...Array.from({ length: 80 }, (_, i) => span(i * 12, 11, { parentId: 'r', operation: `op${i}` })),
    ];
    const [trace] = exampleTraces(spans, TRIGGER_MS);
    expect(trace?.tree).toHaveLength(52);
    expect(trace?.tree.at(-1)).toBe('  … 31 more spans of 81');
    expect(trace?.line.draft.statement).toContain('81 spans of 1 services');
  });
});

describe('calls by operation', () => {
  const calls = (fromMs: number, durations: readonly number[], more: Partial<Span> = {}) =>
    durations.map((durationMs, i) => span(fromMs + i * 1000, durationMs, { traceId: `c${++ids}`, ...more }));

  test('what became slower or fails comes first, against the time before the alert', () => {
    const before = -20 * MINUTE_MS;
    const lines = callStatistics(
      [
        ...calls(before, [10, 10, 10, 10, 10], { service: 'calm' }),
        ...calls(0, [10, 10, 10, 10, 10], { service: 'calm' }),
        ...calls(before, [40, 40, 40, 40, 40], { service: 'pay' }),
        ...calls(0, [40, 2000, 2000, 2000, 2000], { service: 'pay', error: true }),
      ],
      'q',
      TRIGGER_MS,
    );
    expect(lines.map(({ draft }) => draft.service)).toEqual(['pay', 'calm']);
    expect(lines[0]?.draft.statement).toBe(
      'pay GET /: 5 calls since 5 min before the alert; p50 2 s, p95 2 s (own time 2 s); slowest 2 s 1 s after the alert (10:00:01Z); 5 failed; earlier 5 calls, p95 40 ms, 0 failed: p95 +4900.0 %',
    );
    expect(lines[0]?.draft.numbers).toEqual(expect.arrayContaining([2000, 40, 5]));
  });

  test('counts made beforehand are told with what they know', () => {
    const bucket = (minutes: number, p95Us: number) => ({
      timeMs: TRIGGER_MS + minutes * MINUTE_MS,
      service: 'pay',
      operation: 'POST',
      parentService: 'web',
      count: 10,
      p50Us: 1000,
      p95Us,
    });
    const [line] = countedStatistics(
      [...[-30, -29, -28, -27, -26].map((minutes) => bucket(minutes, 2000)), bucket(1, 90_000)],
      'q',
      TRIGGER_MS,
    );
    expect(line?.draft.statement).toBe(
      'pay POST called by web: 10 calls since 5 min before the alert; p50 1 ms, p95 90 ms (medians of 1 counts); highest p95 90 ms 60 s after the alert (10:01:00Z); earlier p95 2 ms: +4400.0 %',
    );
  });
});
