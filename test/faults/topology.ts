import { startTestCluster } from '../support/redis-cluster.ts';
import { startTestSentinels } from '../support/redis-sentinel.ts';
import { startTestRedis, type TestRedis, type TestRedisOptions } from '../support/redis.ts';

/** How many Redis servers there are, and how they hang together. */
export const TOPOLOGIES = ['single', 'sentinel', 'cluster'] as const;
export type Topology = (typeof TOPOLOGIES)[number];

export interface Store extends Omit<TestRedis, 'pause' | 'resume'> {
  /** With Sentinels: as soon as they could do without the master. */
  pause(): void | Promise<void>;
  /** With Sentinels: when another one has taken its place. */
  resume(): void | Promise<void>;
}

/** On ports that stay free while a server is gone. `options` are for a single one. */
export async function startStore(topology: Topology, options: TestRedisOptions = {}): Promise<Store> {
  if (topology === 'sentinel') return startTestSentinels();
  if (topology === 'cluster') return startTestCluster();
  return startTestRedis(options);
}
