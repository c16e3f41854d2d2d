import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { at, find, healthyShop, read, TRIGGER_MS, type Json } from './shop-cluster.ts';

const shop = { name: 'x', namespace: 'shop' };

/** One object of every kind that a rule reads, with the fields it reads. */
const everyKind: readonly Json[] = [
  ...healthyShop(),
  {
    kind: 'NetworkPolicy',
    metadata: shop,
    spec: {
      podSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['cart'] }] },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80, endPort: 90 }] }],
      egress: [{ to: [{ namespaceSelector: {} }], ports: [{ port: 53 }] }],
    },
  },
  { kind: 'ResourceQuota', metadata: shop, spec: { hard: { pods: '1' } }, status: { used: { pods: '1' } } },
  { kind: 'LimitRange', metadata: shop, spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] } },
  {
    kind: 'PersistentVolumeClaim',
    metadata: shop,
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } },
    status: { phase: 'Pending' },
  },
  {
    kind: 'PersistentVolume',
    metadata: { name: 'v' },
    spec: { capacity: { storage: '1Gi' } },
    status: { phase: 'Failed' },
  },
  { kind: 'StorageClass', metadata: { name: 'fast' }, volumeBindingMode: 'WaitForFirstConsumer' },
  { kind: 'Job', metadata: shop, status: { conditions: [{ type: 'Failed', status: 'True' }] } },
  { kind: 'CronJob', metadata: shop, spec: { suspend: true } },
  {
    kind: 'HorizontalPodAutoscaler',
    metadata: shop,
    spec: { scaleTargetRef: { name: 'cart' } },
    status: { conditions: [{ type: 'ScalingActive', status: 'False' }] },
  },
  {
    kind: 'RoleBinding',
    metadata: shop,
    roleRef: { kind: 'Role', name: 'r' },
    subjects: [{ kind: 'ServiceAccount', name: 's' }],
  },
  { kind: 'Role', metadata: shop },
  { kind: 'StatefulSet', metadata: shop, spec: { replicas: 3 }, status: { replicas: 1 } },
  { kind: 'DaemonSet', metadata: shop, status: { desiredNumberScheduled: 0 } },
  {
    kind: 'Ingress',
    metadata: shop,
    spec: { rules: [{ http: { paths: [{ backend: { service: { name: 'cart', port: { number: 1 } } } }] } }] },
  },
  { kind: 'ConfigMap', metadata: { name: 'coredns', namespace: 'kube-system' }, data: { Corefile: '.:53 {}' } },
  {
    kind: 'Pod',
    metadata: {
      name: 'kube-scheduler-node-a',
      namespace: 'kube-system',
      ownerReferences: [{ kind: 'Node', name: 'node-a' }],
    },
    spec: { nodeName: 'node-a', affinity: {}, tolerations: [{ operator: 'Exists' }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: at(-60) }] },
  },
];

function pathsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, child]) => pathsOf(child, [...path, key]))];
}

const places = everyKind.flatMap((object, i) =>
  pathsOf(object)
    .filter((path) => path.length > 0)
    .map((path) => [String(i), ...path]),
);
const junk = fc.constantFrom<unknown>(
  undefined,
  null,
  0,
  -1,
  1e300,
  true,
  '',
  '0',
  'x'.repeat(3000),
  '::',
  [],
  [null],
  [[]],
  {},
  { '': {} },
);

test('whatever stands in any field of any object, nothing throws and every severity is a share', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...places), junk), { minLength: 1, maxLength: 6 }), (changes) => {
      const objects = structuredClone(everyKind) as Json[];
      for (const [path, value] of changes) put(objects, path, value);
      for (const finding of read({ objects }).findings) {
        expect(finding.severity).toBeGreaterThanOrEqual(0);
        expect(finding.severity).toBeLessThanOrEqual(1);
        expect(finding.evidence.statement).not.toBe('');
        expect(Math.abs(finding.evidence.atMs ?? TRIGGER_MS)).not.toBeNaN();
      }
    }),
    { numRuns: 120 },
  );
});

test.each(['constructor', '__proto__', 'toString'])('the name %s finds nothing that was not recorded', (name) => {
  const objects = healthyShop();
  const env = [{ name: 'MODE', valueFrom: { configMapKeyRef: { name: 'settings', key: name, optional: true } } }];
  find(objects, 'Pod', 'cart')['spec'].containers[0].env = env;
  find(objects, 'Node', 'node-a')['status'].conditions.push({ type: name, status: 'True' });
  expect(read({ objects }).findings).toEqual([]);
});

test('a name server configured with a hundred thousand empty lines is read in no time', () => {
  const Corefile = `${' \n'.repeat(100_000)}kubernetes cluster.local`;
  const map = { kind: 'ConfigMap', metadata: { name: 'coredns', namespace: 'kube-system' }, data: { Corefile } };
  expect(read({ objects: [...healthyShop(), map] }).findings).toEqual([]);
});

/** A parent that an earlier change removed takes the change with it. */
function put(root: unknown, path: readonly string[], value: unknown): void {
  const parent = path.slice(0, -1).reduce<unknown>((at_, key) => (isObject(at_) ? at_[key] : undefined), root);
  const last = path.at(-1);
  if (isObject(parent) && last !== undefined) parent[last] = value;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
