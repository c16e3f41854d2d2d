import { stringify } from 'yaml';

export interface KubeLogin {
  readonly server: string;
  readonly caFile: string;
  readonly token: string;
  readonly namespace?: string;
}

/** A kubeconfig with one context. */
export function kubeconfigOf({ server, caFile, token, namespace }: KubeLogin): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'lab', cluster: { server, 'certificate-authority': caFile } }],
    users: [{ name: 'lab', user: { token } }],
    contexts: [
      { name: 'lab', context: { cluster: 'lab', user: 'lab', ...(namespace === undefined ? {} : { namespace }) } },
    ],
    'current-context': 'lab',
  });
}
