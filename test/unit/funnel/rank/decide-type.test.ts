import { describe, expect, test } from '@jest/globals';
import type { RootCauseType } from '../../../../src/domain/root-cause-type.ts';
import type { ClueType } from '../../../../src/funnel/rank/clue.ts';
import { decideType } from '../../../../src/funnel/rank/decide-type.ts';
import type { WeighedClue } from '../../../../src/funnel/rank/fusion.ts';
import { meaningOfError } from '../../../../src/funnel/rank/error-meaning.ts';

type Told = readonly [type: ClueType, says: RootCauseType, score: number];

const weigh = (told: readonly Told[]): WeighedClue[] =>
  told
    .map(([type, rootCauseType, score]) => ({
      score,
      clue: { type, service: 'orders', strength: 1, statement: () => type, rootCauseType, facts: () => [] },
    }))
    .sort((a, b) => b.score - a.score);

describe('the type of a cause is read from all evidence about the service', () => {
  test.each<[string, readonly Told[], RootCauseType]>([
    [
      'slow calls say where, its own error lines say what',
      [
        ['edge', 'unknown', 2.7],
        ['new-error', 'connection_exhaustion', 2.2],
      ],
      'connection_exhaustion',
    ],
    [
      'kinds of evidence that agree outvote a heavier one',
      [
        ['cpu', 'cpu_saturation', 2.5],
        ['new-error', 'connection_exhaustion', 2.2],
        ['limit', 'connection_exhaustion', 1.5],
      ],
      'connection_exhaustion',
    ],
    [
      'many templates of one type are one voice',
      [
        ['limit', 'disk_full', 1.9],
        ['new-error', 'permission', 1],
        ['new-error', 'permission', 1],
      ],
      'disk_full',
    ],
    [
      'a change is the trigger, not the type, where something says how it broke the service',
      [
        ['change', 'config_change', 1.1],
        ['limit', 'queue_backlog', 1],
      ],
      'queue_backlog',
    ],
    [
      'a change names the type when nothing more specific does',
      [
        ['share', 'unknown', 2.5],
        ['change', 'deployment_change', 1.1],
      ],
      'deployment_change',
    ],
    [
      'a change comes before what every cause looks like',
      [
        ['object', 'probe_failure', 3],
        ['change', 'deployment_change', 1.1],
      ],
      'deployment_change',
    ],
    [
      'not ready is a consequence of a pool that is used up',
      [
        ['object', 'probe_failure', 3],
        ['new-error', 'connection_exhaustion', 2.2],
      ],
      'connection_exhaustion',
    ],
    ['an image that is missing is a fact', [['object', 'image_pull', 5]], 'image_pull'],
    ['time lost on the way', [['trace', 'network_latency', 2.5]], 'network_latency'],
    [
      'far too light a voice is not heard',
      [
        ['share', 'unknown', 3],
        ['memory', 'memory_exhaustion', 0.5],
      ],
      'unknown',
    ],
    ['own latency alone is honestly unknown', [['share', 'unknown', 3]], 'unknown'],
    [
      'own errors without words for a resource are errors of the code',
      [
        ['new-error', 'unknown', 2.2],
        ['share', 'unknown', 1],
      ],
      'code_error',
    ],
    ['errors of its callers do not say what it lacks', [['blame', 'unknown', 1.3]], 'unknown'],
    ['but they may', [['blame', 'certificate', 1.3]], 'certificate'],
    ['nothing says nothing', [], 'unknown'],
  ])('%s', (_why, told, expected) => {
    expect(decideType('orders', weigh(told)).type).toBe(expected);
  });

  test('the name of a service is the last resort', () => {
    expect(decideType('orders-db', weigh([['share', 'unknown', 3]])).type).toBe('database');
  });

  test('what names the type is told, the heaviest first', () => {
    const { naming } = decideType(
      'orders',
      weigh([
        ['limit', 'disk_full', 1],
        ['new-error', 'disk_full', 2],
        ['share', 'unknown', 3],
      ]),
    );
    expect(naming.map(({ clue }) => clue.type)).toEqual(['new-error', 'limit']);
  });
});

describe('what an error line says', () => {
  test.each<[string, RootCauseType]>([
    ['connection pool exhausted: no connection to ledger within <*> ms', 'connection_exhaustion'],
    ['HikariPool-1 - Connection is not available, pool timed out after <*>', 'connection_exhaustion'],
    ['cannot get a connection from the pool within <*> ms', 'connection_exhaustion'],
    ['FATAL: sorry, too many clients already', 'connection_exhaustion'],
    ['accept4: too many open files', 'connection_exhaustion'],
    ['write /data: no space left on device', 'disk_full'],
    ['java.lang.OutOfMemoryError: Java heap space', 'memory_exhaustion'],
    ['x509: certificate has expired or is not yet valid', 'certificate'],
    ['dial tcp: lookup stock: no such host', 'dns'],
    ['getaddrinfo ENOTFOUND stock', 'dns'],
    ['password authentication failed for user "app"', 'permission'],
    ['open /etc/app.yaml: permission denied', 'permission'],
    ['429 Too Many Requests', 'quota'],
    ['ERROR: deadlock detected', 'database'],
    ['Lock wait timeout exceeded; try restarting transaction', 'database'],
    ['rejected: queue is full', 'queue_backlog'],
    ['connect ECONNREFUSED <*>', 'dependency_failure'],
    ['call timed out after <*> ms', 'dependency_failure'],
    ['java.lang.NullPointerException', 'code_error'],
    ["Traceback (most recent call last): KeyError: 'sku'", 'code_error'],
    ['order <*> not placed', 'unknown'],
  ])('%s → %s', (text, type) => {
    expect(meaningOfError(text).type).toBe(type);
  });

  test('a pool is the own of who complains, unless another service said so before', () => {
    expect(meaningOfError('connection pool exhausted: no connection to ledger').ownAt).toBe(11);
    expect(meaningOfError('ledger answered 503: connection pool exhausted').ownAt).toBe(32);
    expect(meaningOfError('ledger refused: too many connections').ownAt).toBeUndefined();
    expect(meaningOfError('connection refused by ledger').ownAt).toBeUndefined();
  });
});
