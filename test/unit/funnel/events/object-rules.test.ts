import { describe, expect, test } from '@jest/globals';
import {
  afterChange,
  at,
  find,
  findingsOf,
  healthyShop,
  node,
  pod,
  reasonsOf,
  service,
  type Json,
} from './shop-cluster.ts';

interface RuleCase {
  readonly name: string;
  readonly change: (objects: Json[]) => void;
  readonly reason: string;
  readonly service?: string;
  readonly type?: string;
  readonly minSeverity?: number;
}

const setStatus = (app: string, status: Json) => (objects: Json[]) => {
  Object.assign(find(objects, 'Pod', app)['status'].containerStatuses[0], status);
};
const container = (objects: Json[], app: string): Json => find(objects, 'Pod', app)['spec'].containers[0];

/** Pods that did not get as far as being ready: only then does what their spec lacks hurt now. */
const whileStarting = (change: (objects: Json[]) => void) => (objects: Json[]) => {
  setStatus('cart', { ready: false, state: { waiting: { reason: 'ContainerCreating' } } })(objects);
  find(objects, 'Pod', 'cart')['metadata'].creationTimestamp = at(-60);
  change(objects);
};

const problems: readonly RuleCase[] = [
  {
    name: 'an image that cannot be pulled',
    change: setStatus('cart', {
      ready: false,
      state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image' } },
    }),
    reason: 'ImagePullBackOff',
    type: 'image_pull',
    minSeverity: 1,
  },
  {
    name: 'a crash loop takes its type from the last end',
    change: setStatus('cart', {
      ready: false,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt: at(-30) } },
    }),
    reason: 'CrashLoopBackOff',
    type: 'memory_exhaustion',
    minSeverity: 0.9,
  },
  {
    name: 'a container that was killed for memory minutes ago',
    change: setStatus('cart', {
      restartCount: 2,
      lastState: { terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt: at(-120) } },
    }),
    reason: 'last OOMKilled',
    type: 'memory_exhaustion',
    minSeverity: 0.9,
  },
  {
    name: 'a container that ended with an error',
    change: setStatus('cart', { ready: false, state: { terminated: { reason: 'Error', exitCode: 1 } } }),
    reason: 'Error',
    type: 'code_error',
    minSeverity: 0.7,
  },
  {
    name: 'a container that runs without being ready',
    change: setStatus('cart', { ready: false }),
    reason: 'NotReady',
    type: 'probe_failure',
    minSeverity: 0.5,
  },
  {
    name: 'a pod that no node takes',
    change: (objects) => {
      find(objects, 'Pod', 'cart')['status'] = {
        phase: 'Pending',
        conditions: [
          { type: 'PodScheduled', status: 'False', message: '0/2 nodes are available: 2 Insufficient cpu.' },
        ],
      };
    },
    reason: 'Unschedulable',
    type: 'scheduling',
    minSeverity: 0.9,
  },
  {
    name: 'an evicted pod',
    change: (objects) => {
      find(objects, 'Pod', 'cart')['status'] = {
        phase: 'Failed',
        reason: 'Evicted',
        message: 'The node was low on resource: memory.',
      };
    },
    reason: 'Evicted',
    minSeverity: 0.8,
  },
  {
    name: 'a Deployment scaled to zero that others need',
    change: (objects) => void (find(objects, 'Deployment', 'cart')['spec'].replicas = 0),
    reason: 'ScaledToZero',
    type: 'config_change',
    minSeverity: 0.95,
  },
  {
    name: 'a Deployment without available replicas; the API leaves a count of 0 out',
    change: (objects) => void (find(objects, 'Deployment', 'cart')['status'] = { replicas: 1, unavailableReplicas: 1 }),
    reason: 'NoReplicaAvailable',
    minSeverity: 0.8,
  },
  {
    name: 'pods that a quota refuses',
    change: (objects) =>
      void (find(objects, 'ReplicaSet', 'cart')['status'] = {
        conditions: [
          {
            type: 'ReplicaFailure',
            status: 'True',
            reason: 'FailedCreate',
            message: 'pods "cart-x" is forbidden: exceeded quota: tight',
          },
        ],
      }),
    reason: 'FailedCreate',
    type: 'quota',
    minSeverity: 0.95,
  },
  {
    name: 'a selector that matches no pod though the pods exist',
    change: (objects) => void (find(objects, 'Service', 'cart')['spec'].selector = { app: 'kart' }),
    reason: 'SelectorMatchesNoPod',
    type: 'config_change',
    minSeverity: 0.9,
  },
  {
    name: 'a selector that points at another workload',
    change: (objects) => void (find(objects, 'Service', 'cart')['spec'].selector = { app: 'store' }),
    reason: 'SelectorMatchesOtherWorkload',
    minSeverity: 0.9,
  },
  {
    name: 'a Service that was removed though others call its pods',
    change: (objects) => void objects.splice(objects.indexOf(find(objects, 'Service', 'cart')), 1),
    reason: 'NoServiceReachesPods',
    minSeverity: 0.7,
  },
  {
    name: 'a target port that no container opens',
    change: (objects) => void (find(objects, 'Service', 'cart')['spec'].ports = [{ port: 80, targetPort: 9999 }]),
    reason: 'TargetPortNotOpen',
    type: 'config_change',
    minSeverity: 0.9,
  },
  {
    name: 'a Service without ready endpoints',
    change: (objects) =>
      void (find(objects, 'Endpoints', 'cart')['subsets'] = [{ notReadyAddresses: [{ ip: '10.1.0.4' }] }]),
    reason: 'NoReadyEndpoints',
    minSeverity: 0.85,
  },
  {
    name: 'a config map that is not there',
    change: whileStarting(
      (objects) => void (container(objects, 'cart')['envFrom'] = [{ configMapRef: { name: 'gone' } }]),
    ),
    reason: 'MissingConfigMap gone',
    type: 'config_change',
    minSeverity: 1,
  },
  {
    name: 'a key that its config map lacks',
    change: whileStarting(
      (objects) =>
        void (container(objects, 'cart')['env'] = [
          { name: 'MODE', valueFrom: { configMapKeyRef: { name: 'settings', key: 'colour' } } },
        ]),
    ),
    reason: 'MissingConfigMap settings',
    minSeverity: 1,
  },
  {
    name: 'a service account that is not there',
    change: whileStarting((objects) => void (find(objects, 'Pod', 'cart')['spec'].serviceAccountName = 'cart-runner')),
    reason: 'MissingServiceAccount cart-runner',
    type: 'permission',
    minSeverity: 0.9,
  },
  {
    name: 'an address that names no Service, when nothing of that name exists',
    change: (objects) => void (container(objects, 'cart')['env'] = [{ name: 'STORE_ADDR', value: 'stoer:80' }]),
    reason: 'NoService stoer',
    service: 'cart',
    type: 'config_change',
    minSeverity: 0.7,
  },
  {
    name: 'an address whose Service was removed blames the workload of that name',
    change: (objects) => {
      container(objects, 'cart')['env'] = [{ name: 'STORE_URL', value: 'http://store.shop.svc.cluster.local:80/v1' }];
      objects.splice(objects.indexOf(find(objects, 'Service', 'store')), 1);
    },
    reason: 'NoService store',
    service: 'store',
    minSeverity: 0.9,
  },
  {
    name: 'an address with a port that the Service does not offer',
    change: (objects) => void (container(objects, 'cart')['env'] = [{ name: 'STORE_ADDR', value: 'store:8081' }]),
    reason: 'WrongPort store',
    minSeverity: 0.8,
  },
  {
    name: 'two containers that open one port',
    change: (objects) =>
      find(objects, 'Pod', 'cart')['spec'].containers.push({ name: 'sidecar', ports: [{ containerPort: 8080 }] }),
    reason: 'PortConflict',
    minSeverity: 0.8,
  },
  {
    name: 'a probe that asks a closed port',
    change: whileStarting(
      (objects) => void (container(objects, 'cart')['readinessProbe'] = { httpGet: { port: 8081 } }),
    ),
    reason: 'ProbePortNotOpen readinessProbe',
    type: 'probe_failure',
    minSeverity: 0.7,
  },
  {
    name: 'a pod that cannot resolve Services',
    change: (objects) => void (find(objects, 'Pod', 'cart')['spec'].dnsPolicy = 'Default'),
    reason: 'NoClusterDns',
    type: 'dns',
    minSeverity: 0.7,
  },
  {
    name: 'a node selector that no node satisfies',
    change: whileStarting((objects) => void (find(objects, 'Pod', 'cart')['spec'].nodeSelector = { disk: 'tape' })),
    reason: 'NodeSelectorMatchesNoNode',
    type: 'scheduling',
    minSeverity: 0.9,
  },
  {
    name: 'a claim that waits for a storage class that does not exist',
    change: (objects) => {
      find(objects, 'Pod', 'cart')['spec'].volumes = [
        { name: 'data', persistentVolumeClaim: { claimName: 'cart-data' } },
      ];
      objects.push(
        {
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'cart-data', namespace: 'shop' },
          spec: { storageClassName: 'fast' },
          status: { phase: 'Pending' },
        },
        { kind: 'StorageClass', metadata: { name: 'standard' } },
      );
    },
    reason: 'ClaimPending',
    service: 'cart',
    minSeverity: 0.9,
  },
  {
    name: 'a quota that is used up, told to the workload that lacks pods',
    change: (objects) => {
      find(objects, 'ReplicaSet', 'cart')['status'] = { replicas: 0 };
      objects.push({
        kind: 'ResourceQuota',
        metadata: { name: 'tight', namespace: 'shop' },
        status: { hard: { 'requests.memory': '2Gi' }, used: { 'requests.memory': '2048Mi' } },
      });
    },
    reason: 'QuotaExhausted',
    service: 'cart',
    type: 'quota',
    minSeverity: 0.9,
  },
  {
    name: 'a policy that allows no ingress',
    change: (objects) =>
      objects.push({
        kind: 'NetworkPolicy',
        metadata: { name: 'deny', namespace: 'shop' },
        spec: { podSelector: { matchLabels: { app: 'cart' } }, policyTypes: ['Ingress'] },
      }),
    reason: 'DeniesIngress',
    service: 'cart',
    type: 'network_loss',
    minSeverity: 0.9,
  },
  {
    name: 'a policy that opens other ports than the Service sends to',
    change: (objects) =>
      objects.push({
        kind: 'NetworkPolicy',
        metadata: { name: 'narrow', namespace: 'shop' },
        spec: { podSelector: { matchLabels: { app: 'cart' } }, ingress: [{ ports: [{ port: 9090 }] }] },
      }),
    reason: 'ClosesServicePort',
    service: 'cart',
    minSeverity: 0.8,
  },
  {
    name: 'a role binding for a service account that is not there',
    change: (objects) =>
      objects.push({
        kind: 'RoleBinding',
        metadata: { name: 'reader', namespace: 'shop' },
        subjects: [{ kind: 'ServiceAccount', name: 'cart' }],
        roleRef: { kind: 'Role', name: 'reader' },
      }),
    reason: 'NoServiceAccount cart',
    service: 'cart',
    type: 'permission',
  },
  {
    name: 'a node that is not ready, told to what runs there',
    change: (objects) =>
      void (find(objects, 'Node', 'node-b')['status'].conditions = [{ type: 'Ready', status: 'Unknown' }]),
    reason: 'NodeNotReady',
    service: 'store',
    type: 'node_failure',
    minSeverity: 0.9,
  },
  {
    name: 'a node with a full disk',
    change: (objects) =>
      find(objects, 'Node', 'node-b')['status'].conditions.push({ type: 'DiskPressure', status: 'True' }),
    reason: 'DiskPressure',
    service: 'store',
    type: 'disk_full',
  },
  {
    name: 'a cordoned node',
    change: (objects) => void (find(objects, 'Node', 'node-b')['spec'].unschedulable = true),
    reason: 'Cordoned',
    service: 'store',
  },
  {
    name: 'a node whose lease ran out before its condition says so',
    change: (objects) => void (find(objects, 'Lease', 'node-b')['spec'].renewTime = at(-200)),
    reason: 'NodeLeaseExpired',
    service: 'store',
    type: 'node_failure',
    minSeverity: 0.9,
  },
  {
    name: 'a daemon set with missing pods',
    change: (objects) =>
      objects.push({
        kind: 'DaemonSet',
        metadata: { name: 'agent', namespace: 'shop' },
        status: { desiredNumberScheduled: 2, numberReady: 1 },
      }),
    reason: 'DaemonPodsMissing',
    service: 'agent',
  },
  {
    name: 'a job that failed',
    change: (objects) =>
      objects.push({
        kind: 'Job',
        metadata: { name: 'migrate', namespace: 'shop' },
        status: { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] },
      }),
    reason: 'BackoffLimitExceeded',
    service: 'migrate',
  },
  {
    name: 'an autoscaler at its maximum',
    change: (objects) =>
      objects.push({
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'cart-scaler', namespace: 'shop' },
        spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'cart' } },
        status: { conditions: [{ type: 'ScalingLimited', status: 'True', reason: 'TooManyReplicas' }] },
      }),
    reason: 'TooManyReplicas',
    service: 'cart',
  },
  {
    name: 'a volume that failed',
    change: (objects) => {
      find(objects, 'Pod', 'cart')['spec'].volumes = [
        { name: 'data', persistentVolumeClaim: { claimName: 'cart-data' } },
      ];
      objects.push(
        {
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'cart-data', namespace: 'shop' },
          status: { phase: 'Bound' },
        },
        {
          kind: 'PersistentVolume',
          metadata: { name: 'pv-1' },
          spec: { claimRef: { namespace: 'shop', name: 'cart-data' } },
          status: { phase: 'Failed' },
        },
      );
    },
    reason: 'VolumeFailed',
    service: 'cart',
  },
];

/** One step from a problem, and none: what must not be reported. */
const nearMisses: readonly { readonly name: string; readonly change: (objects: Json[]) => void }[] = [
  {
    name: 'a container that is being created for a minute',
    change: (objects) => {
      find(objects, 'Pod', 'cart')['metadata'].creationTimestamp = at(-60);
      setStatus('cart', { state: { waiting: { reason: 'ContainerCreating' } } })(objects);
    },
  },
  {
    name: 'a container that ended well',
    change: setStatus('cart', { state: { terminated: { reason: 'Completed', exitCode: 0 } } }),
  },
  {
    name: 'a container that was stopped in order',
    change: setStatus('cart', { lastState: { terminated: { reason: 'Error', exitCode: 143, finishedAt: at(-60) } } }),
  },
  {
    name: 'a pod that is being deleted is rightly not ready',
    change: (objects) => {
      find(objects, 'Pod', 'cart')['metadata'].deletionTimestamp = at(-5);
      setStatus('cart', { ready: false })(objects);
    },
  },
  {
    name: 'a pod that did its work',
    change: (objects) => void (find(objects, 'Pod', 'cart')['status'] = { phase: 'Succeeded' }),
  },
  {
    name: 'a Deployment whose status was not recorded',
    change: (objects) => void delete find(objects, 'Deployment', 'cart')['status'],
  },
  {
    name: 'an old ReplicaSet kept for a rollback',
    change: (objects) =>
      objects.push({
        kind: 'ReplicaSet',
        metadata: { name: 'cart-5c4b3a2918', namespace: 'shop' },
        spec: { replicas: 0 },
        status: { replicas: 0 },
      }),
  },
  {
    name: 'conditions of the right polarity',
    change: (objects) =>
      void (find(objects, 'Deployment', 'cart')['status'].conditions = [
        { type: 'Available', status: 'True' },
        { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
        { type: 'ReplicaFailure', status: 'False' },
      ]),
  },
  {
    name: 'pods without a Service that nobody calls',
    change: (objects) => void objects.splice(objects.indexOf(find(objects, 'Service', 'frontend')), 1),
  },
  {
    name: 'a Service without a selector',
    change: (objects) => objects.push(service('external', { selector: undefined })),
  },
  {
    name: 'a selector that cannot be judged: no labels were recorded',
    change: (objects) => {
      for (const object of objects) if (object['kind'] === 'Pod') delete object['metadata'].labels;
    },
  },
  {
    name: 'a target port that cannot be judged: no ports were recorded',
    change: (objects) => {
      delete container(objects, 'cart')['ports'];
      find(objects, 'Service', 'cart')['spec'].ports = [{ port: 80, targetPort: 9999 }];
    },
  },
  {
    name: 'a named target port that cannot be judged: no port names were recorded',
    change: (objects) => {
      for (const kind of ['Pod', 'Deployment']) {
        const spec =
          kind === 'Pod' ? find(objects, kind, 'cart')['spec'] : find(objects, kind, 'cart')['spec'].template.spec;
        spec.containers[0].ports = [{ containerPort: 8080 }];
      }
    },
  },
  {
    name: 'endpoints rebuilt from text without addresses',
    change: (objects) => {
      const endpoints = find(objects, 'Endpoints', 'cart');
      delete endpoints['subsets'];
      endpoints['metadata'].annotations = { 'recording/source': 'get' };
    },
  },
  {
    name: 'an optional config map that is not there',
    change: (objects) =>
      void (container(objects, 'cart')['envFrom'] = [{ configMapRef: { name: 'gone', optional: true } }]),
  },
  {
    name: 'a secret that is not there: secrets are never recorded',
    change: (objects) => void (container(objects, 'cart')['envFrom'] = [{ secretRef: { name: 'token' } }]),
  },
  {
    name: 'a config map that is not there when none was read',
    change: (objects) => {
      container(objects, 'cart')['envFrom'] = [{ configMapRef: { name: 'gone' } }];
      for (const object of objects.filter(({ kind }) => kind === 'ConfigMap'))
        objects.splice(objects.indexOf(object), 1);
    },
  },
  {
    name: 'public, loopback and numeric addresses',
    change: (objects) =>
      void (container(objects, 'cart')['env'] = [
        { name: 'API_URL', value: 'https://api.example.com/v1' },
        { name: 'SELF_ADDR', value: 'localhost:8080' },
        { name: 'DB_HOST', value: '10.1.2.3' },
        { name: 'LEVEL', value: 'debug' },
      ]),
  },
  {
    name: 'an address that names a Service and its port',
    change: (objects) => void (container(objects, 'cart')['env'] = [{ name: 'STORE_ADDR', value: 'store:80' }]),
  },
  {
    name: 'two containers that open one number by different protocols',
    change: (objects) =>
      find(objects, 'Pod', 'cart')['spec'].containers.push({
        name: 'sidecar',
        ports: [{ containerPort: 8080, protocol: 'UDP' }],
      }),
  },
  {
    name: 'a probe that asks a named port',
    change: (objects) => void (container(objects, 'cart')['readinessProbe'] = { httpGet: { port: 'http' } }),
  },
  {
    name: 'a pod on the host network with the name servers of the node',
    change: (objects) =>
      Object.assign(find(objects, 'Pod', 'cart')['spec'], { dnsPolicy: 'Default', hostNetwork: true }),
  },
  {
    name: 'a node selector that a node satisfies',
    change: (objects) => void (find(objects, 'Pod', 'cart')['spec'].nodeSelector = { disk: 'ssd' }),
  },
  {
    name: 'a bound claim',
    change: (objects) =>
      objects.push({
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'cart-data', namespace: 'shop' },
        status: { phase: 'Bound' },
      }),
  },
  {
    name: 'a quota that is used up while nobody lacks pods',
    change: (objects) =>
      objects.push({
        kind: 'ResourceQuota',
        metadata: { name: 'tight', namespace: 'shop' },
        status: { hard: { pods: '3' }, used: { pods: '3' } },
      }),
  },
  {
    name: 'policies that deny and allow: they add up',
    change: (objects) =>
      objects.push(
        {
          kind: 'NetworkPolicy',
          metadata: { name: 'deny', namespace: 'shop' },
          spec: { podSelector: {}, policyTypes: ['Ingress'] },
        },
        {
          kind: 'NetworkPolicy',
          metadata: { name: 'allow', namespace: 'shop' },
          spec: { podSelector: {}, ingress: [{}] },
        },
      ),
  },
  {
    name: 'a role binding for an account that exists',
    change: (objects) =>
      objects.push({
        kind: 'RoleBinding',
        metadata: { name: 'reader', namespace: 'shop' },
        subjects: [{ kind: 'ServiceAccount', name: 'default' }],
      }),
  },
  {
    name: 'a node without pressure',
    change: (objects) =>
      find(objects, 'Node', 'node-b')['status'].conditions.push({ type: 'MemoryPressure', status: 'False' }),
  },
  {
    name: 'a lease that is a few seconds older than another',
    change: (objects) => void (find(objects, 'Lease', 'node-b')['spec'].renewTime = at(-20)),
  },
  {
    name: 'a complete daemon set',
    change: (objects) =>
      objects.push({
        kind: 'DaemonSet',
        metadata: { name: 'agent', namespace: 'shop' },
        status: { desiredNumberScheduled: 2, numberReady: 2 },
      }),
  },
  {
    name: 'a job that completed',
    change: (objects) =>
      objects.push({
        kind: 'Job',
        metadata: { name: 'migrate', namespace: 'shop' },
        status: { conditions: [{ type: 'Complete', status: 'True' }] },
      }),
  },
  {
    name: 'an autoscaler at its minimum',
    change: (objects) =>
      objects.push({
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'cart', namespace: 'shop' },
        status: {
          conditions: [
            { type: 'ScalingLimited', status: 'True', reason: 'TooFewReplicas' },
            { type: 'ScalingActive', status: 'True' },
          ],
        },
      }),
  },
  {
    name: 'a volume that is bound',
    change: (objects) =>
      objects.push({ kind: 'PersistentVolume', metadata: { name: 'pv-1' }, status: { phase: 'Bound' } }),
  },
];

describe('object rules', () => {
  test('a healthy cluster has no findings', () => {
    expect(findingsOf(healthyShop())).toEqual([]);
  });

  test.each(problems)('C4: $name is found', ({ change, reason, service: expected = 'cart', type, minSeverity = 0 }) => {
    const findings = afterChange(change).filter((finding) => finding.service === expected);
    const found = findings.find((finding) => finding.key.endsWith(`/${reason}`));
    expect(reasonsOf(findings)).toContain(reason);
    expect(found?.severity).toBeGreaterThanOrEqual(minSeverity);
    if (type) expect(found?.rootCauseType).toBe(type);
  });

  test.each(nearMisses)('$name is no finding', ({ change }) => {
    expect(reasonsOf(afterChange(change))).toEqual([]);
  });
});

describe('weights of findings', () => {
  const lastOom = (finishedAt: string | undefined) =>
    afterChange(setStatus('cart', { lastState: { terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt } } }))[0]
      ?.severity;

  test('C5: a last end fades with its age, and counts almost in full without a time', () => {
    expect(lastOom(at(-60))).toBeCloseTo(0.95);
    expect(lastOom(at(-3600))).toBeCloseTo(0.95 * 0.45);
    expect(lastOom(at(-86_400))).toBeLessThan(0.1);
    expect(lastOom(undefined)).toBeCloseTo(0.95 * 0.9);
  });

  test('restarts without a time never weigh more than .3', () => {
    const [finding] = afterChange(setStatus('cart', { restartCount: 40 }));
    expect(finding?.severity).toBeCloseTo(0.3);
  });

  test('one bad pod of four weighs less than the only one, and is one finding', () => {
    const bad = { ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } } };
    const alone = afterChange(setStatus('cart', bad)).find(({ key }) => key.includes('CrashLoop'));
    const oneOfFour = afterChange((objects) => {
      setStatus('cart', bad)(objects);
      for (const suffix of ['aaaa2', 'bbbb2', 'cccc2']) objects.push(pod(`cart-7d9f8b6c5d-${suffix}`, 'cart'));
    }).filter(({ key }) => key.includes('CrashLoop'));
    expect(oneOfFour).toHaveLength(1);
    expect(oneOfFour[0]?.severity).toBeLessThan(alone?.severity ?? 0);
  });

  test('what running pods needed was there when they started: a latent fault weighs less', () => {
    const missing = (objects: Json[]) =>
      void (container(objects, 'cart')['envFrom'] = [{ configMapRef: { name: 'gone' } }]);
    expect(afterChange(missing)[0]?.severity).toBeCloseTo(0.4);
    expect(afterChange(whileStarting(missing))[0]?.severity).toBeCloseTo(1);
  });

  test('one closed port of several weighs less than the only one', () => {
    const ports = (list: Json[]) => (objects: Json[]) => void (find(objects, 'Service', 'cart')['spec'].ports = list);
    const closed = { port: 81, targetPort: 9999 };
    expect(afterChange(ports([closed]))[0]?.severity).toBeCloseTo(0.9);
    expect(afterChange(ports([closed, { port: 80, targetPort: 8080 }]))[0]?.severity).toBeCloseTo(0.5);
  });

  test('a condition of yesterday weighs less than one of a minute ago', () => {
    const unreadySince = (lastTransitionTime: string) =>
      afterChange((objects) => {
        setStatus('cart', { ready: false })(objects);
        find(objects, 'Pod', 'cart')['status'].conditions = [{ type: 'Ready', status: 'False', lastTransitionTime }];
      })[0]?.severity;
    expect(unreadySince(at(-60))).toBeCloseTo(0.6);
    expect(unreadySince(at(-86_400))).toBeCloseTo(0.36);
  });

  test('a pod and its Deployment with the same missing reference are one finding', () => {
    const reference = [{ configMapRef: { name: 'gone' } }];
    const findings = afterChange((objects) => {
      container(objects, 'cart')['envFrom'] = reference;
      find(objects, 'Deployment', 'cart')['spec'].template.spec.containers[0].envFrom = reference;
    });
    expect(findings.map(({ key }) => key)).toEqual(['state:Deployment/cart/MissingConfigMap gone']);
  });
});

describe('flat pod summaries', () => {
  test.each([
    [
      { kind: 'Pod', name: 'cart-7d9f8b6c5d-x2x4z', namespace: 'shop', status: 'CrashLoopBackOff', restarts: 12 },
      'CrashLoopBackOff',
    ],
    [
      {
        kind: 'Pod',
        metadata: {
          name: 'cart-7d9f8b6c5d-x2x4z',
          annotations: { 'recording/status': 'Running', 'recording/ready': '0/1' },
        },
      },
      'NotReady',
    ],
    [{ kind: 'Pod', name: 'cart-7d9f8b6c5d-x2x4z', restarts: 3 }, 'restarts'],
    [{ kind: 'Deployment', name: 'cart', desired: 2, available: 1 }, 'ReplicasMissing'],
  ])('%j shows %s', (object, reason) => {
    expect(reasonsOf(findingsOf([object]))).toEqual([reason]);
  });

  test('a pod that is ready is no finding', () => {
    const row = {
      kind: 'Pod',
      metadata: {
        name: 'cart-7d9f8b6c5d-x2x4z',
        annotations: { 'recording/status': 'Running', 'recording/ready': '1/1' },
      },
    };
    expect(findingsOf([row, node('node-a')])).toEqual([]);
  });
});
