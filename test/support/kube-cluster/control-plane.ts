import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild, waitUntilReady, type Child } from '../child.ts';
import { freePort } from '../free-port.ts';
import { connectToKube, type KubeApi } from './api.ts';
import { kubeconfigOf } from './kubeconfig.ts';
import type { KubePrograms } from './programs.ts';

export interface ControlPlane {
  readonly url: string;
  readonly etcdUrl: string;
  /** As cluster administrator. */
  readonly api: KubeApi;
  /** Certificate of the API server, signed by itself, and its key: for whoever must be believed by the same clients. */
  readonly certificate: string;
  readonly key: string;
  readonly folder: string;
  stop(): Promise<void>;
}

/** On a machine that others use, too, the programs take their time. */
const START_LIMIT_MS = 90_000;

/**
 * etcd, kube-apiserver, kube-controller-manager and kube-scheduler on loopback ports in a folder of their own: authentication by token, authorisation by
 * RBAC, service accounts with real tokens. Nodes are not started; see `kubelets.ts`.
 */
export async function startControlPlane(programs: KubePrograms): Promise<ControlPlane> {
  const folder = await mkdtemp(join(tmpdir(), 'rn-kube-'));
  const children: Child[] = [];
  const stop = async () => {
    for (const child of children.toReversed()) await child.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const token = randomBytes(16).toString('hex');
    const started = await startServers(programs, folder, token, children);
    children.push(...(await startControllers(programs, folder, started.url, token)));
    return { ...started, folder, stop: async () => (started.api.close(), stop()) };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startServers(programs: KubePrograms, folder: string, token: string, children: Child[]) {
  const etcdUrl = `http://127.0.0.1:${await freePort()}`;
  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  await writeFile(join(folder, 'service-accounts.key'), serviceAccountKey());
  await writeFile(join(folder, 'tokens.csv'), `${token},admin,1,"system:masters"\n`);
  const etcd = await startChild(programs.etcd, await etcdArguments(folder, etcdUrl));
  children.push(etcd);
  await waitUntilReady(etcd, 'etcd', async () => (await fetch(`${etcdUrl}/health`)).ok, START_LIMIT_MS);
  const server = await startChild(programs.apiServer, apiServerArguments(folder, etcdUrl, port));
  children.push(server);
  const read = (name: string) => readFile(join(folder, 'certs', name), 'utf8');
  const connect = async () => connectToKube(url, await read('apiserver.crt'), token);
  await waitUntilReady(server, 'kube-apiserver', async () => answers(await connect()), START_LIMIT_MS);
  return {
    url,
    etcdUrl,
    api: await connect(),
    certificate: await read('apiserver.crt'),
    key: await read('apiserver.key'),
  };
}

async function answers(api: KubeApi): Promise<boolean> {
  try {
    await api.get('/api/v1/namespaces/kube-system');
    // RBAC denies everything until its own default roles are there.
    await api.get('/apis/rbac.authorization.k8s.io/v1/clusterroles/view');
    return true;
  } finally {
    api.close();
  }
}

async function startControllers(programs: KubePrograms, folder: string, url: string, token: string): Promise<Child[]> {
  const kubeconfig = join(folder, 'admin.kubeconfig');
  await writeFile(kubeconfig, kubeconfigOf({ server: url, caFile: join(folder, 'certs', 'apiserver.crt'), token }));
  const common = ['--kubeconfig', kubeconfig, '--leader-elect=false', '--bind-address=127.0.0.1', '--secure-port=0'];
  const fast = ['--kube-api-qps=200', '--kube-api-burst=400'];
  return [
    await startChild(programs.controllerManager, [
      ...common,
      ...fast,
      // Nothing measures or hands out addresses here.
      '--controllers=*,-horizontal-pod-autoscaler-controller,-node-ipam-controller,-cloud-node-lifecycle-controller',
      `--service-account-private-key-file=${join(folder, 'service-accounts.key')}`,
      `--root-ca-file=${join(folder, 'certs', 'apiserver.crt')}`,
      '--node-monitor-period=1s',
    ]),
    await startChild(programs.scheduler, [...common, ...fast]),
  ];
}

async function etcdArguments(folder: string, url: string): Promise<readonly string[]> {
  const peer = `http://127.0.0.1:${await freePort()}`;
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
    '--log-level=error',
  ];
}

function apiServerArguments(folder: string, etcdUrl: string, port: number): readonly string[] {
  const key = join(folder, 'service-accounts.key');
  return [
    `--etcd-servers=${etcdUrl}`,
    // As text, so that `etcd.ts` can rewrite it.
    '--storage-media-type=application/json',
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${join(folder, 'certs')}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-signing-key-file=${key}`,
    `--service-account-key-file=${key}`,
    '--endpoint-reconciler-type=none',
    // Pages are read from etcd, as by most versions that are in use, so that they can run out.
    '--feature-gates=ListFromCacheSnapshot=false',
  ];
}

function serviceAccountKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs1', format: 'pem' }) as string;
}
