import { existsSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { ConfigError } from '../../config/load-config.ts';
import { readNamed } from '../backend/read-file.ts';
import type { KubernetesAccess } from './access.ts';

export interface PodSurroundings {
  readonly host: string | undefined;
  readonly port: number;
  /** Folder with `token` and `ca.crt`, as a kubelet mounts it. */
  readonly accountDir: string;
}

/** Whether this process runs in a pod that has a service account's token. */
export function hasServiceAccount({ host, accountDir }: PodSurroundings): boolean {
  return host !== undefined && existsSync(join(accountDir, 'token'));
}

/** The identity of the own pod (https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/). Throws `ConfigError`. */
export function accessFromPod({ host, port, accountDir }: PodSurroundings): KubernetesAccess {
  if (host === undefined) {
    throw new ConfigError(
      'KUBERNETES_ENABLED: this is no pod of a cluster (KUBERNETES_SERVICE_HOST is not set): set KUBERNETES_KUBECONFIG',
    );
  }
  const file = join(accountDir, 'token');
  if (!existsSync(file)) {
    throw new ConfigError(
      `KUBERNETES_ENABLED: ${file} is not there: set automountServiceAccountToken of the pod to true, or KUBERNETES_KUBECONFIG`,
    );
  }
  const ca = readNamed('KUBERNETES_SERVICE_ACCOUNT_DIR', join(accountDir, 'ca.crt'), (name) =>
    readFileSync(name, 'utf8'),
  );
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    tls: { ca },
    credential: { kind: 'token-file', file },
    how: 'the service account of the own pod',
  };
}
