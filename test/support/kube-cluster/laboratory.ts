import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../eventually.ts';
import type { KubeApi } from './api.ts';
import { CLUSTER_CASES, type ClusterCase } from './cluster-cases.ts';
import { startControlPlane, type ControlPlane } from './control-plane.ts';
import { untilAvailable } from './deployments.ts';
import { ageCluster } from './etcd.ts';
import { startKubelets, type Kubelets } from './kubelets.ts';
import type { NodeSpec } from './nodes.ts';
import type { KubePrograms } from './programs.ts';

export interface BrokenCase extends ClusterCase {
  readonly labels: Readonly<Record<string, string>>;
  readonly startsAtMs: number;
}

export interface Laboratory {
  readonly plane: ControlPlane;
  readonly kubelets: Kubelets;
  /** Every case, broken by now. */
  readonly broken: readonly BrokenCase[];
  stop(): Promise<void>;
}

const NODES: readonly NodeSpec[] = [
  ...['worker-1', 'worker-2', 'worker-3'].map((name) => ({ name, cpus: 6, labels: { pool: 'general' } })),
  { name: 'worker-4', cpus: 8, labels: { pool: 'batch' } },
  { name: 'worker-5', cpus: 8, labels: { pool: 'cache' } },
];
const AGE_MS = 20 * 24 * 3_600_000;
/** For the API server's cache to see what was written behind its back. */
const SETTLE_MS = 500;

/**
 * A cluster in which everything has run for 20 days and breaks now, each case in its namespace, all at about the same time: what goes on elsewhere is part
 * of the test.
 */
export async function startLaboratory(programs: KubePrograms, cases = CLUSTER_CASES): Promise<Laboratory> {
  const plane = await startControlPlane(programs);
  let kubelets: Kubelets | undefined;
  const stop = async () => {
    await kubelets?.stop();
    await plane.stop();
  };
  try {
    kubelets = await startKubelets(plane, NODES);
    const scene = { api: plane.api, kubelets };
    await createNamespaces(
      plane.api,
      cases.map(({ namespace }) => namespace),
    );
    await Promise.all(cases.map((one) => one.prepare(scene)));
    await untilAvailable(plane.api, { except: new Set(cases.flatMap(({ longBroken = [] }) => longBroken)) });
    await forgetEvents(plane.api);
    await ageCluster(plane.etcdUrl, AGE_MS);
    await sleep(SETTLE_MS);
    const broken = await Promise.all(
      cases.map(async (one) => ({ ...one, labels: await one.breakIt(scene), startsAtMs: Date.now() })),
    );
    return { plane, kubelets, broken, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Pods can be made once the controllers have given the namespace its service account. */
async function createNamespaces(api: KubeApi, names: readonly string[]): Promise<void> {
  for (const name of names) await api.create('/api/v1/namespaces', { metadata: { name } });
  await eventually(
    'every namespace has its service account',
    () => api.list('/api/v1/serviceaccounts'),
    (accounts) => names.every((name) => accounts.some(({ metadata }) => metadata.namespace === name)),
  );
}

/** Those of the set-up: in a real cluster they have long run out. */
async function forgetEvents(api: KubeApi): Promise<void> {
  const events = await api.list('/api/v1/events');
  const namespaces = new Set(events.map(({ metadata }) => metadata.namespace));
  await Promise.all([...namespaces].map((namespace) => api.remove(`/api/v1/namespaces/${namespace}/events`)));
}
