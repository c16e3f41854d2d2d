import { describe, expect, test } from '@jest/globals';
import type { LogRecord } from '../../../../src/domain/telemetry.ts';
import { readLogs, templateItem } from '../../../../src/funnel/logs/log-layer.ts';
import { measureLogs, type LogLayerInput } from '../../../../src/funnel/logs/log-measures.ts';
import { templateLogs } from '../../../../src/funnel/logs/templated-logs.ts';
import { mapServices } from '../../../../src/funnel/services.ts';

const TRIGGER = Date.UTC(2026, 2, 4, 10, 0, 0);
const SECOND = 1000;
const WINDOW = { windowFromMs: TRIGGER - 240 * SECOND, windowToMs: TRIGGER + 240 * SECOND };

interface Lines {
  readonly message: (n: number) => string;
  readonly count: number;
  readonly level?: string;
  readonly service?: string;
}

/** `count` records of each kind, spread evenly from `from` to `to` seconds round the trigger. */
function spread(kinds: readonly Lines[], from: number, to: number): LogRecord[] {
  return kinds
    .flatMap(({ message, count, level = 'info', service = 'shop' }) =>
      Array.from({ length: count }, (_, n) => ({
        timeMs: TRIGGER + Math.round((from + ((to - from) * n) / Math.max(1, count - 1)) * SECOND),
        service,
        level,
        message: message(n),
      })),
    )
    .toSorted((a, b) => a.timeMs - b.timeMs);
}

function inputOf(logs: readonly LogRecord[], reference: readonly LogRecord[] = []): LogLayerInput {
  const services = mapServices({ services: ['shop', 'cart'], edges: [] }, [], undefined);
  return { logs, reference, templated: templateLogs(logs, reference), services, triggerMs: TRIGGER, ...WINDOW };
}

const usual: Lines = { message: (n) => `served request ${n} in ${n} ms`, count: 400 };
const heartbeat: Lines = { message: (n) => `heartbeat ${n} sent`, count: 60 };
const timeout: Lines = { message: (n) => `cart ${n} timed out`, count: 3, level: 'error', service: 'cart' };
const retried: Lines = { message: (n) => `retry ${n} of upstream failed`, count: 40, level: 'error' };
const fewRetries: Lines = { ...retried, count: 4 };

describe('readLogs', () => {
  test('C3: new and growing errors come before volume, and what stopped is told', () => {
    const layer = readLogs(
      inputOf(spread([usual, timeout, retried], -200, 200), spread([usual, heartbeat, fewRetries], -900, -500)),
    );
    expect(layer.items.map((item) => item.evidence.statement.split(';')[0])).toEqual([
      'New error "cart <*> timed out"',
      'More of the error "retry <*> of upstream failed"',
      'No more of the log line "heartbeat <*> sent"',
      'Usual log line "served request <*> in <*>"',
    ]);
  });

  test('C3, C7: a statement holds counts, times relative to the alert, services, kind and a sample', () => {
    const layer = readLogs(inputOf(spread([timeout], -90, 30), spread([usual], -900, -500)));
    expect(layer.items[0]).toMatchObject({ key: 'log:0', evidence: { kind: 'log', service: 'cart', numbers: [3, 0] } });
    expect(layer.items[0]?.evidence.atMs).toBe(TRIGGER - 90 * SECOND);
    expect(layer.items[0]?.evidence.statement).toBe(
      'New error "cart <*> timed out"; 3 lines where none is usual in cart; first 90 s before the alert, last 30 s after the alert; ' +
        'kind ConnectionTimeout; sample: cart 0 timed out',
    );
  });

  test('C3: at most five templates, the rest is counted', () => {
    const words = ['ant', 'bee', 'cat', 'dog', 'elk', 'fox', 'gnu'];
    const kinds = words.map((word, i): Lines => ({
      message: (n) => `${word}${'!'.repeat(i)} went home ${n}`,
      count: 10 + i,
    }));
    const layer = readLogs(inputOf(spread(kinds, -200, 200)));
    expect(layer.items).toHaveLength(5);
    expect(layer.notes).toEqual(['and 21 lines in 2 other templates']);
  });

  test('C3: rare new errors are kept beyond five, and the notes say so', () => {
    const places = [
      'north gate',
      'south tower wall',
      'east',
      'west yard by night',
      'roof of hall',
      'old well',
      'inner court of law',
    ];
    const errors = places.map((place): Lines => ({ message: () => `${place} broken`, count: 1, level: 'error' }));
    const layer = readLogs(inputOf(spread([usual, ...errors], -200, 200), spread([usual], -900, -500)));
    expect(layer.items).toHaveLength(7);
    expect(layer.items.every((item) => item.evidence.statement.startsWith('New error'))).toBe(true);
    expect(layer.notes[0]).toMatch(/^7 log templates instead of 5/);
    expect(layer.notes[1]).toBe('and 400 lines in 1 other template');
  });

  test('all lines are counted: shown, other, folded, outside the window', () => {
    const frames = Array.from({ length: 4 }, (_, n) => ({
      timeMs: TRIGGER + 30 * SECOND,
      service: 'cart',
      level: 'error',
      message: `\tat com.example.Cart.load(Cart.java:${n})`,
    }));
    const logs = [...spread([usual], -900, 200), ...spread([timeout], 10, 30), ...frames];
    const measures = measureLogs(inputOf(logs));
    expect(measures.foldedLines).toBe(4);
    expect(measures.linesInWindow + measures.linesOutside + measures.foldedLines).toBe(logs.length);
    expect(measures.templates.reduce((sum, { count }) => sum + count, 0)).toBe(measures.linesInWindow);
  });

  test('without a reference, the part before the window is the fault-free time, scaled to its length', () => {
    const logs = [
      ...spread([{ ...usual, count: 200 }], -640, -241),
      ...spread([{ ...usual, count: 200 }, timeout], -200, 200),
    ];
    const [usualMeasure, timeoutMeasure] = measureLogs(inputOf(logs)).templates;
    expect(usualMeasure).toMatchObject({ count: 200, change: 'steady' });
    expect(usualMeasure?.expected).toBeCloseTo(200, -1);
    expect(timeoutMeasure).toMatchObject({ count: 3, expected: 0, change: 'new' });
  });

  test('a line that stops in the middle of the window is gone since then, one that became rare is fewer', () => {
    const calm = [
      { ...heartbeat, count: 900 },
      { ...usual, count: 900 },
    ];
    const layer = readLogs(
      inputOf([
        ...spread(calm, -2040, -241),
        ...spread([{ ...heartbeat, count: 60 }], -240, -120),
        ...spread([{ ...usual, count: 60 }], -240, 200),
      ]),
    );
    expect(layer.items.map(({ evidence }) => evidence.statement)).toEqual([
      'No more of the log line "heartbeat <*> sent"; none since 2 min before the alert where 160 are usual, 60 lines until then in shop',
      'Fewer of the log line "served request <*> in <*>"; 60 lines where 220 are usual in shop; first 4 min before the alert, last 3 min after the alert',
    ]);
  });

  test('the first of many new errors is kept, however many lines the others have', () => {
    const places = ['gate', 'tower', 'yard', 'roof', 'well', 'hall', 'stair', 'moat', 'crypt', 'attic'];
    const storm = places.flatMap((place, i) =>
      ['is on fire', 'has no key left'].map((what): Lines => ({
        message: () => `${place}${'!'.repeat(i)} ${what} by night`,
        count: 40,
        level: 'error',
      })),
    );
    const first: Lines = { message: () => 'segment is truncated', count: 1, level: 'error' };
    const layer = readLogs(
      inputOf([...spread([first], -210, -209), ...spread(storm, -200, 200), ...spread([usual], -900, -500)]),
    );
    expect(layer.items.length).toBeLessThan(21);
    expect(layer.items.some(({ evidence }) => evidence.statement.includes('segment is truncated'))).toBe(true);
    expect(layer.notes.join()).toContain('Among these, new or growing errors: ');
  });

  test('one new line among few says more than one among many, and than one where new lines are usual', () => {
    const words = 'ant bee cat dog elk fox gnu hen ibis jay kiwi lark'.split(' ');
    const novel = (count: number) =>
      words.slice(0, count).map((word, i): Lines => ({ message: () => `${word}${'?'.repeat(i)} came home`, count: 1 }));
    const weightOf = (now: Lines[]) =>
      readLogs(inputOf([...spread([usual], -2040, -241), ...spread([usual, ...now], -200, 200)])).items.find(
        ({ evidence }) => evidence.statement.includes('ant came home'),
      )?.weight ?? 0;
    const alone = weightOf(novel(1));
    expect(weightOf(novel(12))).toBeLessThan(alone / 2);
    const restless = novel(12)
      .slice(1)
      .map((line) => ({ ...line, message: (n: number) => `${line.message(n)} at last` }));
    const late = spread(restless, -900, -300);
    const noisy = readLogs(
      inputOf([...spread([usual], -2040, -241), ...late, ...spread([usual, ...novel(1)], -200, 200)]),
    );
    expect(noisy.items.find(({ evidence }) => evidence.statement.includes('ant came'))?.weight).toBeLessThan(alone);
  });

  test('with no fault-free time at all nothing is called new', () => {
    const layer = readLogs(inputOf(spread([usual, timeout], -200, 200)));
    expect(layer.items[0]?.evidence.statement).toContain('3 lines, no fault-free time to compare with');
    expect(layer.items.map((item) => item.evidence.statement).join()).not.toContain('New ');
  });

  test.each([NaN, 0])('records without a usable time (%d) count, and carry none', (timeMs) => {
    const layer = readLogs(inputOf([{ timeMs, service: 'shop', level: 'error', message: 'disk full' }]));
    expect(layer.items[0]?.evidence).toMatchObject({ atMs: undefined, numbers: [1] });
    expect(layer.items[0]?.evidence.statement).toContain('no usable time');
  });

  test('a template has the same key and statement wherever it is cited', () => {
    const input = inputOf(spread([usual, timeout], -200, 200));
    const layer = readLogs(input);
    expect(templateItem(1, measureLogs(input))).toEqual(layer.items.find((item) => item.key === 'log:1'));
    expect(() => templateItem(99, measureLogs(input))).toThrow('There is no log template 99; there are 2.');
  });

  test('A11: errors are summed by kind', () => {
    const layer = readLogs(
      inputOf(spread([timeout, { ...timeout, message: (n) => `host ${n} not found`, count: 2 }], -60, 60)),
    );
    expect(layer.notes.at(-1)).toBe(
      'Errors by kind: ConnectionTimeout 3 lines, 60 s before the alert to 60 s after the alert; ' +
        'ResourceNotFound 2 lines, 60 s before the alert to 60 s after the alert',
    );
  });

  test('A10: fifty equal lines take one slot, with their number, first and last time', () => {
    const layer = readLogs(inputOf(spread([{ message: () => 'queue is full', count: 50 }], -60, 60)));
    expect(layer.items).toHaveLength(1);
    expect(layer.items[0]?.evidence.statement).toMatch(
      /50 lines.*first 60 s before the alert, last 60 s after the alert/,
    );
  });

  test('no logs, no words', () => expect(readLogs(inputOf([]))).toEqual({ items: [], notes: [] }));
});
