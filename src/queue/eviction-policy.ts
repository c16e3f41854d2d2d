import type { Redis } from 'ioredis';
import type { Logger } from '../platform/logger.ts';
import { findMasters, readFacts, type NodeFacts } from '../platform/redis-nodes.ts';

/** This Redis may throw away jobs and admissions when its memory is full. */
export class EvictionPolicyError extends Error {
  override readonly name = 'EvictionPolicyError';
}

/**
 * Rejects with `EvictionPolicyError` unless `maxmemory-policy` is `noeviction`, at every master of a cluster: any other one loses alerts without a trace. Where
 * the user may not ask for it it cannot be known; that is a warning.
 */
export async function requireNoEviction(redis: Redis, log: Logger): Promise<void> {
  for (const node of await findMasters(redis)) await requirePolicy(node, log);
}

async function requirePolicy(node: Redis, log: Logger): Promise<void> {
  try {
    refuseEvicting(await readFacts(node));
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ReplyError' || !/^NOPERM|^ERR unknown/.test(error.message))
      throw error;
    log.warn('Redis does not tell its maxmemory-policy; make sure that it is noeviction, or alerts may be lost');
  }
}

/** The same for one whose facts are known. */
export function refuseEvicting({ product, policy }: NodeFacts): void {
  if (policy === undefined || policy === 'noeviction') return;
  throw new EvictionPolicyError(
    `${product} has maxmemory-policy ${policy}, which may evict queued alerts. Set it to noeviction (redis.conf, or CONFIG SET maxmemory-policy noeviction), or point REDIS_URL to another Redis.`,
  );
}
