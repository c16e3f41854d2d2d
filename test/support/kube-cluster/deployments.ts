import { eventually } from '../eventually.ts';
import type { KubeApi, KubeObject } from './api.ts';

export interface DeploymentSpec {
  readonly namespace: string;
  readonly name: string;
  readonly image: string;
  readonly replicas?: number;
  readonly cpu?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly progressDeadlineSeconds?: number;
  /** Default `RollingUpdate`. */
  readonly strategy?: 'Recreate';
}

const PORT = 8080;

/** A deployment of one container with its Service, of the same name, as many teams write them. */
export async function deploy(api: KubeApi, spec: DeploymentSpec): Promise<void> {
  const { namespace, name } = spec;
  await api.create(deploymentsOf(namespace), {
    metadata: { name, labels: { app: name } },
    spec: {
      replicas: spec.replicas ?? 1,
      selector: { matchLabels: { app: name } },
      progressDeadlineSeconds: spec.progressDeadlineSeconds ?? 600,
      ...(spec.strategy ? { strategy: { type: spec.strategy } } : {}),
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [containerOf(spec)],
          ...(spec.nodeSelector ? { nodeSelector: spec.nodeSelector } : {}),
        },
      },
    },
  });
  await api.create(`/api/v1/namespaces/${namespace}/services`, {
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port: PORT, targetPort: PORT }] },
  });
}

/** Merges into the pod template: a new revision. Lists are replaced whole, so the container is written anew. */
export async function rollOut(api: KubeApi, spec: DeploymentSpec): Promise<void> {
  const { nodeSelector } = spec;
  await api.patch(`${deploymentsOf(spec.namespace)}/${spec.name}`, {
    spec: { template: { spec: { containers: [containerOf(spec)], ...(nodeSelector ? { nodeSelector } : {}) } } },
  });
}

export async function scale(api: KubeApi, namespace: string, name: string, replicas: number): Promise<void> {
  await api.patch(`${deploymentsOf(namespace)}/${name}`, { spec: { replicas } });
}

/** Waits until all deployments of the cluster but these have what they ask for. */
export async function untilAvailable(
  api: KubeApi,
  { except }: { readonly except: ReadonlySet<string> },
): Promise<void> {
  await eventually(
    'all deployments are available',
    () => api.list('/apis/apps/v1/deployments'),
    (all) =>
      all
        .filter(({ metadata }) => !except.has(metadata.name))
        .every(({ spec, status }) => status?.['availableReplicas'] === spec?.['replicas']),
  );
}

/** Pods of a workload that are there and not on their way out. */
export async function podsOf(api: KubeApi, namespace: string, app: string): Promise<readonly KubeObject[]> {
  const pods = await api.list(`/api/v1/namespaces/${namespace}/pods?labelSelector=app%3D${app}`);
  return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

const deploymentsOf = (namespace: string) => `/apis/apps/v1/namespaces/${namespace}/deployments`;

function containerOf({ name, image, cpu = '100m', env = {} }: DeploymentSpec) {
  const probe = { httpGet: { path: '/healthz', port: PORT }, periodSeconds: 5 };
  return {
    name,
    image,
    ports: [{ containerPort: PORT }],
    env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
    resources: { requests: { cpu, memory: '128Mi' }, limits: { memory: '512Mi' } },
    readinessProbe: probe,
  };
}
