import { describe, expect, test } from '@jest/globals';
import { NotReplicated } from '../../../src/platform/redis-replicas.ts';
import { redisReason, redisTrouble } from '../../../src/platform/redis-trouble.ts';

const ALL_SENTINELS = 'All sentinels are unreachable. Retrying from scratch after 10ms. Last error:';

describe('why Redis did not do it, in words', () => {
  const answered = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });
  const coded = (message: string, code: string) => Object.assign(new Error(message), { code });
  const ofNode = (message: string, lastNodeError: Error) => Object.assign(new Error(message), { lastNodeError });

  test.each([
    [new Error("Stream isn't writeable and enableOfflineQueue options is false"), /not reachable/],
    [new Error('Connection is closed.'), /not reachable/],
    [new Error('Command timed out'), /does not answer/],
    [new Error("Socket timeout. Expecting data, but didn't receive any in 5000ms."), /does not answer/],
    [answered("OOM command not allowed when used memory > 'maxmemory'."), /full.*\(OOM\)/],
    [answered('MISCONF Redis is configured to save RDB snapshots'), /disk.*\(MISCONF\)/],
    [answered("READONLY You can't write against a read only replica."), /replica/],
    [answered('LOADING Redis is loading the dataset in memory'), /loads/],
    [answered('NOREPLICAS Not enough good replicas to write.'), /min-replicas-to-write/],
    [answered('NOAUTH Authentication required.'), /REDIS_PASSWORD/],
    [answered('WRONGPASS invalid username-password pair or user is disabled.'), /WRONGPASS/],
    [answered("NOPERM this user has no permissions to run the 'info' command"), /NOPERM.*operations/],
    [answered('CLUSTERDOWN Hash slot not served'), /misses some of its masters/],
    [answered('MOVED 3999 192.0.2.1:6381'), /set REDIS_CLUSTER_NODES/],
    [answered("CROSSSLOT Keys in request don't hash to the same slot"), /set REDIS_CLUSTER_NODES/],
    [new NotReplicated(), /REDIS_MIN_REPLICAS/],
    [new Error("Cluster isn't ready and enableOfflineQueue options is false"), /not reachable/],
    [new Error('Too many Cluster redirections. Last error: Error: Connection is closed.'), /not reachable/],
    [
      new Error('Too many Cluster redirections. Last error: ReplyError: CLUSTERDOWN The cluster is down'),
      /CLUSTERDOWN/,
    ],
    [new Error('All sentinels are unreachable. Retrying from scratch after 10ms.'), /not reachable/],
    [
      ofNode('Failed to refresh slots cache.', answered('ERR This instance has cluster support disabled')),
      /no cluster/,
    ],
    [coded('certificate has expired', 'CERT_HAS_EXPIRED'), /not valid now/],
    [coded('self-signed certificate in certificate chain', 'SELF_SIGNED_CERT_IN_CHAIN'), /set REDIS_CA_FILE/],
    [coded('Hostname/IP does not match', 'ERR_TLS_CERT_ALTNAME_INVALID'), /another name/],
  ])('%s', (error, words) => {
    expect(redisTrouble(error)).toMatch(words);
  });

  test.each([
    [new Error(`${ALL_SENTINELS} NOAUTH Authentication required.`), /a Sentinel asks .* REDIS_SENTINEL_PASSWORD$/],
    [new Error(`${ALL_SENTINELS} WRONGPASS invalid username-password`), /a Sentinel refuses .*REDIS_SENTINEL_USERNAME/],
    [new Error(`${ALL_SENTINELS} Connection is closed.`), /no Sentinel can be reached: .*REDIS_SENTINELS/],
    [
      new Error(`${ALL_SENTINELS} ERR unknown command \`sentinel\`, with args`),
      /a Redis answers where a Sentinel should/,
    ],
    [ofNode('Failed to refresh slots cache.', new Error('Connection is closed.')), /no node .*REDIS_CLUSTER_NODES/],
    [coded('write EPIPE', 'EPIPE'), /does not speak the protocol of Redis/],
    [coded('connect ECONNREFUSED 192.0.2.1:6379', 'ECONNREFUSED'), /^connect ECONNREFUSED/],
  ])('why there is no connection: %s', (error, words) => {
    expect(redisReason(error)).toMatch(words);
  });

  test('of a transaction, the error that had it thrown away', () => {
    const discarded = answered('EXECABORT Transaction discarded because of previous errors.');
    const full = Object.assign(discarded, { previousErrors: [answered('OOM command not allowed')] });
    expect(redisTrouble(full)).toMatch(/full/);
  });

  test('every other error is not explained away, whatever it says', () => {
    for (const error of [new Error('OOM killed'), answered('WRONGTYPE Operation against a key'), 'OOM', undefined])
      expect(redisTrouble(error)).toBeUndefined();
  });
});
