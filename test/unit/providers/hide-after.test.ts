import { describe, expect, test } from '@jest/globals';
import { NO_TELEMETRY, type ClusterEvent, type Telemetry } from '../../../src/domain/telemetry.ts';
import { hideAfter } from '../../../src/providers/hide-after.ts';

const UNTIL_MS = 60_000;
const event = (timeMs: number, more: Partial<ClusterEvent> = {}): ClusterEvent => ({
  timeMs,
  type: 'Warning',
  reason: 'BackOff',
  message: 'restarting',
  objectKind: 'Pod',
  objectName: 'cart-0',
  ...more,
});
const log = (timeMs: number) => ({ timeMs, service: 'cart', level: 'INFO', message: `at ${timeMs}` });
const span = (startMs: number, durationMs: number) => ({
  timeUs: startMs * 1000,
  durationUs: durationMs * 1000,
  traceId: 't',
  spanId: `${startMs}`,
  parentId: '',
  service: 'cart',
  operation: 'get',
});
const series = (...times: number[]) => ({
  service: 'cart',
  metric: `m${times[0]}`,
  timesMs: Float64Array.from(times),
  values: Float64Array.from(times.map((_, i) => i)),
});
const see = (part: Partial<Telemetry>) => hideAfter({ ...NO_TELEMETRY, ...part }, UNTIL_MS);

describe('telemetry as of a moment', () => {
  test('holds no later sample, and no series that has none before', () => {
    const { series: seen } = see({ series: [series(0, 60_000, 60_001), series(70_000)] });
    expect(seen).toEqual([series(0, 60_000)]);
  });

  test('holds no later line, bucket or change', () => {
    const stats = (timeMs: number) => ({
      timeMs,
      service: 'cart',
      operation: 'get',
      parentService: '',
      count: 1,
      p50Us: 1,
      p95Us: 1,
    });
    const change = (timeMs: number) => ({ timeMs, service: 'cart', kind: 'deploy', summary: 'v2' });
    const seen = see({
      logs: [log(60_000), log(60_001)],
      spanStats: [stats(60_000), stats(61_000)],
      changes: [change(-5), change(90_000)],
    });
    expect(seen.logs).toEqual([log(60_000)]);
    expect(seen.spanStats).toEqual([stats(60_000)]);
    expect(seen.changes).toEqual([change(-5)]);
  });

  test('a span is known only once it has ended', () => {
    expect(see({ spans: [span(50_000, 10_000), span(50_000, 10_001)] }).spans).toEqual([span(50_000, 10_000)]);
  });

  test('an event that occurs again later is known by its first time, without the later count', () => {
    const again = event(90_000, { firstTimeMs: 30_000, count: 7 });
    expect(
      see({ events: [event(50_000), again, event(90_000), event(90_000, { firstTimeMs: 80_000 })] }).events,
    ).toEqual([event(50_000), event(30_000, { firstTimeMs: 30_000 })]);
  });

  test('an event that is known to have begun later is not shown, though its own time is unknown', () => {
    expect(see({ events: [event(Number.NaN, { firstTimeMs: 60_001 })] }).events).toEqual([]);
  });

  test('what has no time, object snapshots and the reference stay', () => {
    const kept: Partial<Telemetry> = {
      logs: [log(Number.NaN)],
      events: [event(Number.NaN)],
      objects: [{ kind: 'Pod' }],
      reference: { logs: [log(9e9)], spans: [span(9e9, 1)] },
    };
    expect(see(kept)).toEqual({ ...NO_TELEMETRY, ...kept });
  });

  test('raw characters fall by the share that is hidden', () => {
    expect(see({ logs: [0, 1, 2, 61_000].map(log), rawCharacters: 1000 }).rawCharacters).toBe(750);
  });
});
