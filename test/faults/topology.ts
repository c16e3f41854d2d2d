import { startTestCluster } from '../support/redis-cluster.ts';
import { startTestSentinels } from '../support/redis-sentinel.ts';
import { startTestRedis, type TestRedis, type TestRedisOptions } from '../support/redis.ts';
import { stablePort } from './process.ts';

/** How many Redis servers there are, and how they hang together. */
export const TOPOLOGIES = ['single', 'sentinel', 'cluster'] as const;
export type Topology = (typeof TOPOLOGIES)[number];

/** On ports that stay free while a server is gone. `options` are for a single one. */
export async function startStore(topology: Topology, options: TestRedisOptions = {}): Promise<TestRedis> {
  // Not by the seed: runs of one seed beside each other would take each other's ports.
  const nextPort = () => stablePort(Math.random);
  if (topology === 'sentinel') return startTestSentinels(nextPort);
  if (topology === 'cluster') return startTestCluster({ nextPort });
  return startTestRedis({ port: await nextPort(), ...options });
}
