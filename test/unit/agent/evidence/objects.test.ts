import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { isOpen, notableFirst, summarizeObjects } from '../../../../src/agent/evidence/summarize-objects.ts';
import type { KubernetesObject } from '../../../../src/domain/telemetry.ts';

const TRIGGER_MS = Date.parse('2026-03-01T10:00:00Z');
const object = (kind: string, name: string, more: object = {}): KubernetesObject => ({
  kind,
  metadata: { name, namespace: 'shop' },
  ...more,
});
const tell = (...objects: readonly KubernetesObject[]) =>
  summarizeObjects(objects, TRIGGER_MS).map(({ draft: { statement } }) => statement);

const template = {
  containers: [
    {
      name: 'cart',
      image: 'cart:2.1',
      resources: { requests: { cpu: '100m' }, limits: { memory: '128Mi' } },
      ports: [{ name: 'http', containerPort: 8080 }],
      readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 5 },
      env: [
        { name: 'REDIS_ADDR', value: 'redis:6379' },
        { name: 'API_TOKEN', value: 'hunter2' },
        { name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
        { name: 'MODE', valueFrom: { configMapKeyRef: { name: 'cart-config', key: 'mode' } } },
      ],
    },
  ],
  volumes: [
    { name: 'data', persistentVolumeClaim: { claimName: 'cart-data' } },
    { name: 'tls', secret: { secretName: 'cart-tls' } },
  ],
};

describe('objects in one line', () => {
  test('a pod tells how its containers stand and ended, and which conditions are bad', () => {
    const [line] = tell(
      object('Pod', 'cart-0', {
        spec: { nodeName: 'node-a' },
        status: {
          phase: 'Running',
          conditions: [
            {
              type: 'Ready',
              status: 'False',
              reason: 'ContainersNotReady',
              lastTransitionTime: '2026-03-01T09:55:00Z',
            },
            { type: 'ContainersReady', status: 'False' },
            { type: 'PodScheduled', status: 'True' },
          ],
          containerStatuses: [
            {
              name: 'cart',
              ready: false,
              restartCount: 7,
              state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' } },
              lastState: {
                terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt: '2026-03-01T09:58:00Z' },
              },
            },
          ],
        },
      }),
    );
    expect(line).toBe(
      'Pod cart-0 in shop (notable): Running; on node node-a; cart not ready, waiting: CrashLoopBackOff: back-off 5m0s, 7 restarts, ' +
        'last ended OOMKilled (exit code 137) 2 min before the alert (09:58:00Z); ' +
        'Ready is False since 5 min before the alert (09:55:00Z) (ContainersNotReady)',
    );
  });

  test('a workload tells wanted against ready and its configuration; secret values never', () => {
    const [line] = tell(
      object('Deployment', 'cart', {
        spec: { replicas: 3, selector: { matchLabels: { app: 'cart' } }, template: { spec: template } },
        status: { replicas: 3, readyReplicas: 1 },
      }),
    );
    expect(line).toBe(
      'Deployment cart in shop (notable): 1 of 3 replicas ready; selector app=cart; ' +
        'container cart: image cart:2.1, requests cpu=100m, limits memory=128Mi, ports 8080 (http), ' +
        'readinessProbe GET /ready on http periodSeconds=5, ' +
        'env REDIS_ADDR=redis:6379, API_TOKEN=<hidden>, DB_PASSWORD (from Secret db key password), MODE (from ConfigMap cart-config key mode); ' +
        'volumes data (claim cart-data), tls (Secret cart-tls)',
    );
  });

  test.each([
    [
      'Deployment',
      { spec: { replicas: 0 }, status: { replicas: 0 } },
      /\(notable\): 0 of 0 replicas ready; scaled to zero/,
    ],
    ['Deployment', { spec: { replicas: 2 } }, /x in shop: \? of 2 replicas ready/],
    [
      'Service',
      { spec: { selector: { app: 'a' }, ports: [{ port: 80, targetPort: 'web' }] } },
      /selector app=a; ports 80 → web\/TCP/,
    ],
    [
      'Endpoints',
      { subsets: [{ notReadyAddresses: [{}], ports: [{ port: 80 }] }] },
      /\(notable\): 0 ready addresses, 1 not ready; ports 80/,
    ],
    [
      'Node',
      {
        status: {
          conditions: [
            { type: 'DiskPressure', status: 'True' },
            { type: 'Ready', status: 'True' },
          ],
        },
      },
      /\(notable\): DiskPressure is True/,
    ],
    [
      'Node',
      { spec: { unschedulable: true, taints: [{ key: 'k', effect: 'NoSchedule' }] } },
      /\(notable\): ready, no bad condition; cordoned; taints k:NoSchedule/,
    ],
    ['PersistentVolumeClaim', { status: { phase: 'Pending' } }, /\(notable\): Pending/],
    [
      'ResourceQuota',
      { status: { hard: { pods: '4', cpu: '2' }, used: { pods: '4', cpu: '500m' } } },
      /\(notable\): used pods 4 of 4, cpu 500m of 2; used up pods/,
    ],
    ['ConfigMap', { data: { mode: 'fast', apiKey: 'hunter2' } }, /2 keys; data mode=fast, apiKey=<hidden>/],
    [
      'NetworkPolicy',
      { spec: { podSelector: {}, policyTypes: ['Ingress'], ingress: [] } },
      /for pods of the whole namespace; types Ingress; no ingress allowed/,
    ],
    [
      'Ingress',
      {
        spec: {
          rules: [
            { host: 'h', http: { paths: [{ path: '/a', backend: { service: { name: 's', port: { number: 80 } } } }] } },
          ],
        },
      },
      /routes h\/a → s:80/,
    ],
    [
      'HorizontalPodAutoscaler',
      { status: { currentReplicas: 2, desiredReplicas: 5 }, spec: { maxReplicas: 5 } },
      /\(notable\): 2 replicas, wants 5; max 5/,
    ],
    ['Job', { status: { failed: 3 } }, /\(notable\): failed 3/],
    [
      'Widget',
      { status: { conditions: [{ type: 'Degraded', status: 'True', message: 'no quorum' }] } },
      /\(notable\): Degraded is True \(no quorum\)/,
    ],
    ['Role', { rules: [{ verbs: ['get'] }] }, /rules \{"verbs":\["get"\]\}/],
  ])('%s %#', (kind, more, words) => expect(tell(object(kind, 'x', more))[0]).toMatch(words));

  test('of many those of a kind that show nothing notable share a line, and no configuration is told', () => {
    const pods = Array.from({ length: 20 }, (_, i) =>
      object('Pod', `p-${i}`, { status: { phase: 'Running' }, spec: template }),
    );
    const lines = tell(...notableFirst([...pods, object('Pod', 'bad', { status: { phase: 'Pending' } })], TRIGGER_MS));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toBe('Pod bad in shop (notable): Pending');
    expect(lines[1]).toContain('Pod, 20 with nothing notable: p-0 (Running), p-1 (Running)');
  });

  test('what holds secrets by its kind is not open', () => {
    expect(['Secret', 'SealedSecret', 'Pod'].map((kind) => isOpen(object(kind, 'x')))).toEqual([false, false, true]);
  });

  test('no object is too odd', () => {
    const kind = fc.constantFrom('Pod', 'Deployment', 'Node', 'Service', 'Ingress', 'Job', 'ConfigMap', 'Lease', 'X');
    fc.assert(
      fc.property(kind, fc.object({ maxDepth: 3 }), fc.object({ maxDepth: 4 }), (kind, spec, status) => {
        const odd = {
          kind,
          metadata: { name: 'x' },
          spec,
          status: { ...status, conditions: [spec, null, 7] },
          data: spec,
        };
        expect(tell(odd)).toHaveLength(1);
      }),
    );
  });
});
