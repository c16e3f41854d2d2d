import { ALL_RESOURCES, LEASE_NAMESPACE, LEASES, type Resource } from '../../../src/providers/kubernetes/resources.ts';
import { isHelmThere, ofKind, render } from '../helm/chart.ts';
import type { PolicyRule } from './read-only-account.ts';

const READ = ['get', 'list'];

/** What is read, for machines without helm. */
const RULES: readonly PolicyRule[] = [
  ...ALL_RESOURCES.filter((resource) => resource !== LEASES).map(ruleFor),
  { apiGroups: [''], resources: ['pods/log'], verbs: READ },
];

function ruleFor({ group, plural }: Resource): PolicyRule {
  return { apiGroups: [group], resources: [plural], verbs: READ };
}

export interface ReadOnlyRole {
  /** In all namespaces. */
  readonly rules: readonly PolicyRule[];
  /** In one, beside those. */
  readonly inNamespaces: readonly { readonly namespace: string; readonly rules: readonly PolicyRule[] }[];
}

/** The rules of the chart's read-only roles as `helm template` prints them; those above where helm is not to be had. */
export function readOnlyRole(): ReadOnlyRole {
  if (!isHelmThere) {
    return { rules: RULES, inNamespaces: [{ namespace: LEASE_NAMESPACE, rules: [ruleFor(LEASES)] }] };
  }
  // With all that may be granted: what is not is a gap, which other tests are about.
  const chart = render({ kubernetes: { rbac: { configMaps: true } } });
  const rulesOf = (object: unknown) => (object as { readonly rules?: readonly PolicyRule[] }).rules ?? [];
  return {
    rules: ofKind(chart, 'ClusterRole').flatMap(rulesOf),
    inNamespaces: ofKind(chart, 'Role').map((role) => ({
      namespace: role.metadata.namespace ?? '',
      rules: rulesOf(role),
    })),
  };
}
