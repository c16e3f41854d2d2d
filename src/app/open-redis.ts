import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { Config } from '../config/schema.ts';
import { startEmbeddedRedis } from '../platform/embedded-redis.ts';
import { silentLogger, type Logger } from '../platform/logger.ts';
import { findMasters, readFacts } from '../platform/redis-nodes.ts';
import { settingOf } from '../platform/redis-target.ts';
import { otherKind, redisReason } from '../platform/redis-trouble.ts';
import { describeTarget, openReceiverRedis, type RedisTarget } from '../platform/redis.ts';
import { EvictionPolicyError, requireNoEviction } from '../queue/eviction-policy.ts';
import { targetOf } from './redis-target.ts';

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
  const target = targetOf(config);
  if (target) return { target, embeddedVersion: undefined, stop: async () => {} };
  const redis = await startEmbeddedRedis({
    stateDir: config.STATE_DIR,
    cacheDir: join(config.STATE_DIR, 'cache'),
    log: say,
    ...(signal ? { signal } : {}),
  });
  return { target: redis.target, embeddedVersion: redis.version, stop: () => redis.stop() };
}

/** Redis does not answer. The message says which and why, without credentials. */
export class RedisUnreachable extends Error {
  override readonly name = 'RedisUnreachable';
}

/** Redis is there, and another setting is meant for it. */
export class WrongKindOfRedis extends Error {
  override readonly name = 'WrongKindOfRedis';
}

/** A cluster that misses masters says nothing by itself; nor does an address that nobody answers at. */
const CONNECT_LIMIT_MS = 5000;

/**
 * A ready connection for a command that ends soon: one attempt, no waiting for Redis to come back. The caller disconnects it. Throws RedisUnreachable, or
 * WrongKindOfRedis.
 */
export async function connectOnce(target: RedisTarget): Promise<Redis> {
  const redis = openReceiverRedis(target, silentLogger());
  try {
    await untilReady(redis, target);
  } catch (error) {
    redis.disconnect();
    const kind = otherKind(error as Error);
    if (kind !== undefined) throw new WrongKindOfRedis(kind, { cause: error });
    const reason = redisReason(error as Error);
    throw new RedisUnreachable(`Redis at ${describeTarget(target)} does not answer: ${reason}`, { cause: error });
  }
  try {
    await requireKind(redis, target);
    return redis;
  } catch (error) {
    redis.disconnect();
    throw error;
  }
}

/** Resolves when the connection can be used for the first time; rejects when its first attempt fails, or takes too long. */
export async function untilReady(redis: Redis, target: RedisTarget): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      redis.once('ready', resolve);
      redis.once('error', reject);
      timer = setTimeout(() => reject(new Error(`nothing came in time${guessAt(target)}`)), CONNECT_LIMIT_MS);
    });
  } finally {
    clearTimeout(timer);
  }
}

/** What says nothing, and nothing else is wrong. */
function guessAt(target: RedisTarget): string {
  if ('clusterNodes' in target)
    return '; the cluster may miss some of its masters (CLUSTERDOWN), or its hosts have no address';
  return 'tls' in target ? '; the port may not speak TLS' : '';
}

/** One node of a cluster has a part of the keys, and a Sentinel has none. */
async function requireKind(redis: Redis, target: RedisTarget): Promise<void> {
  if (settingOf(target) !== 'REDIS_URL') return;
  // Who may not ask finds out by the first command.
  const mode = await readFacts(redis).then(
    (facts) => facts.mode,
    () => undefined,
  );
  if (mode === 'cluster')
    throw new WrongKindOfRedis(
      'REDIS_URL leads to a node of a Redis Cluster: set REDIS_CLUSTER_NODES=host:port instead',
    );
  if (mode === 'sentinel')
    throw new WrongKindOfRedis('REDIS_URL leads to a Sentinel: set REDIS_SENTINELS=host:port instead');
}

/** A full Redis and a read-only replica answer a ping, too. */
export async function requireWrites(redis: Redis, prefix: string): Promise<void> {
  await redis.set(`${prefix}:readiness`, '', 'EX', 60);
}

/** What a command that ends soon does with Redis; everything is closed behind it. Throws RedisUnreachable. */
export async function withRedis<T>(
  config: Config,
  say: (line: string) => void,
  use: (redis: Redis, target: RedisTarget) => Promise<T>,
): Promise<T> {
  const opened = await openRedis(config, say);
  try {
    const redis = await connectOnce(opened.target);
    try {
      return await use(redis, opened.target);
    } finally {
      redis.disconnect();
    }
  } finally {
    await opened.stop();
  }
}

/** How many every master should have, and who hears that there are fewer. */
interface WantedReplicas {
  readonly count: number;
  readonly log: Logger;
}

async function sayFewReplicas(redis: Redis, { count, log }: WantedReplicas): Promise<void> {
  const nodes = await Promise.all((await findMasters(redis)).map(readFacts));
  const replicas = Math.min(...nodes.map((node) => node.replicas));
  if (replicas >= count) return;
  log.warn(
    { replicas },
    `fewer replicas than REDIS_MIN_REPLICAS (${count}): until they follow, alerts are answered 503`,
  );
}

/**
 * Before anything else is opened on it: alerts must not be put where they may be evicted. Throws EvictionPolicyError or WrongKindOfRedis. A Redis that is away,
 * or a part of it, is not judged here; a worker looks again.
 */
export async function refuseEviction(target: RedisTarget, log: Logger, wanted?: WantedReplicas): Promise<void> {
  let redis: Redis | undefined;
  try {
    redis = await connectOnce(target);
    await requireNoEviction(redis, target, log);
    if (wanted !== undefined && wanted.count > 0) await sayFewReplicas(redis, wanted);
  } catch (error) {
    if (error instanceof EvictionPolicyError || error instanceof WrongKindOfRedis) throw error;
  } finally {
    redis?.disconnect();
  }
}
