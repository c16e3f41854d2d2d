import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Cluster } from 'ioredis';
import { once } from 'node:events';
import { openSteadyCluster } from '../../src/platform/steady-cluster.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { REDIS } from '../support/programs.ts';
import { startTestCluster, type TestCluster } from '../support/redis-cluster.ts';

const suite = await describeIf(REDIS);
const TIMES = 20;

suite('a connection to a cluster, of which BullMQ waits for every change', () => {
  let servers: TestCluster;
  const opened: Cluster[] = [];
  const open = (retryAfterMs = 100): Cluster => {
    const { target } = servers;
    if (!('clusterNodes' in target)) throw new Error('no cluster');
    const redisOptions = { maxRetriesPerRequest: null };
    const nodes = target.clusterNodes.map(({ host, port }) => ({ host, port }));
    const cluster = openSteadyCluster(nodes, { redisOptions, clusterRetryStrategy: () => retryAfterMs });
    cluster.on('error', () => undefined);
    opened.push(cluster);
    return cluster;
  };
  const endOf = async (cluster: Cluster) => {
    const ended = once(cluster, 'end');
    cluster.disconnect();
    await ended;
  };

  beforeAll(async () => {
    servers = await startTestCluster();
  });
  afterAll(async () => {
    for (const cluster of opened) if (cluster.status !== 'end') await endOf(cluster);
    await servers.stop();
  });

  test('it ends and comes back as often as it is told to', async () => {
    const cluster = open().duplicate();
    opened.push(cluster);
    for (let time = 0; time < TIMES; time++) {
      await cluster.ping();
      await endOf(cluster);
      await cluster.connect();
      expect(cluster.status).toBe('ready');
    }
    await eventually('it stays', async () => (await cluster.ping()) === 'PONG');
  });

  test('it ends when its nodes say goodbye one after the other', async () => {
    const cluster = open();
    await cluster.ping();
    await endOf(cluster);
    // As the second of its nodes does when the first has been dealt with.
    cluster.status = 'close';
    const ended = once(cluster, 'end');
    cluster.emit('close');
    await ended;
    await cluster.connect();
    expect(await cluster.ping()).toBe('PONG');
  });

  test('it comes back when a node says goodbye while it connects anew, without being told to', async () => {
    const cluster = open(600_000);
    await cluster.ping();
    cluster.emit('close');
    expect(cluster.status).toBe('reconnecting');
    const back = once(cluster, 'ready');
    cluster.status = 'close';
    cluster.emit('close');
    await back;
    expect(await cluster.ping()).toBe('PONG');
  });

  test('it does not come back after it was told to quit, however that went', async () => {
    const cluster = open(600_000);
    await cluster.ping();
    await Promise.all([once(cluster, 'end'), cluster.quit()]);
    const ended = once(cluster, 'end');
    cluster.status = 'close';
    cluster.emit('close');
    await ended;
    expect(cluster.status).toBe('end');
  });

  test('it ends while no node is there', async () => {
    const cluster = open(600_000);
    await cluster.ping();
    await Promise.all(cluster.nodes().map((node) => node.ping()));
    const gone = once(cluster, 'reconnecting');
    for (const node of servers.nodes) await node.kill();
    await gone;
    await endOf(cluster);
    expect(cluster.status).toBe('end');
    await Promise.all(servers.nodes.map((node) => node.start()));
  });

  test('a new one comes to be while one of the masters is away', async () => {
    const [first, , other] = servers.nodes;
    const untilCluster = (state: string) =>
      eventually(
        `the cluster is ${state}`,
        async () => String(await first?.ask('CLUSTER', 'INFO')),
        (info) => info.includes(`cluster_state:${state}`),
      );
    await untilCluster('ok');
    const cluster = open();
    await cluster.ping();
    await other?.kill();
    await untilCluster('fail');
    await endOf(cluster);
    await cluster.connect();
    expect(cluster.status).toBe('ready');
  });
});
