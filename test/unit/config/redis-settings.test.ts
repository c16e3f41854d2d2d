import { describe, expect, test } from '@jest/globals';
import { examineConfig, parseConfig, secretsOf } from '../../../src/config/load-config.ts';

const URL = 'redis://redis.example.net';
const SENTINELS = 'a.example.net:26379, b.example.net:26379';
const NODES = '192.0.2.1:6379,[2001:db8::1]:6380';
const problemsOf = (environment: Readonly<Record<string, string>>) =>
  examineConfig(environment).problems.map(({ setting, message }) => `${setting} ${message}`);

describe('where Redis is', () => {
  test('nodes are lists of host and port', () => {
    expect(parseConfig({ REDIS_SENTINELS: SENTINELS }).REDIS_SENTINELS).toEqual([
      { host: 'a.example.net', port: 26379 },
      { host: 'b.example.net', port: 26379 },
    ]);
    expect(parseConfig({ REDIS_CLUSTER_NODES: NODES }).REDIS_CLUSTER_NODES).toEqual([
      { host: '192.0.2.1', port: 6379 },
      { host: '2001:db8::1', port: 6380 },
    ]);
  });

  test.each(['a.example.net', 'a.example.net:0', 'a.example.net:70000', 'redis://a.example.net:6379', ':6379', ','])(
    '%s is no node',
    (text) => {
      expect(problemsOf({ REDIS_CLUSTER_NODES: text })).toEqual([
        expect.stringMatching(/^REDIS_CLUSTER_NODES must be host:port/),
      ]);
    },
  );

  test.each([
    [{}, 'rootnote'],
    [{ REDIS_SENTINELS: SENTINELS }, 'rootnote'],
    [{ REDIS_CLUSTER_NODES: NODES }, '{rootnote}'],
    [{ REDIS_CLUSTER_NODES: NODES, REDIS_PREFIX: 'team-a' }, '{team-a}'],
    [{ REDIS_CLUSTER_NODES: NODES, REDIS_PREFIX: '{team-a}' }, '{team-a}'],
    [{ REDIS_URL: URL, REDIS_PREFIX: '{team-a}' }, '{team-a}'],
  ])('in a cluster all keys are in one slot: %j', (environment, prefix) => {
    expect(parseConfig(environment).REDIS_PREFIX).toBe(prefix);
  });

  test.each<[Readonly<Record<string, string>>, RegExp]>([
    [
      { REDIS_URL: URL, REDIS_SENTINELS: SENTINELS },
      /^REDIS_SENTINELS says where Redis is, and so does REDIS_URL: unset one/,
    ],
    [{ REDIS_SENTINELS: SENTINELS, REDIS_CLUSTER_NODES: NODES }, /^REDIS_CLUSTER_NODES .*REDIS_SENTINELS: unset one/],
    [{ REDIS_PASSWORD: 'p' }, /^REDIS_PASSWORD is for a Redis elsewhere: set REDIS_URL or/],
    [{ REDIS_SENTINEL_MASTER: 'main' }, /^REDIS_SENTINEL_MASTER is for Sentinels: set REDIS_SENTINELS/],
    [{ REDIS_URL: URL, REDIS_SENTINEL_MASTER: 'main' }, /^REDIS_SENTINEL_MASTER is for Sentinels/],
    [{ REDIS_MIN_REPLICAS: '1' }, /^REDIS_MIN_REPLICAS is for a Redis elsewhere/],
    [
      { REDIS_URL: 'redis://u:p@redis.example.net', REDIS_PASSWORD: 'p' },
      /^REDIS_PASSWORD is set, and REDIS_URL holds credentials/,
    ],
    [{ REDIS_URL: URL, REDIS_TLS: 'true' }, /^REDIS_TLS begin REDIS_URL with rediss/],
    [{ REDIS_URL: URL, REDIS_CA_FILE: 'package.json' }, /^REDIS_CA_FILE is for TLS: begin REDIS_URL with rediss/],
    [{ REDIS_SENTINELS: SENTINELS, REDIS_CA_FILE: 'package.json' }, /^REDIS_CA_FILE is for TLS: set REDIS_TLS=true/],
    [{ REDIS_URL: URL, REDIS_USERNAME: 'u' }, /^REDIS_PASSWORD is needed with REDIS_USERNAME/],
    [{ REDIS_URL: URL, REDIS_SENTINEL_PASSWORD: 'p' }, /^REDIS_SENTINELS is needed with REDIS_SENTINEL_PASSWORD/],
    [{ REDIS_SENTINELS: SENTINELS, REDIS_TLS: '1', REDIS_CERT_FILE: 'package.json' }, /^REDIS_KEY_FILE is needed with/],
    [
      { REDIS_SENTINELS: SENTINELS, REDIS_TLS: '1', REDIS_CA_FILE: 'nowhere.pem' },
      /^REDIS_CA_FILE nowhere.pem is not there/,
    ],
  ])('%j is refused with what to do', (environment, words) => {
    expect(problemsOf(environment)).toEqual([expect.stringMatching(words)]);
  });

  test('what goes together', () => {
    const tls = { REDIS_CA_FILE: 'package.json', REDIS_USERNAME: 'u', REDIS_PASSWORD: 'secret-of-redis' };
    expect(problemsOf({ REDIS_URL: 'rediss://redis.example.net', ...tls })).toEqual([]);
    expect(problemsOf({ REDIS_CLUSTER_NODES: NODES, REDIS_TLS: 'true', ...tls })).toEqual([]);
    const sentinel = { REDIS_SENTINEL_MASTER: 'main', REDIS_SENTINEL_PASSWORD: 'secret-of-sentinels' };
    const config = parseConfig({
      REDIS_SENTINELS: SENTINELS,
      REDIS_MIN_REPLICAS: '1',
      ...sentinel,
      REDIS_PASSWORD: 'secret-of-redis',
    });
    expect(secretsOf(config)).toEqual(expect.arrayContaining(['secret-of-redis', 'secret-of-sentinels']));
  });
});
