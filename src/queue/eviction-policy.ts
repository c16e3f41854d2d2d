import type { Redis } from 'ioredis';
import type { Logger } from '../platform/logger.ts';
import { findMasters, readFacts, type NodeFacts } from '../platform/redis-nodes.ts';
import { settingOf, type RedisTarget } from '../platform/redis-target.ts';

/** This Redis may throw away jobs and admissions when its memory is full. */
export class EvictionPolicyError extends Error {
  override readonly name = 'EvictionPolicyError';
}

/**
 * Rejects with `EvictionPolicyError` unless `maxmemory-policy` is `noeviction`, at every master of a cluster: any other one loses alerts without a trace. Where
 * the user may not ask for it it cannot be known; that is a warning.
 */
export async function requireNoEviction(redis: Redis, target: RedisTarget, log: Logger): Promise<void> {
  const setting = settingOf(target);
  for (const node of await findMasters(redis)) await requirePolicy(node, setting, log);
}

async function requirePolicy(node: Redis, setting: string, log: Logger): Promise<void> {
  try {
    refuseEvicting(await readFacts(node), setting);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ReplyError' || !/^NOPERM|^ERR unknown/.test(error.message))
      throw error;
    log.warn('Redis does not tell its maxmemory-policy; make sure that it is noeviction, or alerts may be lost');
  }
}

/** The same for one whose facts are known. `setting` leads to it. */
export function refuseEvicting({ product, address, policy, replicas }: NodeFacts, setting: string): void {
  if (policy === undefined || policy === 'noeviction') return;
  const who = address === undefined ? product : `${product} at ${address}`;
  // One of them may be the master next.
  const where = replicas > 0 ? ', there and at its replicas' : '';
  throw new EvictionPolicyError(
    `${who} has maxmemory-policy ${policy}, which may evict queued alerts. Set it to noeviction${where} (redis.conf, or CONFIG SET maxmemory-policy noeviction), or point ${setting} to another Redis.`,
  );
}
