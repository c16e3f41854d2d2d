import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { silentLogger } from '../../../src/platform/logger.ts';
import { startBeats } from '../../../src/schedule/start-beats.ts';

beforeEach(() => {
  jest.useFakeTimers({
    now: Date.parse('2026-11-29T09:59:30Z'),
    doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'],
  });
});
afterEach(() => {
  jest.useRealTimers();
});

/** A scheduler that says when it is asked, in seconds since the beginning, and fails at first so often. */
function asked(failures = 0) {
  const began = Date.now();
  const at: number[] = [];
  const beat = () => {
    at.push((Date.now() - began) / 1000);
    return at.length <= failures ? Promise.reject(new Error('Redis is away')) : Promise.resolve();
  };
  return { at, scheduler: { beat } };
}

describe('the beats of a scheduler', () => {
  test('D5: it decides at its start and at the beginning of every minute, until it is stopped', async () => {
    const { at, scheduler } = asked();
    const onDecided = jest.fn();
    const beats = startBeats(scheduler, silentLogger(), onDecided);
    await jest.advanceTimersByTimeAsync(2 * 60_000);
    expect(at).toEqual([0, 30, 90]);
    expect(onDecided).toHaveBeenCalledTimes(3);
    await beats.stop();
    await jest.advanceTimersByTimeAsync(5 * 60_000);
    expect(at).toHaveLength(3);
  });

  test('after a failure it tries again every two seconds, and not once it is stopped', async () => {
    const { at, scheduler } = asked(3);
    const onDecided = jest.fn();
    const beats = startBeats(scheduler, silentLogger(), onDecided);
    await jest.advanceTimersByTimeAsync(29_000);
    expect(at).toEqual([0, 2, 4, 6]);
    expect(onDecided).toHaveBeenCalledTimes(1);
    await beats.stop();

    const failing = asked(100);
    const others = startBeats(failing.scheduler, silentLogger(), onDecided);
    await others.stop();
    await jest.advanceTimersByTimeAsync(120_000);
    expect(failing.at).toEqual([0]);
  });

  test('a timer that fires late, in a busy process, still beats', async () => {
    const { at, scheduler } = asked();
    const beats = startBeats(scheduler, silentLogger(), () => undefined);
    await jest.advanceTimersByTimeAsync(1000);
    // Nothing runs for 70 s: the timer of 10:00:00 comes at 10:00:41.
    jest.setSystemTime(Date.parse('2026-11-29T10:00:12Z'));
    await jest.advanceTimersByTimeAsync(29_000);
    expect(at).toEqual([0, 71]);
    await beats.stop();
  });

  test('stopping waits for the beat that is under way', async () => {
    let end: () => void = () => undefined;
    const done = jest.fn();
    const beats = startBeats({ beat: () => new Promise<void>((resolve) => (end = resolve)) }, silentLogger(), done);
    await jest.advanceTimersByTimeAsync(1000);
    const stopped = beats.stop().then(() => done.mock.calls.length);
    await jest.advanceTimersByTimeAsync(1000);
    end();
    expect(await stopped).toBe(1);
  });
});
