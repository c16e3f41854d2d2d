import { isHelmThere, ofKind, render } from '../helm/chart.ts';
import type { PolicyRule } from './read-only-account.ts';

const READ = ['get', 'list'];

/** As the chart's, for machines without helm. */
const RULES: readonly PolicyRule[] = [
  {
    apiGroups: [''],
    resources: [
      'configmaps',
      'endpoints',
      'events',
      'limitranges',
      'namespaces',
      'nodes',
      'persistentvolumeclaims',
      'persistentvolumes',
      'pods',
      'pods/log',
      'replicationcontrollers',
      'resourcequotas',
      'serviceaccounts',
      'services',
    ],
    verbs: READ,
  },
  {
    apiGroups: ['apps'],
    resources: ['daemonsets', 'deployments', 'replicasets', 'statefulsets', 'controllerrevisions'],
    verbs: READ,
  },
  { apiGroups: ['batch'], resources: ['cronjobs', 'jobs'], verbs: READ },
  { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'], verbs: READ },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: READ },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: READ },
  { apiGroups: ['networking.k8s.io'], resources: ['ingresses', 'networkpolicies'], verbs: READ },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: READ },
  { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: READ },
  { apiGroups: ['rbac.authorization.k8s.io'], resources: ['rolebindings'], verbs: READ },
];

export interface ReadOnlyRole {
  /** `chart` when helm rendered it. */
  readonly from: 'chart' | 'fixture';
  /** In all namespaces. */
  readonly rules: readonly PolicyRule[];
  /** In one, beside those. */
  readonly inNamespaces: readonly { readonly namespace: string; readonly rules: readonly PolicyRule[] }[];
}

const LEASES: PolicyRule = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: READ };

/** The rules of the chart's read-only roles as `helm template` prints them; those above where helm is not to be had. */
export function readOnlyRole(): ReadOnlyRole {
  if (!isHelmThere) {
    return { from: 'fixture', rules: RULES, inNamespaces: [{ namespace: 'kube-node-lease', rules: [LEASES] }] };
  }
  // With all that may be granted: what is not is a gap, which other tests are about.
  const chart = render({ kubernetes: { rbac: { configMaps: true } } });
  const rulesOf = (object: unknown) => (object as { readonly rules?: readonly PolicyRule[] }).rules ?? [];
  return {
    from: 'chart',
    rules: ofKind(chart, 'ClusterRole').flatMap(rulesOf),
    inNamespaces: ofKind(chart, 'Role').map((role) => ({
      namespace: role.metadata.namespace ?? '',
      rules: rulesOf(role),
    })),
  };
}
