import { describe, expect, test } from '@jest/globals';
import { redisTrouble } from '../../../src/platform/redis-trouble.ts';

describe('why Redis did not do it, in words', () => {
  const answered = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });

  test.each([
    [new Error("Stream isn't writeable and enableOfflineQueue options is false"), /not reachable/],
    [new Error('Connection is closed.'), /not reachable/],
    [new Error('Command timed out'), /does not answer/],
    [new Error("Socket timeout. Expecting data, but didn't receive any in 5000ms."), /does not answer/],
    [answered("OOM command not allowed when used memory > 'maxmemory'."), /full.*\(OOM\)/],
    [answered('MISCONF Redis is configured to save RDB snapshots'), /disk.*\(MISCONF\)/],
    [answered("READONLY You can't write against a read only replica."), /replica/],
    [answered('LOADING Redis is loading the dataset in memory'), /loads/],
  ])('%s', (error, words) => {
    expect(redisTrouble(error)).toMatch(words);
  });

  test('of a transaction, the error that had it thrown away', () => {
    const discarded = answered('EXECABORT Transaction discarded because of previous errors.');
    const full = Object.assign(discarded, { previousErrors: [answered('OOM command not allowed')] });
    expect(redisTrouble(full)).toMatch(/full/);
  });

  test('every other error is not explained away, whatever it says', () => {
    for (const error of [new Error('OOM killed'), answered('WRONGTYPE Operation against a key'), 'OOM', undefined])
      expect(redisTrouble(error)).toBeUndefined();
  });
});
