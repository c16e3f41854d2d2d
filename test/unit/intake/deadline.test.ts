import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createIntake, INTAKE_DEADLINE_MS, IntakeUnavailable } from '../../../src/intake/intake.ts';
import { parseNotification } from '../../../src/sources/alertmanager/index.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

// A connection has a limit of its own, which hides a receiver without one from every test against a frozen Redis.
test('R5: an inbox that never answers is given up at the deadline', async () => {
  const intake = createIntake({ append: () => new Promise(() => {}) }, (text) => text);
  const alert = { labels: { alertname: 'Disk' }, startsAt: '2026-11-30T08:00:00Z' };
  let answer: unknown;
  void intake.receive(parseNotification({ alerts: [alert] })).catch((error: unknown) => (answer = error));
  await jest.advanceTimersByTimeAsync(INTAKE_DEADLINE_MS);
  expect(answer).toBeInstanceOf(IntakeUnavailable);
});
