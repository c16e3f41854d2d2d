import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createRecordingProvider, readRecordedIncident } from '../../../src/providers/recording/index.ts';
import { toObjects } from '../../../src/providers/recording/recorded-objects.ts';

const at = Date.parse('2026-01-01T10:00:00Z');

describe('pods.json of any shape becomes objects', () => {
  const pod = { metadata: { name: 'cart-1', labels: {} }, status: { phase: 'Running' } };

  test.each([
    ['an API list', { kind: 'PodList', items: [pod] }],
    ['a bare list', [pod]],
    ['a map of groups', { pods: [pod] }],
    ['a map of names', { 'cart-1': pod }],
  ])('%s', (_, value) => {
    expect(toObjects(value)).toEqual([expect.objectContaining({ kind: 'Pod', status: { phase: 'Running' } })]);
  });

  test('a line of a pod table: status, readiness, restarts, node', () => {
    const [object] = toObjects({
      'cart-1': { status: 'CrashLoopBackOff', ready: '0/1', restarts: 7, node: 'n1', service: 'cart' },
    });
    expect(object).toEqual({
      kind: 'Pod',
      metadata: { name: 'cart-1', labels: { app: 'cart' } },
      spec: { nodeName: 'n1' },
      status: {
        phase: undefined,
        containerStatuses: [
          {
            name: 'main',
            ready: false,
            restartCount: 7,
            state: { waiting: { reason: 'CrashLoopBackOff', message: '' } },
          },
        ],
      },
    });
  });

  test('a summary with the last termination', () => {
    const [object] = toObjects([
      { pod: 'db-0', phase: 'Running', ready: true, restart_count: '2', last_reason: 'OOMKilled' },
    ]);
    expect(object).toMatchObject({
      metadata: { name: 'db-0' },
      status: {
        phase: 'Running',
        containerStatuses: [{ restartCount: 2, lastState: { terminated: { reason: 'OOMKilled' } } }],
      },
    });
  });

  test('workloads keep their wanted and available replicas', () => {
    expect(toObjects({ deployments: { cart: { desired: 3, available: 1 } } })).toEqual([
      {
        kind: 'Deployment',
        metadata: { name: 'cart', labels: {} },
        spec: { replicas: 3 },
        status: { availableReplicas: 1, readyReplicas: 1 },
      },
    ]);
  });

  test.each([[null], [1], ['x'], [[1, null]], [{ a: 1 }], [{ items: 'no' }]])('%j gives no object', (value) => {
    expect(toObjects(value)).toEqual([]);
  });
});

describe('events.jsonl of any shape', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'rn-events-'));
    await writeFile(join(dir, 'case.json'), JSON.stringify({ alert_epoch: at / 1000 }));
  });
  afterAll(() => rm(dir, { recursive: true }));

  const iso = new Date(at).toISOString();
  test.each([
    [
      'core/v1',
      {
        kind: 'Event',
        involvedObject: { kind: 'Pod', name: 'p', namespace: 's' },
        reason: 'R',
        message: 'm',
        lastTimestamp: iso,
        count: 3,
      },
      { objectKind: 'Pod', objectName: 'p', namespace: 's', timeMs: at, count: 3 },
    ],
    [
      'events.k8s.io/v1',
      {
        kind: 'Event',
        regarding: { kind: 'Node', name: 'n' },
        reason: 'R',
        note: 'm',
        eventTime: iso,
        series: { count: 5, lastObservedTime: iso },
      },
      { objectKind: 'Node', objectName: 'n', message: 'm', timeMs: at, firstTimeMs: at, count: 5 },
    ],
    [
      'flat',
      { time: at / 1000, service: 'cart', reason: 'R', object: 'pod/p', type: 'Warning' },
      { service: 'cart', objectKind: 'Pod', objectName: 'p' },
    ],
    [
      'without a time',
      { reason: 'R', message: 'm', pod: 'p', lastTimestamp: null },
      { timeMs: Number.NaN, objectKind: 'Pod', objectName: 'p' },
    ],
    ['of the year 1', { reason: 'R', message: 'm', lastTimestamp: '0001-01-01T00:00:00Z' }, { timeMs: Number.NaN }],
  ])('%s', async (_, line, expected) => {
    await writeFile(join(dir, 'events.jsonl'), JSON.stringify(line));
    const telemetry = await createRecordingProvider(dir).gather(
      await readRecordedIncident(dir),
      { fromMs: 0, toMs: at },
      new AbortController().signal,
    );
    expect(telemetry.events).toEqual([expect.objectContaining(expected)]);
  });
});
