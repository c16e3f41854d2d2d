import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { compactLogs } from '../../../../src/agent/evidence/compact-logs.ts';
import { deduplicateLogs, isErrorLog } from '../../../../src/agent/evidence/deduplicate-logs.ts';
import { textOf } from '../../../../src/agent/evidence/evidence-record.ts';
import { normalizeLogMessage } from '../../../../src/agent/evidence/normalize-message.ts';

describe('A10: normalizeLogMessage', () => {
  test.each([
    ['read from 192.0.2.7:6379 timed out after 45s', 'read from <*> timed out after <*>'],
    ['job 7c1e2f34-9a0b-4c5d-8e6f-001122334455 done in 1.25 sec', 'job <*> done in <*>'],
    ['job 7C1E2F34-9A0B-4C5D-8E6F-001122334455', 'job <*>'],
    ['mark at 2026-10-06T14:32:00.5Z, next', 'mark at <*> next'],
    ['mark at 2026-10-06 14:32:00,123 next', 'mark at <*> next'],
    ['id=1790000000123', 'id=<*>'],
    ['v 1.2.3.4 ok', 'v <*> ok'],
    ['wrote 12 MB', 'wrote <*>'],
    ['3 retries in 2 seconds', '3 retries in <*>'],
    ['  at 0xDEADbeef  ', 'at <*>'],
    ['x7c1e2f34-9a0b-4c5d-8e6f-001122334455', 'x7c1e2f34-9a0b-4c5d-8e6f-<*>'],
    ['x7c1e2f34-9a0b-4c5d-8e6f-00112233445f', 'x7c1e2f34-9a0b-4c5d-8e6f-00112233445f'],
  ])('%s → %s', (message, wording) => expect(normalizeLogMessage(message)).toBe(wording));

  test.each([
    'took 45S',
    'took 5m',
    'size 10kb',
    '5secs',
    'worker-3 up',
    'n 123456789',
    'n 12345678901234',
    'from 2001:db8::1',
    '2026-10-06T14:32',
  ])('%s stays as it is', (message) => expect(normalizeLogMessage(message)).toBe(message));

  test('normalising twice changes nothing', () => {
    const part = fc.constantFrom(
      '45s',
      ' ',
      '192.0.2.7:6379',
      '0xff',
      '1790000000123',
      '2026-10-06 14:32:00',
      '<*>',
      'x',
      '.',
      '-',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(part, fc.string({ maxLength: 4 })), { maxLength: 12 }), (parts) => {
        const once = normalizeLogMessage(parts.join(''));
        expect(normalizeLogMessage(once)).toBe(once);
      }),
    );
  });
});

const line = (message: string, more: Readonly<Record<string, unknown>> = {}) => ({
  source_type: 'loki',
  level: 'ERROR',
  timestamp: '2026-10-06T14:32:00Z',
  message,
  ...more,
});
const counts = (groups: readonly { readonly count: number }[]) => groups.map(({ count }) => count);

describe('A10: deduplicateLogs', () => {
  test('48 + 1 + 1 lines are three groups, the first of them of 48', () => {
    const logs = [
      ...Array.from({ length: 48 }, (_, i) => line(`timeout after ${i}s`)),
      line('disk full', { timestamp: '2026-10-06T14:33:00Z' }),
      line('started', { timestamp: '2026-10-06T14:34:00Z' }),
    ];
    expect(counts(deduplicateLogs(logs))).toEqual([48, 1, 1]);
  });

  test('50 equal lines take one slot, with first and last time and the fields of the first', () => {
    const at = (second: number) => `2026-10-06T14:32:${String(second).padStart(2, '0')}Z`;
    const logs = Array.from({ length: 50 }, (_, i) => line('boom', { timestamp: at((i * 7) % 50), pod: `p${i}` }));
    expect(deduplicateLogs(logs)).toEqual([
      { ...line('boom'), pod: 'p0', count: 50, first_seen: at(0), last_seen: at(49) },
    ]);
  });

  test('levels and sources stay apart, whatever the case of the level', () => {
    const logs = [
      line('x'),
      line('x', { level: 'error' }),
      line('x', { level: 'WARN' }),
      line('x', { source_type: 'k8s' }),
    ];
    expect(counts(deduplicateLogs(logs))).toEqual([2, 1, 1]);
  });

  test('records without a time have none, come first, and never erase a known one', () => {
    const { timestamp: _, ...timeless } = line('late');
    const groups = deduplicateLogs([line('x'), timeless, timeless, line('x', { timestamp: '' })]);
    expect(groups[0]).toMatchObject({ count: 2, first_seen: '', last_seen: '' });
    expect(groups[1]).toMatchObject({ count: 2, first_seen: '2026-10-06T14:32:00Z' });
    expect(counts(deduplicateLogs([{}, {}, { message: 7 }]))).toEqual([2, 1]);
  });

  test('over the cap errors are kept before others, in order of time; a cap of 0 keeps none', () => {
    const info = Array.from({ length: 6 }, (_, i) =>
      line(`note ${'i'.repeat(i)}`, { level: 'INFO', timestamp: `0${i}` }),
    );
    const logs = [...info, line('late error', { timestamp: '09' }), line('died', { level: 'FATAL', timestamp: '08' })];
    expect(deduplicateLogs(logs, 3).map(({ message }) => message)).toEqual(['note ', 'died', 'late error']);
    expect(deduplicateLogs(logs, 0)).toEqual([]);
    expect(deduplicateLogs(logs, 99)).toHaveLength(8);
  });

  test('ERROR, FATAL, CRITICAL and PANIC levels and the words of errors tell of an error', () => {
    for (const level of ['ERROR', 'fatal', 'CRITICAL', 'panic']) expect(isErrorLog({ level, message: 'x' })).toBe(true);
    for (const message of ['failed', 'an Error', 'Exception', 'Traceback']) expect(isErrorLog({ message })).toBe(true);
    expect(isErrorLog(line('fine', { level: 'INFO' }))).toBe(false);
  });
});

const anyLog = fc.record(
  {
    source_type: fc.constantFrom('a', 'b'),
    level: fc.constantFrom('INFO', 'error', 'ERROR', ''),
    timestamp: fc.constantFrom('', '1', '2', '3', '4'),
    message: fc.oneof(fc.constantFrom('took 4 ms', 'took 5 ms', 'failed 7s', '404', ''), fc.string({ maxLength: 5 })),
    count: fc.oneof(fc.integer({ min: -2, max: 60 }), fc.constant(Number.NaN)),
    pod: fc.string({ maxLength: 2 }),
  },
  { requiredKeys: [] },
);

describe('A9, A10: compaction keeps counts', () => {
  test('compacting what was compacted changes nothing; the order of time holds; the input is untouched', () => {
    fc.assert(
      fc.property(fc.array(anyLog, { maxLength: 40 }), (logs) => {
        const frozen = logs.map((log) => Object.freeze(structuredClone(log)));
        const once = compactLogs(Object.freeze(frozen), 1000);
        const twice = compactLogs(once.compacted_logs, 1000);
        expect(twice.compacted_logs).toEqual(once.compacted_logs);
        expect(twice.total_raw).toBe(once.total_raw);
        expect(counts(once.compacted_logs).reduce((a, b) => a + b, 0)).toBe(once.total_raw);
        const kinds = ({ error_taxonomy: { error_taxonomy } }: typeof once) =>
          new Map(error_taxonomy.map(({ error_type, count }) => [error_type, count]));
        expect(kinds(twice)).toEqual(kinds(once));
        const times = once.compacted_logs.map((log) => textOf(log, 'timestamp') || log.first_seen);
        expect(times).toEqual(times.toSorted());
        expect(frozen).toEqual(logs);
      }),
    );
  });

  test('compacting part by part counts as much as compacting all at once', () => {
    fc.assert(
      fc.property(fc.array(anyLog, { maxLength: 30 }), fc.array(anyLog, { maxLength: 30 }), (before, after) => {
        const byParts = deduplicateLogs([...deduplicateLogs(before), ...after]);
        const wordings = (groups: typeof byParts) =>
          groups.map((group) =>
            [normalizeLogMessage(textOf(group, 'message')), group.count, group.first_seen, group.last_seen].join(),
          );
        expect(wordings(byParts).sort()).toEqual(wordings(deduplicateLogs([...before, ...after])).sort());
      }),
    );
  });
});
