import { array, assert, boolean, constantFrom, integer, option, property, record } from 'fast-check';
import { describe, expect, test } from '@jest/globals';
import type { LogRecord } from '../../../src/domain/telemetry.ts';
import { EvenSample } from '../../../src/providers/even-sample.ts';
import { sampleLogs, sampleSpans } from '../../../src/providers/sample-telemetry.ts';

const line = (i: number, over: Partial<LogRecord> = {}): LogRecord => ({
  timeMs: i * 1000,
  service: 'cart',
  level: 'INFO',
  message: `order ${i} stored`,
  ...over,
});
function sampled(lines: readonly LogRecord[], most: number) {
  const sample = sampleLogs(most);
  for (const each of lines) sample.add(each);
  return sample;
}

describe('an even sample', () => {
  test('keeps everything, in order, while it fits, and has nothing to say', () => {
    const lines = Array.from({ length: 100 }, (_, i) => line(i));
    const sample = sampled(lines, 100);
    expect(sample.items).toEqual(lines);
    expect(sample.describe('lines')).toBeUndefined();
  });

  test('of too many lines keeps every error and warning and every n-th of the others, to the end of the stream', () => {
    const lines = Array.from({ length: 10_000 }, (_, i) => line(i, i % 500 === 7 ? { level: 'ERROR' } : {}));
    const sample = sampled(lines, 1000);
    const errors = sample.items.filter(({ level }) => level === 'ERROR');
    const others = sample.items.filter(({ level }) => level === 'INFO');
    expect(errors).toHaveLength(20);
    expect(sample.items.length).toBeLessThanOrEqual(1000);
    const inEach = [0, 1, 2, 3].map(
      (quarter) => others.filter(({ timeMs }) => Math.floor(timeMs / 2_500_000) === quarter).length,
    );
    // The first twenty lines of a shape are kept whole.
    expect(Math.max(...inEach) - Math.min(...inEach)).toBeLessThanOrEqual(20);
    expect(sample.describe('lines')).toBe(
      `kept ${sample.items.length} of 10000 lines, evenly spread: 20 of 20 that tell of errors, ${others.length} of 9980 others`,
    );
  });

  test('a flood of warnings costs no error, and a flood of one error none of another', () => {
    const flood = (level: string, message: string) => (i: number) => line(i, { level, message: `${message} ${i}` });
    const floods = [flood('WARN', 'slow answer from peer'), flood('ERROR', 'connection refused by upstream')];
    const lines = Array.from({ length: 20_000 }, (_, i) =>
      i % 1000 === 501 ? line(i, { level: 'ERROR', message: `no space left on volume ${i}` }) : floods[i % 2]!(i),
    );
    const { items } = sampled(lines, 3000);
    expect(items.length).toBeLessThanOrEqual(3000);
    expect(items.filter(({ message }) => message.startsWith('no space'))).toHaveLength(20);
    expect(items.filter(({ message }) => message.startsWith('connection')).length).toBeGreaterThan(500);
  });

  test('what is said once is kept among a hundred thousand others, whatever its level', () => {
    const lines = Array.from({ length: 100_000 }, (_, i) =>
      line(i, i === 77_777 ? { message: 'certificate of the gateway was replaced' } : {}),
    );
    const { items } = sampled(lines, 1000);
    expect(items.some(({ message }) => message.startsWith('certificate'))).toBe(true);
  });

  test('errors alone may be too many, too', () => {
    const sample = sampled(
      Array.from({ length: 1000 }, (_, i) => line(i, { level: 'ERROR' })),
      100,
    );
    expect(sample.items.length).toBeGreaterThan(50);
    expect(sample.items.length).toBeLessThanOrEqual(100);
  });

  test('the lines of a trace stay together', () => {
    const lines = Array.from({ length: 4000 }, (_, i) => line(i, { traceId: `trace-${Math.floor(i / 4)}` }));
    const counts = new Map<string, number>();
    for (const { traceId = '' } of sampled(lines, 1000).items) counts.set(traceId, (counts.get(traceId) ?? 0) + 1);
    expect(counts.size).toBeGreaterThan(50);
    expect([...new Set(counts.values())]).toEqual([4]);
  });

  test('one trace id on every line is neither kept nor lost as a whole', () => {
    const lines = Array.from({ length: 400_000 }, (_, i) => line(i, { traceId: '0000' }));
    const { items } = sampled(lines, 100_000);
    expect(items.length).toBeGreaterThan(10_000);
    expect(items.length).toBeLessThanOrEqual(100_000);
  });

  test('long items are bounded by their characters', () => {
    const sample = new EvenSample<string>({
      most: 1000,
      mostCharacters: 10_000,
      groupOf: () => undefined,
      kinds: ['texts'],
      kindOf: () => 0,
      charactersOf: ({ length }) => length,
    });
    for (let i = 0; i < 100; i += 1) sample.add('x'.repeat(1000));
    expect(sample.items.length).toBeGreaterThan(3);
    expect(sample.items.length).toBeLessThanOrEqual(10);
  });

  test('whatever the stream: never more than asked for, a part of it in its order, the same each time', () => {
    const item = record({
      error: boolean(),
      group: option(constantFrom('a', 'b', 'c'), { nil: undefined }),
    });
    assert(
      property(array(item, { maxLength: 200 }), integer({ min: 1, max: 50 }), (items, most) => {
        const run = () => {
          const sample = new EvenSample<{
            readonly place: number;
            readonly error: boolean;
            readonly group: string | undefined;
          }>({
            most,
            mostCharacters: 1000,
            groupOf: ({ group }) => group,
            kinds: ['errors', 'others'],
            kindOf: ({ error }) => (error ? 0 : 1),
            charactersOf: () => 1,
          });
          items.forEach((each, place) => sample.add({ ...each, place }));
          return sample.items.map(({ place }) => place);
        };
        const places = run();
        expect(places.length).toBeLessThanOrEqual(most);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        expect(run()).toEqual(places);
        if (items.length <= most) expect(places).toHaveLength(items.length);
        const errors = items.filter(({ error }) => error).length;
        if (errors < most / 2) expect(places.filter((place) => items[place]?.error)).toHaveLength(errors);
      }),
    );
  });

  test('spans are kept by whole traces', () => {
    const sample = sampleSpans(100);
    for (let i = 0; i < 1000; i += 1) {
      const traceId = `t${Math.floor(i / 5)}`;
      sample.add({ timeUs: i, traceId, spanId: `${i}`, parentId: '', service: 'a', operation: 'o', durationUs: 1 });
    }
    const counts = new Map<string, number>();
    for (const { traceId } of sample.items) counts.set(traceId, (counts.get(traceId) ?? 0) + 1);
    expect(counts.size).toBeGreaterThan(5);
    expect([...new Set(counts.values())]).toEqual([5]);
  });
});
