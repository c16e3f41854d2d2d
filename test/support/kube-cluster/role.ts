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
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: READ },
  { apiGroups: ['rbac.authorization.k8s.io'], resources: ['rolebindings'], verbs: READ },
];

export interface ReadOnlyRole {
  /** `chart` when helm rendered it. */
  readonly from: 'chart' | 'fixture';
  readonly rules: readonly PolicyRule[];
}

/** The rules of the chart's read-only ClusterRole as `helm template` prints them; those above where helm is not to be had. */
export function readOnlyRole(): ReadOnlyRole {
  if (!isHelmThere) return { from: 'fixture', rules: RULES };
  const rules = ofKind(render(), 'ClusterRole').flatMap(
    (role) => (role as unknown as Partial<ReadOnlyRole>).rules ?? [],
  );
  return { from: 'chart', rules };
}
