import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '../../../../src/domain/telemetry.ts';
import { judgeEvents } from '../../../../src/funnel/probes/judge-events.ts';
import { judgeObjects } from '../../../../src/funnel/probes/judge-objects.ts';
import { judgeExpiry, judgeFreshness, momentsOf, successesOf } from '../../../../src/funnel/probes/judge-times.ts';
import { answerOf } from '../../../../src/funnel/probes/verdict.ts';
import { ago, everyMinute, MINUTE_MS, NOW_MS, pod, probe } from '../../../support/probe-cases.ts';

const HOUR_MS = 60 * MINUTE_MS;
const condition = (type: string, status: string, sinceMs: number) => ({
  type,
  status,
  lastTransitionTime: ago(sinceMs),
});
const object = (kind: string, name: string, rest: object): KubernetesObject => ({
  kind,
  metadata: { name, namespace: 'shop', creationTimestamp: ago(100 * HOUR_MS) },
  ...rest,
});
const seenIn = (state: string, objects: readonly KubernetesObject[], keys = {}) =>
  judgeObjects(probe('objects', { state, ...keys }), objects, NOW_MS).seen;

describe('states of objects', () => {
  test('a reason that is called like a part of every object is only a word', () => {
    const spoiled = pod({ phase: 'Pending', containerStatuses: [{ state: { waiting: { reason: 'constructor' } } }] });
    expect(seenIn('container-waiting', [spoiled])).toEqual([]);
    expect(seenIn('pod-pending', [spoiled])).toMatchObject([{ value: 'constructor', type: undefined }]);
  });

  test.each<[state: string, what: string, bad: KubernetesObject, good: KubernetesObject]>([
    [
      'pod-not-ready',
      'is not ready (CrashLoopBackOff)',
      pod({
        phase: 'Running',
        conditions: [condition('Ready', 'False', 10 * MINUTE_MS)],
        containerStatuses: [{ ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } } }],
      }),
      pod({ phase: 'Running', conditions: [condition('Ready', 'False', MINUTE_MS)] }),
    ],
    [
      'pod-pending',
      'is pending: 0/3 nodes are available',
      pod({
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }],
      }),
      pod({ phase: 'Running' }),
    ],
    [
      'container-restarted',
      'restarted lately, 4 restarts by now (last: Error, exit code 1)',
      pod({
        containerStatuses: [
          { restartCount: 4, lastState: { terminated: { reason: 'Error', exitCode: 1, finishedAt: ago(MINUTE_MS) } } },
        ],
      }),
      pod({ containerStatuses: [{ restartCount: 40, lastState: { terminated: { finishedAt: ago(9 * HOUR_MS) } } }] }),
    ],
    [
      'container-oom-killed',
      'had api killed for memory (OOMKilled)',
      pod({
        containerStatuses: [
          { name: 'api', lastState: { terminated: { reason: 'OOMKilled', finishedAt: ago(HOUR_MS) } } },
        ],
      }),
      pod({ containerStatuses: [{ lastState: { terminated: { reason: 'Completed', finishedAt: ago(HOUR_MS) } } }] }),
    ],
    [
      'container-waiting',
      'has a container that waits: ImagePullBackOff',
      pod({ containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff' } } }] }),
      pod({ containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } } }] }),
    ],
    [
      'workload-unavailable',
      'has 0 of 2 available',
      object('Deployment', 'web', { spec: { replicas: 2 }, status: {} }),
      object('Deployment', 'web', { spec: { replicas: 0 }, status: {} }),
    ],
    [
      'job-failed',
      'failed: Job has reached the specified backoff limit',
      object('Job', 'migrate', {
        status: {
          conditions: [
            { ...condition('Failed', 'True', HOUR_MS), message: 'Job has reached the specified backoff limit' },
          ],
        },
      }),
      object('Job', 'migrate', { status: { conditions: [condition('Failed', 'True', 50 * HOUR_MS)] } }),
    ],
    [
      'cronjob-missed',
      'has never succeeded',
      object('CronJob', 'report', { status: {} }),
      object('CronJob', 'report', { spec: { suspend: true }, status: {} }),
    ],
    [
      'cronjob-missed',
      'has not succeeded',
      object('CronJob', 'report', { status: { lastSuccessfulTime: ago(48 * HOUR_MS) } }),
      object('CronJob', 'report', { status: { lastSuccessfulTime: ago(HOUR_MS) } }),
    ],
    [
      'claim-unbound',
      'is lost (storage class fast)',
      object('PersistentVolumeClaim', 'data-0', { spec: { storageClassName: 'fast' }, status: { phase: 'Lost' } }),
      object('PersistentVolumeClaim', 'data-0', { status: { phase: 'Bound' } }),
    ],
    [
      'node-not-ready',
      'is not ready (NodeStatusUnknown)',
      object('Node', 'node-a', {
        status: { conditions: [{ ...condition('Ready', 'Unknown', HOUR_MS), reason: 'NodeStatusUnknown' }] },
      }),
      object('Node', 'node-a', { status: { conditions: [condition('Ready', 'True', HOUR_MS)] } }),
    ],
    [
      'node-pressure',
      'reports DiskPressure',
      object('Node', 'node-a', { status: { conditions: [condition('DiskPressure', 'True', HOUR_MS)] } }),
      object('Node', 'node-a', { status: { conditions: [condition('DiskPressure', 'False', HOUR_MS)] } }),
    ],
    [
      'autoscaler-at-max',
      'is at its maximum of 5 replicas',
      object('HorizontalPodAutoscaler', 'web', {
        spec: { minReplicas: 2, maxReplicas: 5 },
        status: { currentReplicas: 5 },
      }),
      object('HorizontalPodAutoscaler', 'web', {
        spec: { minReplicas: 5, maxReplicas: 5 },
        status: { currentReplicas: 5 },
      }),
    ],
  ])('%s: %s', (state, what, bad, good) => {
    expect(seenIn(state, [bad])).toMatchObject([{ what }]);
    expect(seenIn(state, [good])).toEqual([]);
  });

  test('a failed run of a schedule that succeeded since is no finding', () => {
    const of = (name: string, status: object) => ({
      kind: 'Job',
      metadata: { name, namespace: 'shop', ownerReferences: [{ kind: 'CronJob', name: 'nightly', controller: true }] },
      status,
    });
    const failed = of('nightly-1', { conditions: [condition('Failed', 'True', 2 * HOUR_MS)] });
    const done = of('nightly-2', { completionTime: ago(HOUR_MS) });
    expect(seenIn('job-failed', [failed, done])).toEqual([]);
    expect(seenIn('job-failed', [failed])).toMatchObject([{ service: 'nightly', object: 'Job shop/nightly' }]);
  });

  test('conditions on fields go through lists; a field that is not there fulfils none of them', () => {
    const asked = probe('objects', {
      object: 'Certificate',
      where: [
        { field: 'status.conditions[].type', equals: 'Ready' },
        { field: 'spec.renewals', above: 3 },
      ],
    });
    const certificate = (spec: object) =>
      object('Certificate', 'web', { spec, status: { conditions: [{ type: 'Ready' }] } });
    const judged = judgeObjects(
      asked,
      [certificate({ renewals: 4 }), certificate({}), certificate({ renewals: 'x' })],
      NOW_MS,
    );
    expect([judged.lookedAt, judged.seen.length]).toEqual([3, 1]);
  });

  test('what the file accepts is left out; a name that is no name makes no command', () => {
    const nodes = ['node-a', 'node-b', '$(reboot)'].map((name) =>
      object('Node', name, { status: { conditions: [condition('Ready', 'False', HOUR_MS)] } }),
    );
    const asked = probe('objects', { state: 'node-not-ready', ignore: ['*node-a'] });
    const { findings } = answerOf(asked, judgeObjects(asked, nodes, NOW_MS), { nowMs: NOW_MS, window: 'now' });
    expect(findings.map(({ evidence }) => evidence.query)).toEqual([undefined, 'kubectl -n shop describe node node-b']);
  });
});

test('events are counted an object and a reason, pods as their workload', () => {
  const event = (objectName: string, count: number) => ({
    timeMs: NOW_MS - MINUTE_MS,
    type: 'Warning',
    reason: 'FailedMount',
    message: 'no such volume',
    objectKind: 'Pod',
    objectName,
    namespace: 'shop',
    count,
  });
  const asked = probe('events', { reasons: ['Failed*'], above: 5 });
  const events = [event('db-0', 3), event('db-1', 4), event('web-6d5f8c7b9-x2x4z', 5)];
  expect(judgeEvents(asked, events)).toMatchObject({
    lookedAt: 3,
    seen: [{ object: 'shop/db', value: 'FailedMount 7 times' }],
  });
});

describe('moments', () => {
  const DAY_MS = 24 * HOUR_MS;
  const inSeconds = (ms: number) =>
    everyMinute([(NOW_MS + ms) / 1000], { service: 'unknown', labels: { instance: 'shop.example' } });

  test('a certificate is found before it ends, and when it has', () => {
    const asked = probe('certificate', { query: 'q', within: '14d' });
    const judge = (ms: number) => judgeExpiry(asked, momentsOf([inSeconds(ms)], undefined), NOW_MS);
    expect(judge(3 * DAY_MS).seen).toMatchObject([
      { object: 'shop.example', value: '3 d left', limit: 'at least 14d expected', type: 'certificate' },
    ]);
    expect(judge(-2 * HOUR_MS).seen[0]?.what).toContain('expired 2 h ago (2026-11-29T08:00Z)');
    expect(judge(30 * DAY_MS)).toMatchObject({ lookedAt: 1, seen: [], nearest: 'shop.example 30 d left' });
  });

  test('a backup is found that is too old, or never was', () => {
    const asked = probe('freshness', { query: 'q', older: '26h' });
    const judge = (series: ReturnType<typeof inSeconds>) =>
      judgeFreshness(asked, momentsOf([series], undefined), NOW_MS);
    expect(judge(inSeconds(-30 * HOUR_MS)).seen).toMatchObject([{ value: '30 h old' }]);
    expect(judge(inSeconds(-3 * HOUR_MS)).seen).toEqual([]);
    expect(judge(everyMinute([0])).seen).toMatchObject([{ value: 'never succeeded' }]);
    // What is no number says neither.
    const spoiled = everyMinute([(NOW_MS - 30 * HOUR_MS) / 1000, Number.NaN, Number.POSITIVE_INFINITY]);
    expect(judge(spoiled).seen).toMatchObject([{ value: '30 h old' }]);
    expect(judge(everyMinute([Number.NaN]))).toMatchObject({ lookedAt: 0, seen: [] });
  });

  test('of jobs the newest success of each schedule counts', () => {
    const job = (name: string, completionTime: string) => ({
      kind: 'Job',
      metadata: { name, namespace: 'shop', ownerReferences: [{ kind: 'CronJob', name: 'db-backup' }] },
      status: { completionTime },
    });
    const jobs = [job('db-backup-1', ago(30 * HOUR_MS)), job('db-backup-2', ago(HOUR_MS))];
    expect(successesOf(jobs, '*backup*')).toMatchObject([{ object: 'shop/db-backup', atMs: NOW_MS - HOUR_MS }]);
    expect(successesOf(jobs, 'other')).toEqual([]);
  });
});
