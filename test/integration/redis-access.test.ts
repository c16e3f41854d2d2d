import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkRedis } from '../../src/app/examine-redis.ts';
import { startRole } from '../../src/app/start-role.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { groupText, numberedAlert } from '../support/alertmanager-bodies.ts';
import { createAuthority, whereCertificates } from '../support/certificates.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { projectRoot, REDIS } from '../support/programs.ts';
import { createRedisNode, KEEPS_DATA, type RedisNode } from '../support/redis-node.ts';
import { startSlackApi } from '../support/slack-api.ts';

const suite = await whereCertificates(await describeIf(REDIS));
const PASSWORD = 'a-password-of-a-test';
type Environment = Readonly<Record<string, string>>;

/** All of it by TLS alone, to whoever shows a certificate. */
suite('Redis by TLS, as an ACL user', () => {
  let folder: string;
  let tls: Environment;
  let ports: { readonly single: number; readonly cluster: number; readonly sentinel: number };
  let plain: RedisNode;
  const nodes: RedisNode[] = [];
  const user = { REDIS_USERNAME: 'rootnote', REDIS_PASSWORD: PASSWORD };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rn-access-'));
    const authority = await createAuthority(folder);
    const [server, client] = [await authority.sign('server'), await authority.sign('client')];
    tls = { REDIS_CA_FILE: authority.cert, REDIS_CERT_FILE: client.cert, REDIS_KEY_FILE: client.key };
    const secured = [
      `tls-cert-file ${server.cert}`,
      `tls-key-file ${server.key}`,
      `tls-ca-cert-file ${authority.cert}`,
      'tls-auth-clients yes',
      'tls-replication yes',
    ];
    const start = async (lines: readonly string[], kind: 'server' | 'sentinel' = 'server') => {
      const tlsPort = await freePort();
      const node = await createRedisNode(folder, await freePort(), [`tls-port ${tlsPort}`, ...secured, ...lines], kind);
      nodes.push(node);
      await node.start();
      return { node, tlsPort };
    };
    const single = await start([...KEEPS_DATA, await documentedRule('rootnote')]);
    const inCluster = [
      'cluster-enabled yes',
      `cluster-port ${await freePort()}`,
      'tls-cluster yes',
      'cluster-announce-ip 127.0.0.1',
    ];
    const cluster = await start([...KEEPS_DATA, ...inCluster, await documentedRule('{rootnote}')]);
    await cluster.node.ask('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
    const sentinel = await start([`sentinel monitor mymaster 127.0.0.1 ${single.tlsPort} 1`], 'sentinel');
    await sentinel.node.ask('ACL', 'SETUSER', 'default', 'resetpass', `>${PASSWORD}`);
    plain = single.node;
    ports = { single: single.tlsPort, cluster: cluster.tlsPort, sentinel: sentinel.tlsPort };
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    await rm(folder, { recursive: true, force: true });
  });

  const examine = async (env: Environment) => {
    const { status, value } = await checkRedis(parseConfig(env), () => undefined, AbortSignal.timeout(30_000));
    return { status, value };
  };
  const single = () => ({ REDIS_URL: `rediss://127.0.0.1:${ports.single}`, ...tls, ...user });

  test.each<[string, number, () => Environment]>([
    ['one node', 1, () => single()],
    ['a cluster', 2, () => ({ REDIS_CLUSTER_NODES: `127.0.0.1:${ports.cluster}`, REDIS_TLS: 'true', ...tls, ...user })],
    [
      'Sentinels that have a password of their own',
      3,
      () => ({
        REDIS_SENTINELS: `127.0.0.1:${ports.sentinel}`,
        REDIS_SENTINEL_PASSWORD: PASSWORD,
        REDIS_TLS: 'true',
        ...tls,
        ...user,
      }),
    ],
  ])('with the least rule that is documented an alert is reported and followed: %s', async (_name, alert, access) => {
    const slack = await startSlackApi();
    const home = await mkdtemp(join(folder, 'home-'));
    const ofSlack = { SLACK_API_URL: slack.apiUrl, SLACK_BOT_TOKEN: slack.token, SLACK_CHANNEL: slack.channel };
    const own = { PORT: '0', LOG_LEVEL: 'silent', STATE_DIR: home, JOBS_DIR: home };
    const rootnote = await startRole('all', parseConfig({ ...access(), ...own, ...ofSlack }));
    try {
      const get = async (path: string) => (await fetch(`${rootnote.url}${path}`)).status;
      await eventually('it is ready', async () => (await get('/readyz')) === 200);
      const headers = { 'content-type': 'application/json' };
      const body = groupText({ alerts: [numberedAlert(alert)] });
      await fetch(`${rootnote.url}/webhooks/alertmanager`, { method: 'POST', headers, body });
      await eventually('the report is posted', () => slack.roots().length);
      expect(await get('/metrics')).toBe(200);
      expect((await examine(access())).value).toMatch(/noeviction/);
    } finally {
      await rootnote.lifetime.stop();
      await slack.close();
    }
    // Nothing that it asked for was refused.
    expect(await Promise.all(nodes.slice(0, 2).map((node) => node.ask('ACL', 'LOG')))).toEqual([[], []]);
  });

  test.each<[string, (right: Environment) => Environment, RegExp]>([
    ['no authority', ({ REDIS_CA_FILE: _ca, ...rest }) => rest, /set REDIS_CA_FILE/],
    [
      'no certificate',
      ({ REDIS_CERT_FILE: _cert, REDIS_KEY_FILE: _key, ...rest }) => rest,
      /set REDIS_CERT_FILE and REDIS_KEY_FILE|ECONNRESET/,
    ],
    ['a wrong password', (right) => ({ ...right, REDIS_PASSWORD: 'wrong' }), /WRONGPASS/],
    ['a port without TLS', (right) => ({ ...right, REDIS_URL: `rediss://${plain.address}` }), /speak TLS/],
    ['keys that the user may not touch', (right) => ({ ...right, REDIS_PREFIX: 'others' }), /NOPERM/],
  ])('%s is said in words', async (_name, change, words) => {
    expect(await examine(change(single()))).toEqual({ status: 'fail', value: expect.stringMatching(words) });
  });

  const ofSentinel = () => ({ REDIS_SENTINELS: `127.0.0.1:${ports.sentinel}`, REDIS_TLS: 'true', ...tls, ...user });
  test.each<[string, () => Environment, RegExp]>([
    ['asks for a password', () => ofSentinel(), /a Sentinel asks .*NOAUTH.*set REDIS_SENTINEL_PASSWORD/],
    [
      'refuses the password',
      () => ({ ...ofSentinel(), REDIS_SENTINEL_PASSWORD: 'wrong' }),
      /a Sentinel refuses .*WRONGPASS.*REDIS_SENTINEL_PASSWORD/,
    ],
    [
      'lets in, and Redis refuses',
      () => ({ ...ofSentinel(), REDIS_SENTINEL_PASSWORD: PASSWORD, REDIS_PASSWORD: 'wrong' }),
      /Redis refuses .*WRONGPASS.*REDIS_PASSWORD/,
    ],
    [
      'is a Redis',
      () => ({ ...ofSentinel(), REDIS_SENTINELS: `127.0.0.1:${ports.single}` }),
      /Redis answers where a Sentinel/,
    ],
    ['is not there', () => ({ REDIS_SENTINELS: '127.0.0.1:1' }), /no Sentinel can be reached: .*REDIS_SENTINELS/],
  ])('who refused is said where a Sentinel %s', async (_name, env, words) => {
    expect(await examine(env())).toEqual({ status: 'fail', value: expect.stringMatching(words) });
  });

  test('a key that belongs to another certificate is refused at the start, by the names of the settings', async () => {
    const wrong = { ...single(), REDIS_KEY_FILE: join(folder, 'server.key') };
    await expect(examine(wrong)).rejects.toThrow(/REDIS_CERT_FILE, REDIS_KEY_FILE: cannot be used/);
  });
});

/** As docs/operations.md gives it. */
async function documentedRule(prefix: string): Promise<string> {
  const text = await readFile(join(projectRoot(), 'docs', 'operations.md'), 'utf8');
  const [rule] = /^user rootnote on .*$/m.exec(text) ?? [];
  if (rule === undefined) throw new Error('docs/operations.md has no rule');
  return rule.replace('PASSWORD', PASSWORD).replace('~rootnote:*', `~${prefix}:*`);
}
