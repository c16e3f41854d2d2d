import type { Redis } from 'ioredis';
import type { Logger } from '../platform/logger.ts';

/** This Redis may throw away jobs and admissions when its memory is full. */
export class EvictionPolicyError extends Error {
  override readonly name = 'EvictionPolicyError';
}

/**
 * Rejects with `EvictionPolicyError` unless `maxmemory-policy` is `noeviction`: any other one loses alerts without a trace. Where the
 * provider forbids CONFIG it cannot be known; that is a warning.
 */
export async function requireNoEviction(redis: Redis, log: Logger): Promise<void> {
  let policy: string | undefined;
  try {
    const answer: unknown = await redis.config('GET', 'maxmemory-policy');
    policy = Array.isArray(answer) ? String(answer[1]) : undefined;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ReplyError') throw error;
  }
  if (policy === undefined) {
    log.warn('Redis does not tell its maxmemory-policy; make sure that it is noeviction, or alerts may be lost');
    return;
  }
  if (policy === 'noeviction') return;
  throw new EvictionPolicyError(
    `Redis has maxmemory-policy ${policy}, which may evict queued alerts. Set it to noeviction (redis.conf, or CONFIG SET maxmemory-policy noeviction), or point REDIS_URL to another Redis.`,
  );
}
