import { describe, expect, test } from '@jest/globals';
import { createLifetime } from '../../../src/app/lifetime.ts';
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
