/** Where a node listens. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

/** How one is let in: as whom, and by TLS with which authority and certificate (PEM). */
export interface RedisAccess {
  readonly username?: string;
  readonly password?: string;
  /** Present: nodes are spoken to by TLS. A URL says so by itself. */
  readonly tls?: RedisTls;
}

export interface RedisTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Where Redis is: the unix socket of the embedded server, the URL of one node, Sentinels that know the master, or nodes of a cluster. */
export type RedisTarget = SocketTarget | UrlTarget | SentinelTarget | ClusterTarget;

export interface SocketTarget {
  readonly socketPath: string;
}

export interface UrlTarget extends RedisAccess {
  readonly url: string;
}

export interface SentinelTarget extends RedisAccess {
  readonly sentinels: readonly RedisAddress[];
  readonly master: string;
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
}

export interface ClusterTarget extends RedisAccess {
  readonly clusterNodes: readonly RedisAddress[];
}

/** Text for logs and messages: no credentials. */
export function describeTarget(target: RedisTarget): string {
  if ('socketPath' in target) return target.socketPath;
  if ('sentinels' in target) return `${target.master} of the Sentinels ${listOf(target.sentinels)}`;
  if ('clusterNodes' in target) return `the cluster of ${listOf(target.clusterNodes)}`;
  const url = new URL(target.url);
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** The settings that say it. */
export function settingOf(target: RedisTarget): 'REDIS_URL' | 'REDIS_SENTINELS' | 'REDIS_CLUSTER_NODES' {
  if ('sentinels' in target) return 'REDIS_SENTINELS';
  return 'clusterNodes' in target ? 'REDIS_CLUSTER_NODES' : 'REDIS_URL';
}

function listOf(addresses: readonly RedisAddress[]): string {
  return addresses.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(', ');
}
