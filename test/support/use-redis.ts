import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { prefixOf, startTestRedis, type TestRedis } from './redis.ts';

/** Filled in when the tests of a suite run. */
export interface UsedRedis {
  readonly server: TestRedis;
  /** A worker's connection to it. */
  readonly redis: Redis;
  /** A new one for each test. */
  readonly prefix: string;
}

/** A Redis server for the tests of the suite that calls this, and a prefix of its own for each of them. */
export function useRedis(): UsedRedis {
  const used = {} as { -readonly [Part in keyof UsedRedis]: UsedRedis[Part] };
  beforeAll(async () => {
    used.server = await startTestRedis();
    used.redis = openWorkerRedis(used.server.target, silentLogger());
  });
  beforeEach(() => {
    used.prefix = prefixOf(`t${randomUUID()}`);
  });
  afterAll(async () => {
    used.redis.disconnect();
    await used.server.stop();
  });
  return used;
}
