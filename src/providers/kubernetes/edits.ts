import { at, listAt, textAt, timeAt } from '../../funnel/events/json-path.ts';
import { isRecord, type JsonRecord } from '../json-record.ts';
import type { Resource } from './resources.ts';

/** When somebody last changed an object, and what of it is theirs: Kubernetes keeps no older changes. */
export interface Edit {
  readonly timeMs: number;
  /** As the program calls itself: `kubectl-edit`, `helm`, `argocd-controller`; or in words. */
  readonly by: string;
  /** Fields that it has set at some time: `spec.replicas`, `data.LOG_LEVEL`. */
  readonly fields: readonly string[];
  readonly isScaling: boolean;
}

/** Kinds that people change. Pods, endpoints, leases and replica sets are the cluster's own. */
const EDITED: ReadonlySet<string> = new Set(
  (
    'Deployment StatefulSet DaemonSet CronJob Service Ingress NetworkPolicy ConfigMap ResourceQuota LimitRange HorizontalPodAutoscaler ' +
    'PersistentVolumeClaim PodDisruptionBudget ServiceAccount RoleBinding StorageClass Node'
  ).split(' '),
);
/** What stands for the part of the cluster that scales. */
export const AUTOSCALER = 'its autoscaler';
/** Parts of the cluster keep writing what they find. */
const CLUSTER_ITSELF =
  /^(kube-controller-manager|kube-scheduler|kubelet|kube-apiserver|kube-proxy|cloud-controller-manager)$/;
/** The API's word for a client that did not say its name. */
const UNNAMED = 'unknown';
/** What was set when the object was made is no change of it. */
const CREATION_MS = 3000;

/**
 * Out of `metadata.managedFields` (https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management), whose times have whole seconds. Only
 * what changes how the object behaves: no status, no annotations.
 */
export function editsOf(item: JsonRecord, { kind }: Resource): readonly Edit[] {
  if (!EDITED.has(kind)) return [];
  const createdMs = timeAt(item, 'metadata', 'creationTimestamp') ?? Number.NEGATIVE_INFINITY;
  return listAt(item, 'metadata', 'managedFields').flatMap((entry) => {
    const timeMs = timeAt(entry, 'time');
    const [manager = UNNAMED, part] = [textAt(entry, 'manager'), textAt(entry, 'subresource')];
    const isScaling = part === 'scale';
    const isClusters = CLUSTER_ITSELF.test(manager);
    const isForeign = !isScaling && (part !== undefined || isClusters);
    const by = manager === UNNAMED ? 'an unnamed client' : isClusters ? AUTOSCALER : manager;
    if (timeMs === undefined || isForeign || timeMs - createdMs < CREATION_MS) return [];
    const fields = fieldsOf(at(entry, 'fieldsV1'), kind);
    return fields.length > 0 ? [{ timeMs, by, fields, isScaling }] : [];
  });
}

/** Two levels deep; of the metadata of nodes their labels, by which pods choose them. */
function fieldsOf(owned: unknown, kind: string): readonly string[] {
  if (!isRecord(owned)) return [];
  return Object.entries(owned).flatMap(([name, inner]) => {
    if (!name.startsWith('f:')) return [];
    const top = name.slice(2);
    if (top === 'metadata') return kind === 'Node' ? keysOf(at(inner, 'f:labels')).map((key) => `label ${key}`) : [];
    const keys = keysOf(inner);
    return keys.length > 0 ? keys.map((key) => `${top}.${key}`) : [top];
  });
}

function keysOf(owned: unknown): readonly string[] {
  if (!isRecord(owned)) return [];
  return Object.keys(owned).flatMap((name) => (name.startsWith('f:') ? [name.slice(2)] : []));
}
