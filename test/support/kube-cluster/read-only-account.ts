import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ControlPlane } from './control-plane.ts';
import { kubeconfigOf } from './kubeconfig.ts';
import type { ReadOnlyRole } from './role.ts';

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

export interface ReadOnlyAccount {
  readonly token: string;
  readonly kubeconfigFile: string;
}

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const NAMESPACE = 'rootnote';

/** A service account with these rights and a real token, as the chart makes it; `server` is where its kubeconfig points. */
export async function createReadOnlyAccount(
  plane: ControlPlane,
  role: ReadOnlyRole,
  server: string,
): Promise<ReadOnlyAccount> {
  const { api } = plane;
  const subject = { kind: 'ServiceAccount', name: 'rootnote', namespace: NAMESPACE };
  await api.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await api.create(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name: subject.name } });
  await api.create(`${RBAC}/clusterroles`, { metadata: { name: 'rootnote' }, rules: role.rules });
  await api.create(`${RBAC}/clusterrolebindings`, {
    metadata: { name: 'rootnote' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'rootnote' },
    subjects: [subject],
  });
  for (const { namespace, rules } of role.inNamespaces) {
    const place = `${RBAC}/namespaces/${namespace}`;
    await api.create(`${place}/roles`, { metadata: { name: 'rootnote' }, rules });
    await api.create(`${place}/rolebindings`, {
      metadata: { name: 'rootnote' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'rootnote' },
      subjects: [subject],
    });
  }
  const issued = await api.create<{ readonly status: { readonly token: string } }>(
    `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${subject.name}/token`,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } },
  );
  const { token } = issued.status;
  const kubeconfigFile = join(plane.folder, 'rootnote.kubeconfig');
  const caFile = join(plane.folder, 'certs', 'apiserver.crt');
  await writeFile(kubeconfigFile, kubeconfigOf({ server, caFile, token }), { mode: 0o600 });
  return { token, kubeconfigFile };
}
