import { Redis, type ClusterOptions, type RedisOptions } from 'ioredis';
import type { Logger } from './logger.ts';
import { describeTarget, type ClusterTarget, type RedisAccess, type RedisTarget } from './redis-target.ts';
import { redisReason } from './redis-trouble.ts';
import { openSteadyCluster } from './steady-cluster.ts';

export { describeTarget, type RedisTarget } from './redis-target.ts';

/** Longest wait for one command of the receiver; its caller adds its own deadline on top (a frozen Redis keeps the socket up). */
export const COMMAND_TIMEOUT_MS = 2000;

/** A connection on which nothing has come for so long although something was asked is left: what is asked would only pile up. */
const SILENCE_MS = 5000;
/** The same of a worker, where another node may have taken over from one that is frozen or whose machine is gone: longer than any blocking read. */
const WORKER_SILENCE_MS = 20_000;

type Options = Omit<RedisOptions, 'replyMapping'>;

/** What differs between those who answer a request and those who may wait. */
interface Manner {
  readonly options: Options;
  /** How often a command of a cluster is tried while its node is away, ten times a second. */
  readonly maxRedirections: number;
}

const RECEIVER: Manner = {
  options: {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: SILENCE_MS,
  },
  maxRedirections: 10,
};
/** BullMQ requires `maxRetriesPerRequest: null` for blocking commands. */
const WORKER: Manner = {
  options: { enableOfflineQueue: true, maxRetriesPerRequest: null },
  maxRedirections: Infinity,
};

/** For whatever answers a request: fails at once instead of queueing while Redis is away. */
export function openReceiverRedis(target: RedisTarget, log: Logger): Redis {
  return open(target, RECEIVER, log);
}

/** For workers: waits for Redis to come back. */
export function openWorkerRedis(target: RedisTarget, log: Logger): Redis {
  return open(target, WORKER, log);
}

const waitToRetry = (attempt: number): number => Math.min(100 * attempt, 1000);

/**
 * Of every connection. After a failover the old address may lead to a replica, which refuses to write for as long as one stays connected; and a peer that
 * vanished without a word is noticed by probes.
 */
const COMMON = {
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  keepAlive: 10_000,
} as const satisfies Options;
/** Where another node may take over. */
const OF_SEVERAL = { socketTimeout: WORKER_SILENCE_MS, connectTimeout: 5000 } as const satisfies Options;

function open(target: RedisTarget, manner: Manner, log: Logger): Redis {
  const redis = 'clusterNodes' in target ? openCluster(target, manner) : openNode(target, manner);
  let reported = false;
  redis.on('error', (error: Error) => {
    if (reported) return;
    reported = true;
    log.warn({ redis: describeTarget(target), err: redisReason(error) }, 'Redis is not reachable; retrying');
  });
  redis.on('ready', () => {
    if (reported) log.info({ redis: describeTarget(target) }, 'Redis is reachable again');
    reported = false;
  });
  return redis;
}

function openNode(target: Exclude<RedisTarget, ClusterTarget>, { options }: Manner): Redis {
  const all: Options = { ...COMMON, retryStrategy: waitToRetry, ...options };
  if ('socketPath' in target) return new Redis({ ...all, path: target.socketPath });
  if ('url' in target) return new Redis(target.url, { ...all, ...accessOf(target) });
  const { sentinels, master, sentinelUsername, sentinelPassword, tls } = target;
  return new Redis({
    ...OF_SEVERAL,
    ...all,
    ...accessOf(target),
    sentinels: [...sentinels],
    name: master,
    sentinelRetryStrategy: waitToRetry,
    sentinelCommandTimeout: COMMAND_TIMEOUT_MS,
    ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
    ...(tls ? { sentinelTLS: tls, enableTLSForSentinelMode: true } : {}),
  });
}

/**
 * A cluster is typed as one node: all keys are in one slot, and whatever is used of it (commands, scripts, pipelines, `status`, `disconnect`) is the same.
 * What has to know the difference asks redis-nodes.ts.
 */
function openCluster(target: ClusterTarget, { options, maxRedirections }: Manner): Redis {
  const { enableOfflineQueue, ...ofNodes } = options;
  const cluster = openSteadyCluster(
    target.clusterNodes.map(({ host, port }) => ({ host, port })),
    {
      ...(enableOfflineQueue === undefined ? {} : { enableOfflineQueue }),
      maxRedirections,
      clusterRetryStrategy: waitToRetry,
      // While two nodes disagree about a slot, each sends to the other.
      retryDelayOnMoved: 20,
      redisOptions: { ...COMMON, ...OF_SEVERAL, ...ofNodes, ...accessOf(target) },
      ...(target.tls ? { dnsLookup: keepName } : {}),
    },
  );
  return cluster as unknown as Redis;
}

/** A certificate may hold the name only. */
const keepName: NonNullable<ClusterOptions['dnsLookup']> = (name, found) => found(null, name);

function accessOf({ username, password, tls }: RedisAccess): Options {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls } : {}),
  };
}
