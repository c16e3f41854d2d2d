import { beforeEach, expect, jest, test } from '@jest/globals';
import type { Command, Redis } from 'ioredis';
import { createScript } from '../../src/platform/redis-script.ts';
import { describeIf } from '../support/describe-if.ts';
import { REDIS } from '../support/programs.ts';
import { useRedis } from '../support/use-redis.ts';

const describeRedis = await describeIf(REDIS);

describeRedis('a script for large texts', () => {
  const used = useRedis();
  let redis: Redis;
  let key: string;
  beforeEach(() => {
    redis = used.redis;
    key = `${used.prefix}:texts`;
  });

  const APPEND = `for at = 1, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[at]) end return redis.call('LRANGE', KEYS[1], 0, -1)`;

  test('runs on a server that knows it and on one that does not, as one that was started anew', async () => {
    const append = createScript(redis, APPEND, 1);
    expect(await append([key, 'one', 2])).toEqual(['one', '2']);
    expect(await append([key, 'é\u0000\n'])).toEqual(['one', '2', 'é\u0000\n']);
    await redis.script('FLUSH');
    expect(await append([key, ''])).toEqual(['one', '2', 'é\u0000\n', '']);
  });

  test('rejects with what the server says, and does not run a second time', async () => {
    const fail = createScript(redis, `redis.call('INCR', KEYS[1]) return redis.error_reply('ERR refused')`, 1);
    await expect(fail([key])).rejects.toThrow('ERR refused');
    await expect(fail([key])).rejects.toThrow('ERR refused');
    expect(await redis.get(key)).toBe('2');
  });

  test('holds nothing of what was answered', async () => {
    await redis.script('FLUSH');
    const send = jest.spyOn(redis, 'sendCommand');
    try {
      await createScript(redis, APPEND, 1)([key, 'a long text']);
      const commands = send.mock.calls.map(([command]: [Command, ...unknown[]]) => command);
      expect(commands.map(({ name }) => name)).toEqual(['evalsha', 'eval']);
      expect(commands.flatMap(({ args }) => args)).toEqual([]);
    } finally {
      send.mockRestore();
    }
  });
});
