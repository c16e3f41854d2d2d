import { join } from 'node:path';
import type { Config } from '../config/schema.ts';
import { startEmbeddedRedis } from '../platform/embedded-redis.ts';
import type { RedisTarget } from '../platform/redis.ts';

export interface OpenedRedis {
  readonly target: RedisTarget;
  /** Version of the embedded server; undefined for a configured one. */
  readonly embeddedVersion: string | undefined;
  /** Stops the embedded server when this process started it; leaves any other alone. */
  stop(): Promise<void>;
}

/** The configured Redis, or the embedded one of STATE_DIR (started, or joined when it already runs). `say` gets progress lines. */
export async function openRedis(
  config: Config,
  say: (line: string) => void,
  signal?: AbortSignal,
): Promise<OpenedRedis> {
  if (config.REDIS_URL) return { target: { url: config.REDIS_URL }, embeddedVersion: undefined, stop: async () => {} };
  const redis = await startEmbeddedRedis({
    stateDir: config.STATE_DIR,
    cacheDir: join(config.STATE_DIR, 'cache'),
    log: say,
    ...(signal ? { signal } : {}),
  });
  return { target: redis.target, embeddedVersion: redis.version, stop: () => redis.stop() };
}
