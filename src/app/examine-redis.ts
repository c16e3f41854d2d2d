import type { Redis } from 'ioredis';
import type { Config } from '../config/schema.ts';
import type { CheckResult } from '../domain/check-result.ts';
import { silentLogger } from '../platform/logger.ts';
import { redisTrouble } from '../platform/redis-trouble.ts';
import { describeTarget } from '../platform/redis.ts';
import { EvictionPolicyError, requireNoEviction } from '../queue/eviction-policy.ts';
import { connectOnce, openRedis, requireWrites, RedisUnreachable } from './open-redis.ts';
import { readUndecided, sayWaiting } from './watch-inbox.ts';

const name = 'redis';

/** Whether Redis can be reached, may keep alerts and does take them; and whether alerts wait in it that nobody decides. */
export async function checkRedis(
  config: Config,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<CheckResult> {
  const opened = await openRedis(config, say, signal);
  let redis: Redis | undefined;
  try {
    redis = await connectOnce(opened.target);
    await requireNoEviction(redis, silentLogger());
    await requireWrites(redis, config.REDIS_PREFIX);
    const version = /redis_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? 'of unknown version';
    const kind = config.REDIS_URL ? '' : ', embedded';
    const value = `Redis ${version} at ${describeTarget(opened.target)}${kind}`;
    const undecided = await readUndecided(redis, config.REDIS_PREFIX);
    if (!undecided) return { name, status: 'ok', value };
    return {
      name,
      status: 'warn',
      value: `${value}; ${sayWaiting(undecided)}`,
      remedy: 'Start rootnote work, or all, on this Redis.',
    };
  } catch (error) {
    return { name, status: 'fail', ...explain(error) };
  } finally {
    redis?.disconnect();
    await opened.stop();
  }
}

function explain(error: unknown): Pick<CheckResult, 'value' | 'remedy'> {
  const value = error instanceof Error ? error.message : String(error);
  if (error instanceof EvictionPolicyError)
    return { value, remedy: 'No role starts on this Redis: change its policy, or REDIS_URL.' };
  const trouble = error instanceof RedisUnreachable ? undefined : redisTrouble(error);
  if (trouble !== undefined)
    return { value: trouble, remedy: 'Until it takes writes, alerts are answered 503 and senders send them again.' };
  return { value, remedy: 'Check REDIS_URL, or unset it to use the embedded Redis.' };
}
