import { at, type Json } from './shop-cluster.ts';

/**
 * A cluster in which nothing is wrong and much looks odd: named ports, headless Services, a name outside, a job that ended, an autoscaler
 * at rest, policies that let through what is needed, init containers, sidecars of both sorts, secrets known only by name.
 */
export function healthyCluster(): Json[] {
  return [...NAMES.flatMap(stateless), ...stores(), ...batch(), ...edge(), ...policies(), ...ground()];
}

/** Nine stateless workloads; with two stores and a node agent twelve. */
const NAMES = ['web', 'api', 'orders', 'prices', 'search', 'mailer', 'reports', 'images', 'auth'];
const NODES = ['worker-1', 'worker-2', 'worker-3'];

const labelsOf = (app: string): Json => ({ 'app.kubernetes.io/name': app, 'app.kubernetes.io/part-of': 'market' });
const meta = (name: string, extra: Json = {}): Json => ({
  name,
  namespace: 'market',
  creationTimestamp: at(-9 * 86_400),
  ...extra,
});
const ownedBy = (kind: string, name: string): Json => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind, name, controller: true }],
});

const probe = (path: string): Json => ({ httpGet: { path, port: 'http', scheme: 'HTTP' }, periodSeconds: 10 });

function podSpec(app: string): Json {
  return {
    serviceAccountName: 'default',
    initContainers: [
      { name: 'migrate', image: `registry.example/${app}:3.1`, args: ['migrate', '--wait', 'orders-db:5432'] },
      { name: 'log-shipper', image: 'registry.example/shipper:1', restartPolicy: 'Always' },
    ],
    containers: [
      {
        name: 'server',
        image: `registry.example/${app}:3.1`,
        env: [
          { name: 'PORT', value: '8080' },
          { name: 'ORDERS_URL', value: 'http://orders.market.svc.cluster.local:80/v1' },
          { name: 'DB_HOST', value: 'orders-db' },
          { name: 'CACHE_ADDR', value: 'cache-0.cache:6379' },
          { name: 'PAYMENT_URL', value: 'https://api.payments.example/v2' },
          { name: 'LEGACY_HOST', value: 'ledger' },
          { name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 'orders-db-credentials', key: 'password' } } },
          { name: 'MODE', valueFrom: { configMapKeyRef: { name: 'settings', key: 'mode' } } },
        ],
        envFrom: [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'absent-is-fine', optional: true } }],
        ports: [
          { name: 'http', containerPort: 8080, protocol: 'TCP' },
          { name: 'metrics', containerPort: 9090, protocol: 'TCP' },
        ],
        readinessProbe: probe('/ready'),
        livenessProbe: probe('/live'),
        resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '256Mi' } },
      },
      { name: 'proxy', image: 'registry.example/proxy:2', ports: [{ name: 'admin', containerPort: 15000 }] },
    ],
    volumes: [
      { name: 'config', configMap: { name: 'settings' } },
      { name: 'tls', secret: { secretName: 'market-tls' } },
    ],
  };
}

const runs = (name: string): Json => ({
  name,
  ready: true,
  started: true,
  restartCount: 0,
  state: { running: { startedAt: at(-9 * 86_000) } },
});

function podOf(app: string, name: string, owner: Json, spec: Json, i: number): Json {
  const inits = (spec['initContainers'] ?? []) as Json[];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: meta(name, { labels: { ...labelsOf(app), 'pod-template-hash': '6c8f7d9b54' }, ...owner }),
    spec: { ...spec, nodeName: NODES[i % NODES.length] },
    status: {
      phase: 'Running',
      podIP: ipOf(i),
      conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
        type,
        status: 'True',
        lastTransitionTime: at(-9 * 86_000),
      })),
      initContainerStatuses: inits.map((init) =>
        init['restartPolicy'] === 'Always'
          ? runs(init['name'])
          : {
              name: init['name'],
              ready: true,
              restartCount: 0,
              state: { terminated: { exitCode: 0, reason: 'Completed', finishedAt: at(-9 * 86_100) } },
            },
      ),
      containerStatuses: (spec['containers'] as Json[]).map((one) => runs(one['name'])),
    },
  };
}

function stateless(app: string, i: number): Json[] {
  const set = `${app}-6c8f7d9b54`;
  const template = { metadata: { labels: labelsOf(app) }, spec: podSpec(app) };
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: meta(app, { generation: 4 }),
      spec: { replicas: 2, selector: { matchLabels: labelsOf(app) }, template },
      status: {
        observedGeneration: 4,
        replicas: 2,
        updatedReplicas: 2,
        readyReplicas: 2,
        availableReplicas: 2,
        conditions: [
          { type: 'Available', status: 'True', lastTransitionTime: at(-9 * 86_000) },
          { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable', lastUpdateTime: at(-9 * 86_000) },
        ],
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: meta(set, ownedBy('Deployment', app)),
      spec: { replicas: 2, template },
      status: { replicas: 2, readyReplicas: 2, availableReplicas: 2, observedGeneration: 1 },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: meta(`${app}-5b7d6c8f99`, ownedBy('Deployment', app)),
      spec: { replicas: 0, template },
      status: { replicas: 0, observedGeneration: 2 },
    },
    ...['x7k2p', 'q9d4m'].map((end, n) => podOf(app, `${set}-${end}`, ownedBy('ReplicaSet', set), podSpec(app), i + n)),
    service(app, { ports: [port('http', 80, 'http'), port('metrics', 9090, 'metrics')] }),
    endpoints(app, i),
    {
      kind: 'PodDisruptionBudget',
      metadata: meta(app),
      spec: { minAvailable: 1, selector: { matchLabels: labelsOf(app) } },
      status: { currentHealthy: 2, desiredHealthy: 1, disruptionsAllowed: 1, expectedPods: 2 },
    },
  ];
}

const port = (name: string, number: number, targetPort: string | number): Json => ({
  name,
  port: number,
  targetPort,
  protocol: 'TCP',
});

function service(app: string, spec: Json): Json {
  const whole = { type: 'ClusterIP', clusterIP: '10.2.0.9', selector: labelsOf(app), ...spec };
  return { apiVersion: 'v1', kind: 'Service', metadata: meta(app), spec: whole };
}

/** The addresses that `podOf` gives the pods of a workload from its place on. */
const endpoints = (app: string, i: number): Json => ({
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: meta(app),
  subsets: [{ addresses: [i, i + 1].map((n) => ({ ip: ipOf(n) })), ports: [{ name: 'http', port: 8080 }] }],
});

const ipOf = (i: number) => `10.1.${i % 3}.${10 + i}`;

function stores(): Json[] {
  return [['orders-db', 5432] as const, ['cache', 6379] as const].flatMap(([app, number], i) => {
    const spec = {
      serviceAccountName: 'default',
      containers: [
        {
          name: 'store',
          image: `registry.example/${app}:14`,
          ports: [{ name: 'client', containerPort: number }],
          readinessProbe: { exec: { command: ['check', '--quick'] } },
          livenessProbe: { tcpSocket: { port: 'client' } },
        },
      ],
    };
    const pods = [0, 1].map((n) => {
      const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: `data-${app}-${n}` } }];
      return podOf(app, `${app}-${n}`, ownedBy('StatefulSet', app), { ...spec, volumes }, i + n);
    });
    return [
      {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: meta(app),
        spec: { replicas: 2, serviceName: app, template: { metadata: { labels: labelsOf(app) }, spec } },
        status: { observedGeneration: 1, replicas: 2, readyReplicas: 2, availableReplicas: 2, currentReplicas: 2 },
      },
      ...pods,
      service(app, { clusterIP: 'None', ports: [port('client', number, 'client')] }),
      endpoints(app, i),
      ...[0, 1].flatMap((n) => storage(`data-${app}-${n}`)),
    ];
  });
}

const storage = (claim: string): Json[] => [
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: meta(claim),
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'standard',
      volumeName: `pv-${claim}`,
      resources: { requests: { storage: '10Gi' } },
    },
    status: { phase: 'Bound', capacity: { storage: '10Gi' } },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `pv-${claim}` },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '10Gi' },
      storageClassName: 'standard',
      claimRef: { namespace: 'market', name: claim },
    },
    status: { phase: 'Bound' },
  },
];

/** A schedule, its last run that ended well, and that run's pod. */
function batch(): Json[] {
  const run = 'nightly-28901234';
  const template = { spec: { containers: [{ name: 'run', image: 'registry.example/reports:3.1' }] } };
  const ended = { terminated: { exitCode: 0, reason: 'Completed', finishedAt: at(-30_000) } };
  return [
    {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: meta('nightly'),
      spec: { schedule: '0 2 * * *', suspend: false, jobTemplate: { spec: { template } } },
      status: { lastSuccessfulTime: at(-30_000) },
    },
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: meta(run, ownedBy('CronJob', 'nightly')),
      spec: { completions: 1, template },
      status: { succeeded: 1, conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: at(-30_000) }] },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: meta(`${run}-k4x2z`, { labels: { 'job-name': run }, ...ownedBy('Job', run) }),
      spec: { ...template.spec, nodeName: 'worker-2', restartPolicy: 'Never' },
      status: {
        phase: 'Succeeded',
        conditions: [{ type: 'Ready', status: 'False', reason: 'PodCompleted', lastTransitionTime: at(-30_000) }],
        containerStatuses: [{ name: 'run', ready: false, restartCount: 0, state: ended }],
      },
    },
  ];
}

function edge(): Json[] {
  const backend = { service: { name: 'web', port: { name: 'http' } } };
  return [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: meta('market'),
      spec: {
        defaultBackend: { service: { name: 'web', port: { number: 80 } } },
        rules: [{ host: 'market.example', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: meta('ledger'),
      spec: { type: 'ExternalName', externalName: 'ledger.bank.example' },
    },
    {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: meta('web'),
      spec: { minReplicas: 2, maxReplicas: 6, scaleTargetRef: { kind: 'Deployment', name: 'web' } },
      status: {
        currentReplicas: 2,
        desiredReplicas: 2,
        conditions: [
          { type: 'AbleToScale', status: 'True', reason: 'ReadyForNewScale' },
          { type: 'ScalingActive', status: 'True', reason: 'ValidMetricFound' },
          { type: 'ScalingLimited', status: 'True', reason: 'TooFewReplicas', message: 'desired is below the minimum' },
        ],
      },
    },
  ];
}

/** All is closed but what is opened: within the namespace, from the ingress controller, to the name server and to the outside. */
function policies(): Json[] {
  const policy = (name: string, spec: Json): Json => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: meta(name),
    spec,
  });
  const ofMarket = { matchLabels: { 'app.kubernetes.io/part-of': 'market' } };
  return [
    policy('default-deny', { podSelector: {}, policyTypes: ['Ingress', 'Egress'] }),
    policy('inside', {
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: [{ podSelector: ofMarket }] }],
      egress: [{ to: [{ podSelector: ofMarket }] }],
    }),
    policy('names', {
      podSelector: {},
      policyTypes: ['Egress'],
      egress: [{ to: [{ namespaceSelector: {} }], ports: [{ port: 53, protocol: 'UDP' }] }],
    }),
    policy('web-from-edge', {
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'web' } },
      policyTypes: ['Ingress'],
      ingress: [
        {
          from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }],
          ports: [{ port: 'http', protocol: 'TCP' }],
        },
      ],
    }),
  ];
}

/** Accounts, settings, quota, nodes and the parts of the cluster itself. */
function ground(): Json[] {
  const ready = [
    ...['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({ type, status: 'False' })),
    { type: 'Ready', status: 'True', reason: 'KubeletReady', lastTransitionTime: at(-30 * 86_400) },
  ];
  return [
    { kind: 'ServiceAccount', metadata: meta('default') },
    { kind: 'ConfigMap', metadata: meta('settings'), data: { mode: 'fast', 'app.yaml': 'db: orders-db:5432\n' } },
    {
      kind: 'RoleBinding',
      metadata: meta('readers'),
      roleRef: { kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'market' }],
    },
    { kind: 'Role', metadata: meta('reader') },
    {
      kind: 'ResourceQuota',
      metadata: meta('most'),
      spec: { hard: { pods: '60', 'requests.memory': '8Gi' } },
      status: { hard: { pods: '60', 'requests.memory': '8Gi' }, used: { pods: '25', 'requests.memory': '1600Mi' } },
    },
    { kind: 'LimitRange', metadata: meta('usual'), spec: { limits: [{ type: 'Container', max: { memory: '1Gi' } }] } },
    { kind: 'StorageClass', metadata: { name: 'standard' }, volumeBindingMode: 'WaitForFirstConsumer' },
    ...['master-1', ...NODES].map((name) => ({
      kind: 'Node',
      metadata: { name, labels: { 'kubernetes.io/hostname': name } },
      spec:
        name === 'master-1' ? { taints: [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }] } : {},
      status: { conditions: ready, allocatable: { cpu: '4', memory: '16Gi' } },
    })),
    ...['master-1', ...NODES].map((name) => ({
      kind: 'Lease',
      metadata: { name, namespace: 'kube-node-lease' },
      spec: { leaseDurationSeconds: 40, renewTime: at(-4) },
    })),
    ...system(),
  ];
}

function system(): Json[] {
  const pod = (name: string, owner: Json, nodeName: string, labels: Json): Json => ({
    kind: 'Pod',
    metadata: { name, namespace: 'kube-system', labels, creationTimestamp: at(-30 * 86_400), ...owner },
    spec: { nodeName, hostNetwork: true, containers: [{ name: 'main', image: 'registry.example/part:1' }] },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ ...runs('main'), restartCount: 2 }],
    },
  });
  const statics = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
  return [
    ...statics.map((name) => pod(`${name}-master-1`, ownedBy('Node', 'master-1'), 'master-1', { component: name })),
    ...['master-1', ...NODES].map((node, i) =>
      pod(`kube-proxy-${i}abcd`, ownedBy('DaemonSet', 'kube-proxy'), node, { 'k8s-app': 'kube-proxy' }),
    ),
    ...NODES.slice(0, 2).map((node, i) =>
      pod(`coredns-5dd5756b68-${i}abcd`, ownedBy('ReplicaSet', 'coredns-5dd5756b68'), node, { 'k8s-app': 'kube-dns' }),
    ),
    {
      kind: 'DaemonSet',
      metadata: meta('agent'),
      spec: { template: { metadata: { labels: labelsOf('agent') }, spec: { containers: [{ name: 'agent' }] } } },
      status: { desiredNumberScheduled: 3, currentNumberScheduled: 3, numberReady: 3, numberAvailable: 3 },
    },
    ...NODES.map((_, i) =>
      podOf('agent', `agent-${i}wxyz`, ownedBy('DaemonSet', 'agent'), { containers: [{ name: 'agent' }] }, i),
    ),
  ];
}
