import type { Redis } from 'ioredis';
import type { Config } from '../config/schema.ts';
import { createFileMemory } from '../memory/file-store.ts';
import { createRedisMemory } from '../memory/redis-store.ts';
import type { MemoryStore } from '../memory/store.ts';

/** Where MEMORY_STORE says that facts are. */
export function memoryPlace({ MEMORY_STORE, REDIS_URL }: Config): 'file' | 'redis' {
  if (MEMORY_STORE !== 'auto') return MEMORY_STORE;
  return REDIS_URL === undefined ? 'file' : 'redis';
}

/** The store of facts. Undefined where they are in Redis and there is no connection to it. */
export function openMemoryStore(config: Config, redis: Redis | undefined): MemoryStore | undefined {
  if (memoryPlace(config) === 'file') return createFileMemory(config.STATE_DIR);
  return redis && createRedisMemory(redis, config.REDIS_PREFIX);
}
