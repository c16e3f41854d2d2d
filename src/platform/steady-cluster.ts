import { Cluster, type ClusterNode, type ClusterOptions, type RedisOptions } from 'ioredis';

/** Longer than ioredis waits for a socket to close (`disconnectTimeout`, 2 s). */
const STUCK_MS = 3000;

interface Options extends Omit<ClusterOptions, 'redisOptions'> {
  readonly redisOptions: Omit<RedisOptions, 'replyMapping'>;
}

/** As `new Cluster(nodes, options)`, for callers who wait until it is connected or has ended, as BullMQ does: with that of ioredis 6.0 they may wait for ever. */
export function openSteadyCluster(nodes: readonly ClusterNode[], options: Options): Cluster {
  const { redisOptions } = options;
  // With its ready check `connect()` never settles when a master is away just then. Commands find out themselves: CLUSTERDOWN.
  const cluster = new Cluster([...nodes], { ...options, redisOptions, enableReadyCheck: false });
  endWhereStuck(cluster);
  const duplicate = (others: readonly ClusterNode[] = [], more: Partial<Options> = {}) =>
    openSteadyCluster(others.length > 0 ? others : nodes, {
      ...options,
      ...more,
      redisOptions: { ...redisOptions, ...more.redisOptions },
    });
  cluster.duplicate = duplicate;
  return cluster;
}

/**
 * A cluster that is told to end while it has no node, or is given one meanwhile, stays `disconnecting`. And of several nodes that end each says `close`: the
 * second one is heard when the first has been dealt with, and then nobody does anything about it. Here it ends after all, and comes back unless it was told to end.
 */
function endWhereStuck(cluster: Cluster): void {
  let isWanted = true;
  let changes = 0;
  const watch = (status: 'close' | 'disconnecting') => {
    const change = ++changes;
    const endIfStuck = () => {
      if (change !== changes || cluster.status !== status) return;
      // Whoever of ioredis still waits for this does the rest, and is not left for the next time.
      cluster.emit('close');
      if (cluster.status !== status) return;
      cluster.status = 'end';
      cluster.emit('end');
      if (isWanted) cluster.connect().catch(() => undefined);
    };
    setTimeout(endIfStuck, STUCK_MS).unref();
  };
  cluster.on('close', () => watch('close'));
  cluster.on('disconnecting', () => watch('disconnecting'));
  cluster.on('connecting', () => {
    isWanted ||= cluster.status === 'connecting';
  });
  const [disconnect, quit] = [cluster.disconnect.bind(cluster), cluster.quit.bind(cluster)];
  cluster.disconnect = (reconnect = false) => {
    isWanted = reconnect;
    disconnect(reconnect);
  };
  cluster.quit = (callback) => {
    isWanted = false;
    return quit(callback);
  };
}
