import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { createRedisNode, KEEPS_DATA, type RedisNode } from './redis-node.ts';
import type { TestRedis } from './redis.ts';
import { findSuccessor, untilSettled } from './sentinel-views.ts';

const SENTINELS = 3;
const SERVERS = 3;
const QUORUM = 2;
const MASTER = 'mymaster';
/** Longer than the second between two pings: else a Sentinel takes the new master for gone before it has asked it, and elects another one. */
const DOWN_AFTER_MS = 2000;

export interface TestSentinels extends Omit<TestRedis, 'pause' | 'resume'> {
  readonly servers: readonly RedisNode[];
  readonly sentinels: readonly RedisNode[];
  pause(): Promise<void>;
  resume(): Promise<void>;
}

/**
 * One master with two replicas, and three Sentinels. A server without replicas takes no writes. `kill` and `pause` concern whoever is the master then, as
 * soon as the Sentinels could do without it. `restart` and `resume` wait for its successor; `restart` brings it back as a replica, after `resume` it still takes
 * itself for the master. Were it back sooner, what it and a replica took meanwhile would be lost with both: no `REDIS_MIN_REPLICAS` below 2 keeps that.
 */
export async function startTestSentinels(): Promise<TestSentinels> {
  const folder = await mkdtemp(join(tmpdir(), 'rn-sentinel-'));
  const servers: RedisNode[] = [];
  for (let number = 0; number < SERVERS; number++) servers.push(await createServer(folder, await freePort()));
  let [master] = servers as [RedisNode];
  await Promise.all(servers.map((server) => server.start(...(server === master ? [] : following(master)))));
  await untilFollowed(master, SERVERS - 1);
  const sentinels: RedisNode[] = [];
  for (let number = 0; number < SENTINELS; number++)
    sentinels.push(await createSentinel(folder, await freePort(), master));
  await Promise.all(sentinels.map((sentinel) => sentinel.start()));
  const settled = async () => {
    const agreed = await untilSettled(MASTER, sentinels, servers, SERVERS - 1);
    await untilFollowed(agreed, SERVERS - 1);
    return agreed;
  };
  await settled();
  const untilReplaced = async () => {
    const gone = master;
    master = await findSuccessor(MASTER, sentinels, servers, gone);
    await untilFollowed(master, SERVERS - 2);
    return gone;
  };
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
      master = await settled();
      await master.kill();
    },
    pause: async () => {
      master = await settled();
      master.pause();
    },
    resume: async () => (await untilReplaced()).resume(),
    restart: async () => {
      const gone = await untilReplaced();
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
