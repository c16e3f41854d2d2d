import { describe, expect, test } from '@jest/globals';
import { queryOf, statementOf } from '../../../src/destinations/evidence-words.ts';
import { storyOf } from '../../../src/destinations/report-head.ts';
import type { Report } from '../../../src/domain/report.ts';
import { makeReport } from '../../support/delivery-content.ts';

const item = (statement: string, over: Partial<Report['evidence'][number]> = {}) => ({
  id: 'L1',
  kind: 'log' as const,
  statement,
  at: null,
  relative: '24 s before the alert',
  query: null,
  link: null,
  ...over,
});

describe('a statement as people read it', () => {
  test('a line as it was written stands in place of its pattern, and no time is told twice', () => {
    const pattern =
      'New error "no connection within <*> (<*> waiting)"; 300 lines where none is usual in payments; first 24 s before the alert, last 2 min after the alert; sample: no connection within 2000 ms (19 waiting)';
    expect(statementOf(item(pattern))).toBe(
      'New error "no connection within 2000 ms (19 waiting)"; 300 lines where none is usual in payments; last 2 min after the alert',
    );
  });

  test('a line that does not show the message leaves the pattern', () => {
    const hidden = 'New error "no connection within <*>"; 3 lines; sample: {"ts":1,"level":"error","caller":"a.go"';
    expect(statementOf(item(hidden))).toBe(hidden);
  });

  test.each([
    ['p x: 0 → 26; since 24 s before the alert, still so; P95 3', 'p x: 0 → 26; still so; P95 3'],
    ['p x: 1 → 26 (+2500 %); since 24 s before the alert; P95 3', 'p x: 1 → 26 (+2500 %); P95 3'],
    ['p x: 1 → 2; since 24 s before the alerting began', 'p x: 1 → 2; since 24 s before the alerting began'],
    ['since 40 s before the alert, still so', 'since 40 s before the alert, still so'],
    ['', ''],
  ])('%j is told as %j', (statement, told) => {
    expect(statementOf(item(statement))).toBe(told);
  });

  test('a query that the statement begins with is not told again', () => {
    expect(queryOf(item('payments waiting: 0 → 26', { query: 'payments/waiting' }))).toBe('');
    expect(queryOf(item('calls are slow', { query: 'payments/p50' }))).toBe('payments/p50');
    expect(queryOf(item('calls are slow'))).toBe('');
  });
});

test.each([
  ['orders-db is the likely root cause (connection exhaustion): its pool is full.', 'its pool is full.'],
  ['Not determined. The strongest lead is orders-db (failing node): it is gone.', 'it is gone.'],
  ['orders is the likely root cause (dns): it is gone.', 'orders is the likely root cause (dns): it is gone.'],
  ['orders-db ran out of connections.', 'orders-db ran out of connections.'],
  ['orders-db is the likely root cause (dns): ', 'orders-db is the likely root cause (dns):'],
])('below a verdict that names orders-db, %j tells %j', (summary, told) => {
  expect(storyOf(makeReport({ summary }))).toBe(told);
});
