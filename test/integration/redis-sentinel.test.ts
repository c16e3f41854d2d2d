import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkRedis } from '../../src/app/examine-redis.ts';
import { keptOnReplicas } from '../../src/app/kept-on-replicas.ts';
import { refuseEviction } from '../../src/app/open-redis.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { createReplicas, NotReplicated } from '../../src/platform/redis-replicas.ts';
import { openReceiverRedis, openWorkerRedis } from '../../src/platform/redis.ts';
import { DeliveryChains } from '../../src/queue/deliveries/chains.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { REDIS } from '../support/programs.ts';
import { startTestSentinels, type TestSentinels } from '../support/redis-sentinel.ts';

const suite = await describeIf(REDIS);

suite('Redis with Sentinels', () => {
  let sentinels: TestSentinels;
  beforeAll(async () => {
    sentinels = await startTestSentinels();
  });
  afterAll(() => sentinels.stop());

  const key = 'rootnote:inbox';
  const arrival = {
    kind: 'acknowledgement',
    acknowledgement: { source: 'test', fingerprint: 'f', by: undefined, atMs: 0 },
  } as const;

  test('doctor says what it is, and what a failover may lose', async () => {
    const { REDIS_MIN_REPLICAS: _kept, ...careless } = sentinels.env;
    const told = await checkRedis(parseConfig(sentinels.env), () => undefined, AbortSignal.timeout(30_000));
    expect(told).toMatchObject({
      status: 'ok',
      value: expect.stringMatching(/mymaster of the Sentinels .*, 2 replicas, noeviction/),
    });
    const doubted = await checkRedis(parseConfig(careless), () => undefined, AbortSignal.timeout(30_000));
    expect(doubted).toMatchObject({ status: 'warn', remedy: expect.stringContaining('REDIS_MIN_REPLICAS=1') });
  });

  test('a master that may evict keys is refused by its address, with its replicas and the setting', async () => {
    const [master] = sentinels.servers.filter(({ address }) => sentinels.url.endsWith(address));
    const redis = openWorkerRedis(sentinels.target, silentLogger());
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const said = new RegExp(` at ${master?.address} has .* and at its replicas .*REDIS_SENTINELS to another`);
    await expect(refuseEviction(sentinels.target, silentLogger())).rejects.toThrow(said);
    const told = await checkRedis(parseConfig(sentinels.env), () => undefined, AbortSignal.timeout(30_000));
    expect(told).toMatchObject({ status: 'fail', value: expect.stringMatching(said) });
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    redis.disconnect();
  });

  test('a wrong name of the master is said', async () => {
    const config = parseConfig({ ...sentinels.env, REDIS_SENTINEL_MASTER: 'nobody' });
    const { status, value } = await checkRedis(config, () => undefined, AbortSignal.timeout(30_000));
    expect({ status, value }).toEqual({ status: 'fail', value: expect.stringContaining('nobody') });
  });

  test('while no replica follows, nothing is acknowledged and nothing claimed; then all of it is', async () => {
    const redis = openWorkerRedis(sentinels.target, silentLogger());
    const replicas = createReplicas(redis, key, 1);
    const inbox = keptOnReplicas({ append: async () => (await redis.set('x', '1')) ?? '' }, replicas);
    const chains = new DeliveryChains(redis, 'rootnote', replicas);
    const chain = { subjectId: 'inc_1', destination: 'chat' };
    const times = { claimMs: 60_000, longestWaitMs: 60_000, reportWaitMs: 1 };
    await chains.open(chain, 'report', 0);
    await eventually('replicas follow', () => inbox.append(arrival).catch(() => undefined));
    // The master's own limit is five seconds, after which the master takes nothing at all: another refusal than the one that is looked at here.
    await redis.config('SET', 'min-replicas-max-lag', '600');

    const followers = sentinels.servers.filter(({ address }) => !sentinels.url.endsWith(address));
    for (const follower of followers) follower.pause();
    await expect(inbox.append(arrival)).rejects.toBeInstanceOf(NotReplicated);
    expect(await chains.claim(chain, 'a', times)).toMatchObject({ kind: 'wait' });

    for (const follower of followers) follower.resume();
    await eventually('it is taken', () => inbox.append(arrival).catch(() => undefined));
    const claim = await eventually(
      'it is claimed',
      () => chains.claim(chain, 'b', times),
      ({ kind }) => kind === 'claimed',
    );
    expect(claim).toMatchObject({ content: 'report', crashes: 0, mayHavePosted: false });
    await redis.config('SET', 'min-replicas-max-lag', '5');
    redis.disconnect();
  });

  test('what was written on a connection that is lost meanwhile does not count as kept', async () => {
    const redis = openReceiverRedis(sentinels.target, silentLogger());
    await eventually('it is connected', () => redis.status === 'ready');
    const writing = await createReplicas(redis, key, 1).begin();
    await redis.set('x', '2');
    const isCut = once(redis, 'close');
    redis.disconnect(true);
    await isCut;
    await eventually('it is connected again', () => redis.status === 'ready');
    expect(await writing.isKept()).toBe(false);
    redis.disconnect();
  });
});
