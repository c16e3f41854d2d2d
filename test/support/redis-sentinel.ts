import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { createRedisNode, KEEPS_DATA, type RedisNode } from './redis-node.ts';
import type { TestRedis } from './redis.ts';

const SENTINELS = 3;
const SERVERS = 3;
const QUORUM = 2;
const MASTER = 'mymaster';
const DOWN_AFTER_MS = 1000;

export interface TestSentinels extends TestRedis {
  readonly servers: readonly RedisNode[];
  readonly sentinels: readonly RedisNode[];
}

/**
 * One master with two replicas, and three Sentinels. A server without replicas takes no writes. `kill` and `pause` concern whoever is the master then;
 * `restart` waits for its successor and brings it back as a replica.
 */
export async function startTestSentinels(nextPort = freePort): Promise<TestSentinels> {
  const folder = await mkdtemp(join(tmpdir(), 'rn-sentinel-'));
  const servers: RedisNode[] = [];
  for (let number = 0; number < SERVERS; number++) servers.push(await createServer(folder, await nextPort()));
  let [master] = servers as [RedisNode];
  await Promise.all(servers.map((server) => server.start(...(server === master ? [] : following(master)))));
  await untilFollowed(master, SERVERS - 1);
  const sentinels: RedisNode[] = [];
  for (let number = 0; number < SENTINELS; number++)
    sentinels.push(await createSentinel(folder, await nextPort(), master));
  await Promise.all(sentinels.map((sentinel) => sentinel.start()));
  await untilAgreed(sentinels);
  const addresses = sentinels.map(({ port }) => ({ host: '127.0.0.1', port }));
  return {
    servers,
    sentinels,
    target: { sentinels: addresses, master: MASTER },
    get url() {
      return `redis://${master.address}`;
    },
    env: { REDIS_SENTINELS: sentinels.map(({ address }) => address).join(','), REDIS_MIN_REPLICAS: '1' },
    stop: async () => {
      for (const server of servers) server.resume();
      await Promise.all([...sentinels, ...servers].map((node) => node.kill()));
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
    kill: async () => {
      master = await findMaster(sentinels, servers);
      await master.kill();
    },
    pause: () => master.pause(),
    resume: () => master.resume(),
    restart: async () => {
      const gone = master;
      master = await findSuccessor(sentinels, servers, gone);
      await gone.start(...following(master));
      await untilFollowed(master, SERVERS - 1);
    },
  };
}

const following = (master: RedisNode): readonly string[] => ['--replicaof', `127.0.0.1 ${master.port}`];

function createServer(folder: string, port: number): Promise<RedisNode> {
  const ofReplication = ['repl-diskless-sync-delay 0', 'min-replicas-to-write 1', 'min-replicas-max-lag 5'];
  return createRedisNode(folder, port, [...KEEPS_DATA, ...ofReplication]);
}

function createSentinel(folder: string, port: number, master: RedisNode): Promise<RedisNode> {
  const lines = [
    `sentinel monitor ${MASTER} 127.0.0.1 ${master.port} ${QUORUM}`,
    `sentinel down-after-milliseconds ${MASTER} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${MASTER} 6000`,
  ];
  return createRedisNode(folder, port, lines, 'sentinel');
}

async function untilFollowed(master: RedisNode, replicas: number): Promise<void> {
  await eventually(
    `${master.address} has its replicas`,
    async () => String(await master.ask('INFO', 'replication')),
    (info) => (info.match(/state=online/g) ?? []).length >= replicas,
  );
}

/** All of them know each other and the replicas: else a failover has no majority, or nobody to choose. */
async function untilAgreed(sentinels: readonly RedisNode[]): Promise<void> {
  for (const sentinel of sentinels) {
    await eventually(
      `Sentinel ${sentinel.port} knows the others`,
      async () => String(await sentinel.ask('INFO', 'sentinel')),
      (info) => info.includes(`slaves=${SERVERS - 1},sentinels=${SENTINELS}`),
    );
  }
}

async function findMaster(sentinels: readonly RedisNode[], servers: readonly RedisNode[]): Promise<RedisNode> {
  const [sentinel] = sentinels as [RedisNode];
  const [, port] = (await sentinel.ask('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER)) as readonly string[];
  const found = servers.find((server) => server.port === Number(port));
  if (!found) throw new Error(`the Sentinels name ${port}`);
  return found;
}

async function findSuccessor(
  sentinels: readonly RedisNode[],
  servers: readonly RedisNode[],
  gone: RedisNode,
): Promise<RedisNode> {
  return eventually(
    'a replica becomes the master',
    () => findMaster(sentinels, servers),
    (master) => master !== gone,
  );
}
