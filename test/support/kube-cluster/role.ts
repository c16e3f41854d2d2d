import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { projectRoot } from '../programs.ts';
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
];

export interface ReadOnlyRole {
  /** `chart` when helm rendered it. */
  readonly from: 'chart' | 'fixture';
  readonly rules: readonly PolicyRule[];
}

/** The rules of the chart's read-only ClusterRole as `helm template` prints them; those above where helm is not to be had. */
export function readOnlyRole(): ReadOnlyRole {
  const printed = spawnSync('helm', ['template', 'rootnote', join(projectRoot(), 'helm')], { encoding: 'utf8' });
  if (printed.status !== 0) return { from: 'fixture', rules: RULES };
  const roles = parseAllDocuments(printed.stdout)
    .map((document) => document.toJS() as { readonly kind?: string; readonly rules?: readonly PolicyRule[] } | null)
    .filter((object) => object?.kind === 'ClusterRole');
  const rules = roles.flatMap((role) => role?.rules ?? []);
  return rules.length > 0 ? { from: 'chart', rules } : { from: 'fixture', rules: RULES };
}
