import { expect, test } from '@jest/globals';
import { toldNobody, untoldOf } from '../../../src/app/untold.ts';
import type { DeliveryRecord } from '../../../src/domain/delivery.ts';

const record = (destination: string, state: DeliveryRecord['state']): DeliveryRecord => ({
  destination,
  content: 'report',
  state,
  attempts: 1,
  reason: undefined,
  handle: undefined,
  updatedAtMs: 0,
});
const REPORTED = [{ reason: '' }, { reason: toldNobody('routes.yaml:9') }, { reason: 'taken on by Ada' }];

test('a report that goes to no destination was told nobody, and the rule is named', () => {
  expect(untoldOf([], REPORTED)).toBe('told nobody (routes.yaml:9)');
  expect(untoldOf([], [])).toBe('told nobody');
});

test('what every destination gave up was told nobody; what some gave up was not told everywhere', () => {
  expect(untoldOf([record('slack', 'gave-up')], [])).toBe('told nobody: slack gave up');
  const some = [record('slack', 'delivered'), record('teams', 'gave-up')];
  expect(untoldOf(some, [])).toBe('not told everywhere: teams gave up');
});

test('nothing is said of what is told, waits, was overtaken, or was not to be told yet', () => {
  expect(untoldOf(undefined, [])).toBeUndefined();
  expect(untoldOf([record('slack', 'pending'), record('teams', 'delivered')], [])).toBeUndefined();
  expect(untoldOf([record('slack', 'gave-up'), { ...record('slack', 'delivered'), content: 'update-1' }], [])).toBe(
    undefined,
  );
});
