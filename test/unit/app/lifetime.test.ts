import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { createLifetime, exitOnSignal, exitWhileStarting } from '../../../src/app/lifetime.ts';
import { silentLogger } from '../../../src/platform/logger.ts';

describe('lifetime', () => {
  test('stops in reverse order of starting, once', async () => {
    const stopped: string[] = [];
    const lifetime = createLifetime(silentLogger(), 5000);
    for (const name of ['redis', 'queue', 'http']) lifetime.onStop(name, () => void stopped.push(name));
    await Promise.all([lifetime.stop(), lifetime.stop()]);
    expect(stopped).toEqual(['http', 'queue', 'redis']);
  });

  test('a failing and a hanging step do not keep the others from being stopped', async () => {
    const stopped: string[] = [];
    const lifetime = createLifetime(silentLogger(), 10);
    lifetime.onStop('first', () => void stopped.push('first'));
    lifetime.onStop('hangs', () => new Promise(() => {}));
    lifetime.onStop('fails', () => Promise.reject(new Error('no')));
    await lifetime.stop();
    expect(stopped).toEqual(['first']);
  });
});

describe('a signal', () => {
  const known = { SIGTERM: process.listeners('SIGTERM'), SIGINT: process.listeners('SIGINT') };
  const added = (name: 'SIGTERM' | 'SIGINT') => process.listeners(name).filter((one) => !known[name].includes(one));
  afterEach(() => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) for (const one of added(name)) process.off(name, one);
    jest.useRealTimers();
    jest.restoreAllMocks();
  });
  /** Sends the first signal to a process with this stop, and says how often the process was ended since. */
  const terminated = (stop: () => Promise<void>) => {
    jest.useFakeTimers();
    const exit = jest.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
    exitOnSignal({ onStop: () => undefined, stop }, silentLogger(), 1000);
    for (const listener of added('SIGTERM')) listener('SIGTERM');
    return exit;
  };

  test('ends the process as soon as all is stopped', async () => {
    const exit = terminated(() => Promise.resolve());
    await jest.advanceTimersByTimeAsync(0);
    expect(exit).toHaveBeenCalledWith(0);
  });

  test('R7: ends it soon after the grace period, too, when something never stops', async () => {
    const exit = terminated(() => new Promise(() => {}));
    await jest.advanceTimersByTimeAsync(1000);
    expect(exit).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1000);
    expect(exit).toHaveBeenCalledWith(0);
  });

  test('that comes a second time ends it at once', () => {
    const exit = terminated(() => new Promise(() => {}));
    for (const listener of added('SIGINT')) listener('SIGINT');
    expect(exit).toHaveBeenCalledWith(0);
  });

  describe('while a role starts', () => {
    const begin = () => {
      jest.useFakeTimers();
      const exit = jest.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
      const kill = jest.spyOn(process, 'kill').mockImplementation(() => true);
      const starting = exitWhileStarting(1000);
      const signal = () => {
        for (const listener of added('SIGTERM')) listener('SIGTERM');
      };
      return { exit, kill, starting, signal };
    };

    test('ends the process at once as long as it has nothing to finish', () => {
      const { exit, signal } = begin();
      signal();
      expect(exit).toHaveBeenCalledWith(0);
    });

    test('R7: waits for the start once jobs are taken, and is heard then, with all the time to stop: nothing is left behind', async () => {
      const { exit, kill, starting, signal } = begin();
      starting.takesWork();
      signal();
      expect(exit).not.toHaveBeenCalled();
      starting.dispose();
      expect(kill).toHaveBeenCalledWith(process.pid, 'SIGTERM');
      expect(added('SIGTERM')).toEqual([]);
      await jest.advanceTimersByTimeAsync(1000);
      expect(exit).not.toHaveBeenCalled();
    });

    test('R7: does not wait for a start that hangs', async () => {
      const { exit, starting, signal } = begin();
      starting.takesWork();
      signal();
      await jest.advanceTimersByTimeAsync(1000);
      expect(exit).toHaveBeenCalledWith(0);
    });

    test('a start without a signal ends nothing', () => {
      const { exit, kill, starting } = begin();
      starting.takesWork();
      starting.dispose();
      expect(exit).not.toHaveBeenCalled();
      expect(kill).not.toHaveBeenCalled();
    });
  });
});
