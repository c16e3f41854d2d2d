import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { useDeliveries } from '../../src/app/deliveries-command.ts';
import { checkRedis } from '../../src/app/examine-redis.ts';
import { showIncidents } from '../../src/app/incidents-command.ts';
import { refuseEviction } from '../../src/app/open-redis.ts';
import { readBack } from '../../src/app/read-back.ts';
import { startRole, type RunningRole } from '../../src/app/start-role.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import type { Config } from '../../src/config/schema.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { createAllowance } from '../../src/sessions/day-spend.ts';
import { groupText, numberedAlert } from '../support/alertmanager-bodies.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { REDIS } from '../support/programs.ts';
import { startTestCluster, type TestCluster } from '../support/redis-cluster.ts';
import { startTestRedis } from '../support/redis.ts';
import { temporaryFolder, stopRootnotes } from '../support/rootnote-process.ts';
import { startSlackApi, type SlackApiServer } from '../support/slack-api.ts';

const suite = await describeIf(REDIS);
const ALERTS = 6;
const say = () => undefined;

suite('a Redis Cluster of three masters', () => {
  let cluster: TestCluster;
  let slack: SlackApiServer;
  let config: Config;
  let rootnote: RunningRole;

  beforeAll(async () => {
    [cluster, slack] = await Promise.all([startTestCluster(), startSlackApi()]);
    const folder = await temporaryFolder();
    config = parseConfig({
      ...cluster.env,
      PORT: '0',
      LOG_LEVEL: 'silent',
      STATE_DIR: folder,
      JOBS_DIR: folder,
      STORM_THRESHOLD: '3',
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.token,
      SLACK_CHANNEL: slack.channel,
    });
    rootnote = await startRole('all', config);
    const isReady = async () => (await fetch(`${rootnote.url}/readyz`)).status === 200;
    await eventually('it is ready', isReady);
  });
  afterAll(async () => {
    await rootnote.lifetime.stop();
    await Promise.all([cluster.stop(), slack.close()]);
    await stopRootnotes();
  });

  test('all keys are in one slot', () => {
    expect(config.REDIS_PREFIX).toBe('{rootnote}');
  });

  test('what a destination refused is listed, and told when it is asked for again', async () => {
    slack.fail('chat.postMessage', { kind: 'error', error: 'is_archived' });
    const body = groupText({ groupKey: '{}:{group="lonely"}', alerts: [numberedAlert(99)] });
    const headers = { 'content-type': 'application/json' };
    await fetch(`${rootnote.url}/webhooks/alertmanager`, { method: 'POST', headers, body });
    const listed = await eventually(
      'it is given up',
      async () => (await useDeliveries(config, { verb: 'list', json: false }, say)).text,
      (text) => text.includes('is_archived'),
    );
    const [, id = ''] = /deliveries retry (\S+)/.exec(listed) ?? [];
    const before = slack.roots().length;
    await useDeliveries(config, { verb: 'retry', id }, say);
    await eventually('it is told', () => slack.roots().length > before);
  });

  test('alerts that hang together are a storm: they join one investigation, and that is reported and listed', async () => {
    const send = async (number: number) => {
      const body = groupText({ groupKey: `{}:{group="${number}"}`, alerts: [numberedAlert(number)] });
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${rootnote.url}/webhooks/alertmanager`, { method: 'POST', headers, body })).status;
    };
    const answers = await Promise.all(Array.from({ length: ALERTS }, (_, number) => send(number + 1)));
    expect(answers).toEqual(Array.from({ length: ALERTS }, () => 202));
    const incidents = await eventually(
      'all have come to an end',
      async () => JSON.parse((await showIncidents(config, { json: true }, say)) ?? '[]') as StoredView[],
      (views) => views.length > ALERTS && views.every(({ stage }) => stage === 'reported' || stage === 'joined'),
    );
    expect(incidents.filter(({ storm }) => storm !== null).length).toBeGreaterThan(0);
    const reports = await readBack(config, { what: 'reports', json: true, colour: false }, say);
    expect((JSON.parse(reports.text) as unknown[]).length).toBeGreaterThan(0);
  });

  test('what investigations may cost is counted', async () => {
    const redis = openWorkerRedis(cluster.target, silentLogger());
    const allowance = createAllowance(redis, '{rootnote}', { name: 'hour-spend', cap: 1 }, Date.now);
    expect(await allowance.reserve('inc_1', 0.7)).toBe('made');
    expect(await allowance.reserve('inc_2', 0.7)).toBe('refused');
    await allowance.settle('inc_1', 0.1);
    expect(await allowance.reserve('inc_2', 0.7)).toBe('made');
    redis.disconnect();
  });

  test('doctor says what the cluster is', async () => {
    const { value } = await checkRedis(config, say, AbortSignal.timeout(30_000));
    expect(value).toMatch(
      /^(?:Redis|Valkey) \d+\.\d+.* at the cluster of .*, 3 masters, 0 replicas, noeviction, append-only file/,
    );
  });

  test('one master that may evict keys is enough to be refused', async () => {
    const [, other] = cluster.nodes as [unknown, TestCluster['nodes'][number]];
    await other.ask('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    await expect(refuseEviction(cluster.target, silentLogger())).rejects.toThrow(
      new RegExp(` at ${other.address} has maxmemory-policy allkeys-lru.*noeviction.*REDIS_CLUSTER_NODES`),
    );
    await other.ask('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await refuseEviction(cluster.target, silentLogger());
  });

  test('a URL of one of its nodes is refused with the setting that is meant', async () => {
    const alone = { url: cluster.url };
    await expect(refuseEviction(alone, silentLogger())).rejects.toThrow(/set REDIS_CLUSTER_NODES/);
  });

  test('fewer replicas than are asked for are said at the start', async () => {
    const log = { ...silentLogger(), warn: jest.fn() };
    await refuseEviction(cluster.target, silentLogger(), { count: 0, log });
    expect(log.warn).not.toHaveBeenCalled();
    await refuseEviction(cluster.target, silentLogger(), { count: 1, log });
    expect(log.warn).toHaveBeenCalledWith({ replicas: 0 }, expect.stringContaining('REDIS_MIN_REPLICAS (1)'));
  });

  test('REDIS_CLUSTER_NODES that lead to a Redis that is no cluster: no role starts, and doctor says so', async () => {
    const single = await startTestRedis();
    const { hostname, port, host } = new URL(single.url);
    const target = { clusterNodes: [{ host: hostname, port: Number(port) }] };
    await expect(refuseEviction(target, silentLogger())).rejects.toThrow(/no cluster: set REDIS_URL/);
    const wrong = parseConfig({ REDIS_CLUSTER_NODES: host });
    const { status, value } = await checkRedis(wrong, say, AbortSignal.timeout(30_000));
    expect({ status, value }).toEqual({ status: 'fail', value: expect.stringMatching(/no cluster: set REDIS_URL/) });
    await single.stop();
  });

  test('a master that does not answer when a role starts keeps none from starting', async () => {
    const [, other] = cluster.nodes as [unknown, TestCluster['nodes'][number]];
    other.pause();
    await refuseEviction(cluster.target, silentLogger());
    other.resume();
  });
});

interface StoredView {
  readonly stage: string;
  readonly storm: string | null;
}
