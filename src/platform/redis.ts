import { Redis, type RedisOptions } from 'ioredis';
import type { Logger } from './logger.ts';

/** Where Redis is: a URL, or the unix socket of the embedded server. */
export type RedisTarget = { readonly url: string } | { readonly socketPath: string };

/** Text for logs and messages: no credentials. */
export function describeTarget(target: RedisTarget): string {
  if ('socketPath' in target) return target.socketPath;
  const url = new URL(target.url);
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** Longest wait for one command of the receiver; its caller adds its own deadline on top (a frozen Redis keeps the socket up). */
export const COMMAND_TIMEOUT_MS = 2000;

/** A connection on which nothing has come for so long although something was asked is left: what is asked would only pile up. */
const SILENCE_MS = 5000;

/** For whatever answers a request: fails at once instead of queueing while Redis is away. */
export function openReceiverRedis(target: RedisTarget, log: Logger): Redis {
  return open(
    target,
    {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: COMMAND_TIMEOUT_MS,
      socketTimeout: SILENCE_MS,
      retryStrategy: (attempt) => Math.min(100 * attempt, 1000),
    },
    log,
  );
}

/** For workers: waits for Redis to come back. BullMQ requires `maxRetriesPerRequest: null` for blocking commands. */
export function openWorkerRedis(target: RedisTarget, log: Logger): Redis {
  return open(
    target,
    { enableOfflineQueue: true, maxRetriesPerRequest: null, retryStrategy: (attempt) => Math.min(100 * attempt, 1000) },
    log,
  );
}

/**
 * Of every connection. After a failover the old address may lead to a replica, which refuses to write for as long as one stays connected; and a peer that
 * vanished without a word is noticed by probes.
 */
const COMMON = {
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  keepAlive: 10_000,
} as const satisfies Omit<RedisOptions, 'replyMapping'>;

function open(target: RedisTarget, options: Omit<RedisOptions, 'replyMapping'>, log: Logger): Redis {
  const redis =
    'socketPath' in target
      ? new Redis({ ...COMMON, ...options, path: target.socketPath })
      : new Redis(target.url, { ...COMMON, ...options });
  let reported = false;
  redis.on('error', (error: Error) => {
    if (reported) return;
    reported = true;
    log.warn({ redis: describeTarget(target), err: error.message }, 'Redis is not reachable; retrying');
  });
  redis.on('ready', () => {
    if (reported) log.info({ redis: describeTarget(target) }, 'Redis is reachable again');
    reported = false;
  });
  return redis;
}
