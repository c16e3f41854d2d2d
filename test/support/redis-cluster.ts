import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { createRedisNode, KEEPS_DATA, type RedisNode } from './redis-node.ts';
import type { TestRedis } from './redis.ts';

const SLOTS = 16_384;
const MASTERS = 3;
/** After so long (ms) without an answer a node counts as gone, and the others take nothing until it is back. */
const NODE_TIMEOUT_MS = 1500;

export interface TestCluster extends TestRedis {
  readonly nodes: readonly RedisNode[];
}

export interface TestClusterOptions {
  /** Keys of Rootnote's have this prefix, in braces: its node is the one that is killed and frozen. */
  readonly prefix?: string;
}

/** Three masters on loopback that share the slots. `kill`, `pause` and `restart` concern the one that has the keys of the prefix. */
export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { prefix = 'rootnote' } = options;
  const folder = await mkdtemp(join(tmpdir(), 'rn-cluster-'));
  const nodes: RedisNode[] = [];
  for (let number = 0; number < MASTERS; number++) nodes.push(await createNode(folder, await freePort()));
  await Promise.all(nodes.map((node) => node.start()));
  await joinAll(nodes);
  const [first] = nodes as [RedisNode];
  const slot = Number(await first.ask('CLUSTER', 'KEYSLOT', `{${prefix}}`));
  const ours = nodes[Math.floor((slot * MASTERS) / SLOTS)] ?? first;
  const clusterNodes = nodes.map(({ port }) => ({ host: '127.0.0.1', port }));
  return {
    nodes,
    target: { clusterNodes },
    url: `redis://${ours.address}`,
    env: { REDIS_CLUSTER_NODES: nodes.map(({ address }) => address).join(',') },
    stop: async () => {
      for (const node of nodes) node.resume();
      await Promise.all(nodes.map((node) => node.kill()));
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
    kill: () => ours.kill(),
    pause: () => ours.pause(),
    resume: () => ours.resume(),
    restart: async () => {
      await ours.stop();
      await ours.start();
      await untilWhole(nodes);
    },
  };
}

/** The bus of a cluster needs a port, too; by default it is 10,000 higher, and may be taken or too high. */
async function createNode(folder: string, port: number): Promise<RedisNode> {
  const ofCluster = [
    'cluster-enabled yes',
    `cluster-port ${await freePort()}`,
    `cluster-node-timeout ${NODE_TIMEOUT_MS}`,
  ];
  return createRedisNode(folder, port, [...KEEPS_DATA, ...ofCluster]);
}

async function joinAll(nodes: readonly RedisNode[]): Promise<void> {
  const [first] = nodes as [RedisNode];
  await Promise.all(
    nodes.map(async (node, number) => {
      const [from, to] = [number, number + 1].map((n) => Math.ceil((n * SLOTS) / MASTERS)) as [number, number];
      await node.ask('CLUSTER', 'ADDSLOTSRANGE', from, to - 1);
      await node.ask('CLUSTER', 'SET-CONFIG-EPOCH', number + 1);
    }),
  );
  for (const node of nodes.slice(1)) {
    const busPort = (await node.ask('CONFIG', 'GET', 'cluster-port')) as readonly string[];
    await first.ask('CLUSTER', 'MEET', '127.0.0.1', node.port, busPort[1] ?? '');
  }
  await untilWhole(nodes);
}

async function untilWhole(nodes: readonly RedisNode[]): Promise<void> {
  for (const node of nodes) {
    await eventually(
      `node ${node.port} sees the whole cluster`,
      async () => String(await node.ask('CLUSTER', 'INFO')),
      (info) => info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${MASTERS}`),
    );
  }
}
