import type { Redis } from 'ioredis';
import { isRedisElsewhere } from '../config/redis-settings.ts';
import type { Config } from '../config/schema.ts';
import type { CheckResult } from '../domain/check-result.ts';
import { counted } from '../domain/counted.ts';
import { findMasters, readFacts, type NodeFacts } from '../platform/redis-nodes.ts';
import { settingOf } from '../platform/redis-target.ts';
import { redisRefusal, redisTrouble } from '../platform/redis-trouble.ts';
import { describeTarget, type RedisTarget } from '../platform/redis.ts';
import { EvictionPolicyError, refuseEvicting } from '../queue/eviction-policy.ts';
import { connectOnce, openRedis, requireWrites, RedisUnreachable, WrongKindOfRedis } from './open-redis.ts';
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
    const nodes = await readNodes(redis);
    for (const node of nodes ?? []) refuseEvicting(node, settingOf(opened.target));
    await requireWrites(redis, config.REDIS_PREFIX);
    const kind = isRedisElsewhere(config) ? '' : ', embedded';
    const value = `${describeNodes(opened.target, nodes)}${kind}`;
    const undecided = await readUndecided(redis, config.REDIS_PREFIX);
    const doubt = undecided
      ? { value: sayWaiting(undecided), remedy: 'Start rootnote work, or all, on this Redis.' }
      : doubtAbout(nodes, config);
    if (!doubt) return { name, status: 'ok', value };
    return { name, status: 'warn', value: `${value}; ${doubt.value}`, remedy: doubt.remedy };
  } catch (error) {
    return { name, status: 'fail', ...explain(error, opened.target) };
  } finally {
    redis?.disconnect();
    await opened.stop();
  }
}

/** Of every master; undefined where the user may not ask. */
async function readNodes(redis: Redis): Promise<readonly NodeFacts[] | undefined> {
  try {
    return await Promise.all((await findMasters(redis)).map(readFacts));
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('NOPERM')) return undefined;
    throw error;
  }
}

/** `Redis 7.0.15 at …, noeviction, append-only file`: what was seen. */
function describeNodes(target: RedisTarget, nodes: readonly NodeFacts[] | undefined): string {
  const [first] = nodes ?? [];
  if (!nodes || !first) return `Redis of unknown version at ${describeTarget(target)}`;
  const versions = [...new Set(nodes.map(({ product, version = 'of unknown version' }) => `${product} ${version}`))];
  const replicas = nodes.reduce((sum, node) => sum + node.replicas, 0);
  const masters = 'clusterNodes' in target ? [counted(nodes.length, 'master')] : [];
  return [
    `${versions.join(' and ')} at ${describeTarget(target)}`,
    ...masters,
    ...(replicas > 0 || settingOf(target) !== 'REDIS_URL' ? [counted(replicas, 'replica')] : []),
    ...(first.policy === undefined ? [] : [first.policy]),
    ...(nodes.every((node) => node.hasAppendOnlyFile) ? ['append-only file'] : []),
  ].join(', ');
}

type Doubt = Required<Pick<CheckResult, 'value' | 'remedy'>>;

/** What Redis may lose although it works now. */
function doubtAbout(nodes: readonly NodeFacts[] | undefined, config: Config): Doubt | undefined {
  if (!nodes)
    return {
      value: 'its user may not see more of it',
      remedy: 'Allow it +info, so that a wrong maxmemory-policy is seen.',
    };
  const fewest = Math.min(...nodes.map(({ replicas }) => replicas));
  if (fewest < config.REDIS_MIN_REPLICAS)
    return {
      value: `${counted(fewest, 'replica')} where REDIS_MIN_REPLICAS is ${config.REDIS_MIN_REPLICAS}`,
      remedy: 'Until enough replicas follow every master, alerts are answered 503 and senders send them again.',
    };
  if (config.REDIS_MIN_REPLICAS === 0 && (config.REDIS_SENTINELS || nodes.some(({ replicas }) => replicas > 0)))
    return {
      value: 'a failover may lose what replicas do not have yet',
      remedy: 'Set REDIS_MIN_REPLICAS=1: an alert is then acknowledged when a replica has it.',
    };
  if (nodes.every(({ hasAppendOnlyFile }) => hasAppendOnlyFile !== false)) return undefined;
  return {
    value: 'no append-only file',
    remedy: 'Set appendonly yes: without it a restart of Redis loses what came since its last snapshot.',
  };
}

function explain(error: unknown, target: RedisTarget): Pick<CheckResult, 'value' | 'remedy'> {
  const value = error instanceof Error ? error.message : String(error);
  const setting = settingOf(target);
  if (error instanceof EvictionPolicyError)
    return { value, remedy: `No role starts on this Redis: change its policy, or ${setting}.` };
  if (error instanceof WrongKindOfRedis) return { value, remedy: `Change ${setting} as it says.` };
  // Which setting it is stands in the words.
  if (error instanceof RedisUnreachable && redisRefusal(error.cause) !== undefined)
    return { value, remedy: 'Mend what it says, and ask again.' };
  const trouble = error instanceof RedisUnreachable ? undefined : redisTrouble(error);
  if (trouble !== undefined)
    return { value: trouble, remedy: 'Until it takes writes, alerts are answered 503 and senders send them again.' };
  return { value, remedy: `Check ${setting}, or unset it to use the embedded Redis.` };
}
