import { Cluster, type Redis } from 'ioredis';

/** What a node says of itself. */
export interface NodeFacts {
  /** `10.0.0.3:6379`; undefined of one at a socket. */
  readonly address: string | undefined;
  readonly product: 'Redis' | 'Valkey';
  /** Undefined where it does not say. */
  readonly version: string | undefined;
  readonly mode: 'standalone' | 'sentinel' | 'cluster';
  /** `maxmemory-policy`; undefined where it does not say. */
  readonly policy: string | undefined;
  /** Undefined where it does not say. */
  readonly hasAppendOnlyFile: boolean | undefined;
  /** Replicas that are connected. */
  readonly replicas: number;
}

/** Asks one node. Rejects when it does not answer, or refuses. */
export async function readFacts(node: Redis): Promise<NodeFacts> {
  const info = await node.info();
  const read = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const valkey = read('valkey_version');
  const mode = read('redis_mode') ?? read('server_mode');
  const appends = read('aof_enabled');
  return {
    address: addressOf(node),
    product: valkey === undefined ? 'Redis' : 'Valkey',
    version: valkey ?? read('redis_version'),
    mode: mode === 'sentinel' || mode === 'cluster' ? mode : 'standalone',
    policy: read('maxmemory_policy'),
    hasAppendOnlyFile: appends === undefined ? undefined : appends === '1',
    replicas: Number(read('connected_slaves') ?? 0),
  };
}

/** Of whom the connection leads to: Sentinels and clusters name nodes that no setting does. */
function addressOf({ stream: { remoteAddress: host, remotePort: port } }: Redis): string | undefined {
  if (host === undefined || port === undefined) return undefined;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Every master of a cluster; else the one node that is connected. Waits, as a command does, until the connection knows. */
export async function findMasters(redis: Redis): Promise<readonly Redis[]> {
  const cluster = asCluster(redis);
  if (!cluster) return [redis];
  await cluster.ping();
  return cluster.nodes('master');
}

/** By key: of one prefix or a few, and never another one. */
const slots = new Map<string, number>();

/** The node that has the keys of the slot that this key is in; undefined while nobody knows. */
export async function findNode(redis: Redis, key: string): Promise<Redis | undefined> {
  const cluster = asCluster(redis);
  if (!cluster) return redis;
  const slot = slots.get(key) ?? (await cluster.cluster('KEYSLOT', key));
  slots.set(key, slot);
  const [address] = cluster.slots[slot] ?? [];
  return cluster.nodes('master').find(({ options }) => `${options.host}:${options.port}` === address);
}

/** Redis' clock (ms), on the node that has this key: those of a cluster may differ. */
export async function readClockMs(redis: Redis, key: string): Promise<number> {
  const [seconds, micros] = (await redis.eval("return redis.call('TIME')", 1, key)) as [string, string];
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}

function asCluster(redis: unknown): Cluster | undefined {
  return redis instanceof Cluster ? redis : undefined;
}
