import { describe, expect, test } from '@jest/globals';
import { telemetryWindow } from '../../../src/investigate/telemetry-window.ts';

const ALERT_MS = Date.parse('2026-03-01T10:00:00Z');
const MINUTE_MS = 60_000;
const windowAt = (minutesAfter: number, baselineMinutes: number) => {
  const window = telemetryWindow(
    { startsAtMs: ALERT_MS },
    ALERT_MS + minutesAfter * MINUTE_MS,
    baselineMinutes * MINUTE_MS,
  );
  const minutes = (timeMs: number) => (timeMs - ALERT_MS) / MINUTE_MS;
  return [window.fromMs, window.toMs, window.reference.fromMs, window.reference.toMs].map(minutes);
};

describe('the window that telemetry is read in', () => {
  test.each([
    ['goes from the baseline to now', 3, 60, [-60, 3, -60, -10]],
    ['holds the sample that is just being taken', 0, 60, [-60, 1, -60, -10]],
    ['does not reach into the next hours', 600, 60, [-60, 30, -60, -10]],
    ['has a reference, however short the baseline', 3, 5, [-5, 3, -5, -2.5]],
  ])('%s', (_what, minutesAfter, baseline, expected) => {
    expect(windowAt(minutesAfter, baseline)).toEqual(expected);
  });
});
