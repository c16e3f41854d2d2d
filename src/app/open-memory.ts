import type { Redis } from 'ioredis';
import { isRedisElsewhere } from '../config/redis-settings.ts';
import type { Config } from '../config/schema.ts';
import { createFileMemory } from '../memory/file-store.ts';
import { createRedisMemory } from '../memory/redis-store.ts';
import type { MemoryStore } from '../memory/store.ts';

/** Where MEMORY_STORE says that facts are. */
export function memoryPlace(config: Config): 'file' | 'redis' {
  if (config.MEMORY_STORE !== 'auto') return config.MEMORY_STORE;
  return isRedisElsewhere(config) ? 'redis' : 'file';
}

/** The store of facts. Undefined where they are in Redis and there is no connection to it. */
export function openMemoryStore(config: Config, redis: Redis | undefined): MemoryStore | undefined {
  if (memoryPlace(config) === 'file') return createFileMemory(config.STATE_DIR);
  return redis && createRedisMemory(redis, config.REDIS_PREFIX);
}
