import { expect, test } from '@jest/globals';
import { printDeliveries } from '../../../src/app/print-deliveries.ts';
import type { DeliveryRecord } from '../../../src/domain/delivery.ts';

const record = (overrides: Partial<DeliveryRecord>): DeliveryRecord => ({
  destination: 'chat',
  content: 'report',
  state: 'delivered',
  attempts: 1,
  reason: undefined,
  handle: undefined,
  updatedAtMs: 0,
  ...overrides,
});
const overtaken = (content: DeliveryRecord['content'], destination = 'chat') =>
  record({ destination, content, state: 'superseded', attempts: 0, reason: 'update-26 is told instead' });

test('what gave way to later ones is one line for each destination, before what was told', () => {
  const updates = Array.from({ length: 25 }, (_, n) => overtaken(`update-${n + 1}`));
  const records = [
    overtaken('report'),
    ...updates,
    record({ content: 'update-26' }),
    record({ destination: 'jira' }),
    overtaken('update-1', 'jira'),
    record({ destination: 'jira', content: 'update-2', state: 'gave-up', reason: 'HTTP 401' }),
  ];
  expect(printDeliveries(records)).toEqual([
    'chat: 26 were superseded by later ones, which tell it, too (report … update-25)',
    'chat: update-26 delivered (1 attempt)',
    'jira: 1 was superseded by later ones, which tell it, too (update-1)',
    'jira: report delivered (1 attempt)',
    'jira: update-2 gave-up (1 attempt, HTTP 401)',
  ]);
});

test('what waits says when it is tried', () => {
  const waiting = { destination: 'teams', state: 'pending', attempts: 0 } as const;
  const dueAtMs = Date.UTC(2100, 0, 1);
  expect(printDeliveries([record({ ...waiting, dueAtMs }), record(waiting)])).toEqual([
    'teams: report pending (0 attempts), due at 2100-01-01T00:00:00.000Z',
    'teams: report pending (0 attempts), due now',
  ]);
});

test('nothing that was told is no line', () => {
  expect(printDeliveries([])).toEqual([]);
});
