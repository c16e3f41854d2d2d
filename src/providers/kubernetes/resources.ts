/** A kind of object as the API serves it. */
export interface Resource {
  readonly kind: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  /** Only names, labels and times are asked for: what it holds may be confidential. */
  readonly metadataOnly?: boolean;
  /** Read to be compared, not to be shown. */
  readonly isHistory?: boolean;
}

const inNamespace = (kind: string, groupVersion: string, plural: string): Resource => ({
  ...split(groupVersion),
  kind,
  plural,
  isNamespaced: true,
});
const inCluster = (kind: string, groupVersion: string, plural: string): Resource => ({
  ...split(groupVersion),
  kind,
  plural,
  isNamespaced: false,
});

function split(groupVersion: string): Pick<Resource, 'group' | 'version'> {
  const [first = '', version] = groupVersion.split('/');
  return version === undefined ? { group: '', version: first } : { group: first, version };
}

export const PODS = inNamespace('Pod', 'v1', 'pods');
export const CORE_EVENTS = inNamespace('Event', 'v1', 'events');
/** The same events as of the core group, by the newer API. */
export const NEW_EVENTS = inNamespace('Event', 'events.k8s.io/v1', 'events');
export const LEASES = inNamespace('Lease', 'coordination.k8s.io/v1', 'leases');
export const ENDPOINTS = inNamespace('Endpoints', 'v1', 'endpoints');
export const ENDPOINT_SLICES = inNamespace('EndpointSlice', 'discovery.k8s.io/v1', 'endpointslices');
const DEPLOYMENTS = inNamespace('Deployment', 'apps/v1', 'deployments');
const STATEFUL_SETS = inNamespace('StatefulSet', 'apps/v1', 'statefulsets');
const DAEMON_SETS = inNamespace('DaemonSet', 'apps/v1', 'daemonsets');
const SERVICES = inNamespace('Service', 'v1', 'services');

/** Read in the namespaces of the incident. What tells most comes first: the deadline cuts the rest. Never Secrets. */
export const HOME_RESOURCES: readonly Resource[] = [
  PODS,
  DEPLOYMENTS,
  inNamespace('ReplicaSet', 'apps/v1', 'replicasets'),
  STATEFUL_SETS,
  DAEMON_SETS,
  SERVICES,
  ENDPOINTS,
  ENDPOINT_SLICES,
  inNamespace('PersistentVolumeClaim', 'v1', 'persistentvolumeclaims'),
  inNamespace('ResourceQuota', 'v1', 'resourcequotas'),
  { ...inNamespace('ConfigMap', 'v1', 'configmaps'), metadataOnly: true },
  inNamespace('HorizontalPodAutoscaler', 'autoscaling/v2', 'horizontalpodautoscalers'),
  inNamespace('Job', 'batch/v1', 'jobs'),
  inNamespace('CronJob', 'batch/v1', 'cronjobs'),
  inNamespace('ServiceAccount', 'v1', 'serviceaccounts'),
  inNamespace('LimitRange', 'v1', 'limitranges'),
  inNamespace('NetworkPolicy', 'networking.k8s.io/v1', 'networkpolicies'),
  inNamespace('Ingress', 'networking.k8s.io/v1', 'ingresses'),
  inNamespace('PodDisruptionBudget', 'policy/v1', 'poddisruptionbudgets'),
  inNamespace('RoleBinding', 'rbac.authorization.k8s.io/v1', 'rolebindings'),
  { ...inNamespace('ControllerRevision', 'apps/v1', 'controllerrevisions'), isHistory: true },
];

export const CLUSTER_RESOURCES: readonly Resource[] = [
  inCluster('Node', 'v1', 'nodes'),
  inCluster('PersistentVolume', 'v1', 'persistentvolumes'),
  inCluster('StorageClass', 'storage.k8s.io/v1', 'storageclasses'),
  inCluster('Namespace', 'v1', 'namespaces'),
];

/** What the cluster itself runs: name server, network plugin, control plane. */
export const SYSTEM_NAMESPACE = 'kube-system';
export const SYSTEM_RESOURCES: readonly Resource[] = [PODS, DEPLOYMENTS, DAEMON_SETS, SERVICES, ENDPOINTS];
/** Read in the namespaces that those of the incident call. */
export const NEIGHBOUR_RESOURCES: readonly Resource[] = [PODS, DEPLOYMENTS, STATEFUL_SETS, SERVICES, ENDPOINTS];
export const LEASE_NAMESPACE = 'kube-node-lease';

/** By their names and labels the namespaces of a service are found. */
export const NAMING_RESOURCES: readonly Resource[] = [DEPLOYMENTS, STATEFUL_SETS, DAEMON_SETS, SERVICES];

/** Kinds that hold a template of pods. */
export const TEMPLATED: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob']);

/** Everything that is read, each once. */
export const ALL_RESOURCES: readonly Resource[] = [
  ...HOME_RESOURCES,
  CORE_EVENTS,
  NEW_EVENTS,
  LEASES,
  ...CLUSTER_RESOURCES,
];

/** Path of the list; of all namespaces without one. */
export function pathOf({ group, version, plural, isNamespaced }: Resource, namespace: string | undefined): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return isNamespaced && namespace !== undefined
    ? `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}`
    : `${root}/${plural}`;
}

/** `pods in shop`, `nodes`, `events of events.k8s.io in all namespaces`. */
export function inWords({ group, plural, isNamespaced }: Resource, namespace: string | undefined): string {
  const of = plural === 'events' && group !== '' ? ` of ${group}` : '';
  if (!isNamespaced) return plural;
  return `${plural}${of} in ${namespace ?? 'all namespaces'}`;
}
