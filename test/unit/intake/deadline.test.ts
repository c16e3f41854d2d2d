import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createDeadline } from '../../../src/intake/deadline.ts';
import { createIntake, INTAKE_DEADLINE_MS, IntakeUnavailable } from '../../../src/intake/intake.ts';
import { NOTHING_REDACTED } from '../../../src/intake/trim.ts';
import { parseNotification } from '../../../src/sources/alertmanager/index.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

// A connection has a limit of its own, which hides a receiver without one from every test against a frozen Redis.
test('R5: an inbox that never answers is given up at the deadline', async () => {
  const intake = createIntake({ append: () => new Promise(() => {}) }, NOTHING_REDACTED);
  const alert = { labels: { alertname: 'Disk' }, startsAt: '2026-11-30T08:00:00Z' };
  let answer: unknown;
  void intake.receive(parseNotification({ alerts: [alert] })).catch((error: unknown) => (answer = error));
  await jest.advanceTimersByTimeAsync(INTAKE_DEADLINE_MS);
  expect(answer).toBeInstanceOf(IntakeUnavailable);
});

test('each of many has the whole time from its own beginning, and what is answered in time is not cut off', async () => {
  const inTime = createDeadline(1000);
  const told: string[] = [];
  const wait = (name: string, work: Promise<string>) =>
    void inTime(work).then(
      (answer) => told.push(answer),
      (error: unknown) => told.push(`${name}: ${String(error)}`),
    );
  wait('first', new Promise(() => {}));
  wait('failing', Promise.reject(new Error('refused')));
  await jest.advanceTimersByTimeAsync(600);
  wait('second', new Promise(() => {}));
  wait('quick', new Promise((resolve) => setTimeout(() => resolve('quick is there'), 300)));
  await jest.advanceTimersByTimeAsync(399);
  expect(told).toEqual(['failing: Error: refused', 'quick is there']);
  await jest.advanceTimersByTimeAsync(1);
  expect(told.at(-1)).toBe('first: Error: no answer within 1000 ms');
  await jest.advanceTimersByTimeAsync(599);
  expect(told).toHaveLength(3);
  await jest.advanceTimersByTimeAsync(1);
  expect(told.at(-1)).toBe('second: Error: no answer within 1000 ms');
});
