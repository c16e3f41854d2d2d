export interface AskedPath {
  /** Empty for the core group. */
  readonly group: string;
  readonly namespace: string;
  readonly plural: string;
  /** Empty for a list. */
  readonly name: string;
  readonly subresource: string;
}

const CORE = /^\/api\/v1(?:\/namespaces\/([^/]+)(?=\/[^/]+))?(?:\/([^/]+))?(?:\/([^/]+))?(?:\/([^/]+))?$/;
const GROUP =
  /^\/apis\/([^/]+)\/v\d\w*(?:\/namespaces\/([^/]+)(?=\/[^/]+))?(?:\/([^/]+))?(?:\/([^/]+))?(?:\/([^/]+))?$/;

export function readPath(path: string): AskedPath {
  const core = CORE.exec(path);
  const [, group = '', namespace = '', plural = '', name = '', subresource = ''] = core
    ? [core[0], '', ...core.slice(1)]
    : (GROUP.exec(path) ?? []);
  return { group, namespace, plural, name, subresource };
}

/** Kinds by the plural that stands in the path. */
export const PLURALS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    pods: 'Pod',
    deployments: 'Deployment',
    replicasets: 'ReplicaSet',
    statefulsets: 'StatefulSet',
    daemonsets: 'DaemonSet',
    controllerrevisions: 'ControllerRevision',
    services: 'Service',
    endpoints: 'Endpoints',
    endpointslices: 'EndpointSlice',
    persistentvolumeclaims: 'PersistentVolumeClaim',
    persistentvolumes: 'PersistentVolume',
    storageclasses: 'StorageClass',
    resourcequotas: 'ResourceQuota',
    limitranges: 'LimitRange',
    configmaps: 'ConfigMap',
    secrets: 'Secret',
    serviceaccounts: 'ServiceAccount',
    rolebindings: 'RoleBinding',
    networkpolicies: 'NetworkPolicy',
    ingresses: 'Ingress',
    poddisruptionbudgets: 'PodDisruptionBudget',
    horizontalpodautoscalers: 'HorizontalPodAutoscaler',
    jobs: 'Job',
    cronjobs: 'CronJob',
    nodes: 'Node',
    namespaces: 'Namespace',
    leases: 'Lease',
    events: 'Event',
  }),
);
