import type { RootCauseType } from '../../../src/domain/root-cause-type.ts';
import { eventually } from '../eventually.ts';
import { deploy, podsOf, rollOut, scale, type DeploymentSpec } from './deployments.ts';
import type { KubeApi } from './api.ts';
import type { Kubelets } from './kubelets.ts';
import type { PodProgram } from './programs-in-pods.ts';

export interface Scene {
  readonly api: KubeApi;
  readonly kubelets: Kubelets;
}

/** One way for a cluster to be broken, in a namespace of its own. */
export interface ClusterCase {
  readonly name: string;
  readonly namespace: string;
  /** Sets up what has long been there. */
  prepare(scene: Scene): Promise<void>;
  /** Breaks it, waits until the cluster shows it, and returns the labels that an alert about it carries. */
  breakIt(scene: Scene): Promise<Readonly<Record<string, string>>>;
  /** What never works, from the beginning. */
  readonly longBroken?: readonly string[];
  /** Undefined: nothing is wrong, and nobody may be blamed. */
  readonly truth: { readonly service: string; readonly type: RootCauseType } | undefined;
  /** What evidence must say, all of it somewhere. */
  readonly shows: readonly RegExp[];
  /** Whom the report may not name as the cause or its alternative. */
  readonly innocent?: readonly string[];
}

const MINUTE_MS = 60_000;
const GENERAL = { pool: 'general' };
const image = (name: string, tag: string) => `registry.example.net/${name}:${tag}`;
const addressOf = (name: string, namespace: string) => `http://${name}.${namespace}.svc.cluster.local:8080`;

/** A deployment in the pool for everybody, and one that calls it. */
async function deployPair(api: KubeApi, callee: DeploymentSpec, callerName: string): Promise<void> {
  const { namespace, name } = callee;
  await deploy(api, { nodeSelector: GENERAL, ...callee });
  await deploy(api, callerOf(namespace, name, callerName, '1.0.0'));
}

function callerOf(namespace: string, callee: string, name: string, tag: string): DeploymentSpec {
  const env = { BACKEND_URL: addressOf(callee, namespace) };
  return { namespace, name, image: image(name, tag), nodeSelector: GENERAL, env, replicas: 2 };
}

/** What a scrape of the usual monitoring stack adds to the labels of an alert. */
const SCRAPED = {
  job: 'kube-state-metrics',
  service: 'monitoring-kube-state-metrics',
  instance: '10.244.3.9:8080',
  endpoint: 'http',
};

const CRASHES: PodProgram = {
  kind: 'crashes',
  exitCode: 1,
  restarts: 5,
  forMs: 4 * MINUTE_MS,
  log: [
    'level=info msg="reading price table" rows=1841',
    'panic: runtime error: index out of range [7] with length 7',
    'goroutine 1 [running]:',
    'main.readPrices(0xc0001a2000) /src/prices.go:88',
  ],
};

const crashLoop: ClusterCase = {
  name: 'a crash-looping container',
  namespace: 'inventory',
  prepare: async ({ api }) => {
    const stock = { namespace: 'inventory', name: 'stock-api', image: image('stock-api', '3.2.0'), replicas: 2 };
    await deployPair(api, stock, 'stock-web');
  },
  breakIt: async ({ api, kubelets }) => {
    kubelets.run(image('stock-api', '3.2.0'), CRASHES);
    // An innocent rollout of the caller, in the same minute.
    await rollOut(api, callerOf('inventory', 'stock-api', 'stock-web', '1.0.1'));
    const [pod] = await eventually(
      'the pods crash',
      () => podsOf(api, 'inventory', 'stock-api'),
      (pods) => pods.every(({ status }) => JSON.stringify(status).includes('CrashLoopBackOff')),
    );
    return {
      ...SCRAPED,
      alertname: 'KubePodCrashLooping',
      namespace: 'inventory',
      pod: pod?.metadata.name ?? '',
      container: 'stock-api',
    };
  },
  truth: { service: 'stock-api', type: 'code_error' },
  shows: [/stock-api.*exit code 1/i, /index out of range/],
};

const tooLittleCpu: ClusterCase = {
  name: 'pods for which no node has enough CPU',
  namespace: 'media',
  prepare: ({ api }) =>
    deploy(api, {
      namespace: 'media',
      name: 'transcoder',
      image: image('transcoder', '5.1.0'),
      cpu: '3',
      nodeSelector: GENERAL,
    }),
  breakIt: async ({ api }) => {
    await scale(api, 'media', 'transcoder', 6);
    await untilUnschedulable(api, 'media', 'transcoder');
    return { alertname: 'KubeDeploymentReplicasMismatch', namespace: 'media', deployment: 'transcoder' };
  },
  truth: { service: 'transcoder', type: 'scheduling' },
  shows: [/transcoder.*Insufficient cpu/i],
};

const wrongNode: ClusterCase = {
  name: 'a node selector that no node fits',
  namespace: 'search',
  prepare: ({ api }) => deploy(api, indexer({})),
  breakIt: async ({ api }) => {
    await rollOut(api, indexer({ disktype: 'nvme' }));
    const pod = await untilUnschedulable(api, 'search', 'indexer');
    return { alertname: 'KubePodNotReady', namespace: 'search', pod };
  },
  truth: { service: 'indexer', type: 'scheduling' },
  shows: [/indexer.*(affinity|selector)/i],
};

function indexer(selector: Readonly<Record<string, string>>): DeploymentSpec {
  return {
    namespace: 'search',
    name: 'indexer',
    image: image('indexer', '0.9.4'),
    nodeSelector: { ...GENERAL, ...selector },
  };
}

const LONG_CRASHING: PodProgram = {
  kind: 'crashes',
  exitCode: 2,
  restarts: 2590,
  forMs: 9 * 24 * 60 * MINUTE_MS,
  log: ['usage: legacy-importer --from FILE'],
};

const badTag: ClusterCase = {
  name: 'an image with a tag that is not there',
  namespace: 'shop',
  prepare: async ({ api, kubelets }) => {
    await deployPair(api, catalog('2.8.0'), 'storefront');
    await deploy(api, banner('4.0.0'));
    // Broken for days, and nobody calls it.
    kubelets.run(image('legacy-importer', '0.1.0'), { ...LONG_CRASHING });
    const importer = { namespace: 'shop', name: 'legacy-importer', image: image('legacy-importer', '0.1.0') };
    await deploy(api, { ...importer, nodeSelector: GENERAL });
  },
  breakIt: async ({ api, kubelets }) => {
    kubelets.run(image('catalog', '2.8.O'), { kind: 'unknown image' });
    // Told again: the first events of it have run out.
    kubelets.run(image('legacy-importer', '0.1.0'), { ...LONG_CRASHING });
    await rollOut(api, banner('4.0.1'));
    await rollOut(api, catalog('2.8.O'));
    await eventually(
      'the image is asked for in vain',
      () => podsOf(api, 'shop', 'catalog'),
      (pods) => pods.length === 1 && JSON.stringify(pods).includes('ImagePullBackOff'),
    );
    return { alertname: 'StorefrontErrors', namespace: 'shop', service: 'storefront' };
  },
  truth: { service: 'catalog', type: 'image_pull' },
  shows: [/catalog.*2\.8\.O/],
  longBroken: ['legacy-importer'],
  innocent: ['banner', 'legacy-importer'],
};

function catalog(tag: string): DeploymentSpec {
  return {
    namespace: 'shop',
    name: 'catalog',
    image: image('catalog', tag),
    nodeSelector: GENERAL,
    strategy: 'Recreate',
  };
}

function banner(tag: string): DeploymentSpec {
  return { namespace: 'shop', name: 'banner', image: image('banner', tag), nodeSelector: GENERAL };
}

const stuckRollout: ClusterCase = {
  name: 'a rollout whose new revision never gets ready',
  namespace: 'billing',
  prepare: ({ api }) => deployPair(api, paymentsApi('1.9.0'), 'checkout'),
  breakIt: async ({ api, kubelets }) => {
    kubelets.run(image('payments-api', '2.0.0'), {
      kind: 'unready',
      probe: 'HTTP probe failed with statuscode: 500',
      log: ['ERROR migration 0042_ledger is missing, refusing to serve'],
    });
    await rollOut(api, paymentsApi('2.0.0'));
    await eventually(
      'the deployment gives up',
      () => api.get('/apis/apps/v1/namespaces/billing/deployments/payments-api'),
      ({ status }) => JSON.stringify(status).includes('ProgressDeadlineExceeded'),
    );
    return { alertname: 'KubeDeploymentRolloutStuck', namespace: 'billing', deployment: 'payments-api' };
  },
  truth: { service: 'payments-api', type: 'deployment_change' },
  shows: [/payments-api:1\.9\.0 → \S*payments-api:2\.0\.0/, /payments-api.*ProgressDeadlineExceeded/],
};

function paymentsApi(tag: string): DeploymentSpec {
  return {
    namespace: 'billing',
    name: 'payments-api',
    image: image('payments-api', tag),
    replicas: 2,
    nodeSelector: GENERAL,
    progressDeadlineSeconds: 4,
  };
}

const fullDisk: ClusterCase = {
  name: 'a node whose disk is full',
  namespace: 'thumbs',
  prepare: ({ api }) =>
    deploy(api, {
      namespace: 'thumbs',
      name: 'resizer',
      image: image('resizer', '1.3.0'),
      replicas: 2,
      nodeSelector: { pool: 'batch' },
    }),
  breakIt: async ({ api, kubelets }) => {
    await kubelets.press('worker-4', { condition: 'DiskPressure', threshold: '10Gi', available: '3721448Ki' });
    await untilUnschedulable(api, 'thumbs', 'resizer');
    return { alertname: 'KubeDeploymentReplicasMismatch', namespace: 'thumbs', deployment: 'resizer' };
  },
  truth: { service: 'worker-4', type: 'disk_full' },
  shows: [/worker-4.*DiskPressure/, /resizer.*(evicted|low on resource)/i],
};

const fullMemory: ClusterCase = {
  name: 'a node without memory, with an alert that names only the node',
  namespace: 'sessions',
  prepare: ({ api }) =>
    deploy(api, {
      namespace: 'sessions',
      name: 'session-cache',
      image: image('session-cache', '7.0.2'),
      nodeSelector: { pool: 'cache' },
    }),
  breakIt: async ({ api, kubelets }) => {
    await kubelets.press('worker-5', { condition: 'MemoryPressure', threshold: '100Mi', available: '61384Ki' });
    await untilUnschedulable(api, 'sessions', 'session-cache');
    // Of a node there is no namespace or pod but the exporter's own.
    const exporter = {
      namespace: 'monitoring',
      pod: 'monitoring-kube-state-metrics-6d5f8c7b9-x2x7k',
      container: 'kube-state-metrics',
    };
    return {
      ...SCRAPED,
      ...exporter,
      alertname: 'KubeNodePressure',
      node: 'worker-5',
      condition: 'MemoryPressure',
    };
  },
  truth: { service: 'worker-5', type: 'memory_exhaustion' },
  shows: [/worker-5.*MemoryPressure/],
};

const usedUpQuota: ClusterCase = {
  name: 'a quota that is used up',
  namespace: 'reports',
  prepare: async ({ api }) => {
    await api.create('/api/v1/namespaces/reports/resourcequotas', {
      metadata: { name: 'team-reports' },
      spec: { hard: { pods: '3', 'requests.cpu': '4' } },
    });
    await deploy(api, {
      namespace: 'reports',
      name: 'report-builder',
      image: image('report-builder', '2.2.0'),
      replicas: 2,
      nodeSelector: GENERAL,
    });
  },
  breakIt: async ({ api }) => {
    await scale(api, 'reports', 'report-builder', 6);
    await eventually(
      'the API server refuses pods',
      () => api.get('/apis/apps/v1/namespaces/reports/deployments/report-builder'),
      ({ status }) => JSON.stringify(status).includes('exceeded quota'),
    );
    return { alertname: 'KubeDeploymentReplicasMismatch', namespace: 'reports', deployment: 'report-builder' };
  },
  truth: { service: 'report-builder', type: 'quota' },
  shows: [/exceeded quota: team-reports/],
};

const nothingWrong: ClusterCase = {
  name: 'a namespace in which nothing is wrong',
  namespace: 'quiet',
  prepare: ({ api }) =>
    deployPair(api, { namespace: 'quiet', name: 'quotes-api', image: image('quotes-api', '1.1.0') }, 'quotes-web'),
  breakIt: async () => ({ alertname: 'QuotesSlow', namespace: 'quiet', service: 'quotes-web' }),
  truth: undefined,
  shows: [],
};

export const CLUSTER_CASES: readonly ClusterCase[] = [
  crashLoop,
  tooLittleCpu,
  wrongNode,
  badTag,
  stuckRollout,
  fullDisk,
  fullMemory,
  usedUpQuota,
  nothingWrong,
];

/** Name of the pod that finds no node. */
async function untilUnschedulable(api: KubeApi, namespace: string, app: string): Promise<string> {
  const isPending = ({ status }: { readonly status?: unknown }) => JSON.stringify(status).includes('Unschedulable');
  const pods = await eventually(
    `a pod of ${app} finds no node`,
    () => podsOf(api, namespace, app),
    (all) => all.some(isPending),
  );
  return pods.find(isPending)?.metadata.name ?? '';
}
