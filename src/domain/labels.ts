import { withoutPodSuffix } from './pod-name.ts';

/** Prometheus-style label set. Values are untrusted text. */
export type Labels = Readonly<Record<string, string>>;

/** Labels that commonly name the workload an alert is about, most specific first. */
const SERVICE_LABELS = [
  'service',
  'service_name',
  'app',
  'app_kubernetes_io_name',
  'deployment',
  'statefulset',
  'daemonset',
  'workload',
  'container',
  'job',
  'pod',
  'node',
] as const;

/**
 * Programs whose metrics tell of others: where such an alert is scraped the usual way, `service`, `job` and often `container` and `pod` name the program, and
 * further labels what the alert is about.
 */
const OBSERVER = /(^|[-_./])(kube-state-metrics|node[-_]exporter|cadvisor|kubelet|blackbox[-_]exporter)([-_.:]|$)/;

/**
 * The service an alert is about, by label convention; of a pod its workload. An observer only where nothing else is named; the instance where nothing but
 * that is. Undefined when no such label is set.
 */
export function serviceOf(labels: Labels): string | undefined {
  let observer: string | undefined;
  for (const name of SERVICE_LABELS) {
    // What a scraped program says of others, where its own label would have had that name (`honor_labels: false`).
    const value = labels[`exported_${name}`] || labels[name];
    if (!value) continue;
    const service = name === 'pod' ? withoutPodSuffix(value) : value;
    if (!OBSERVER.test(value)) return service;
    observer ??= service;
  }
  return observer ?? (labels['instance'] || undefined);
}

/** Labels that name where the thing lies that is told of. Of a scraped exporter `namespace` may be where it runs itself: what it tells of then stands in `exported_namespace`. */
export const NAMESPACE_LABELS = [
  'exported_namespace',
  'namespace',
  'kubernetes_namespace',
  'kube_namespace',
  'k8s_namespace_name',
  'k8s_namespace',
  'destination_workload_namespace',
  'destination_service_namespace',
] as const;

/** Where the thing lies that is told of; undefined when no label says so. */
export function namespaceOf(labels: Labels): string | undefined {
  return NAMESPACE_LABELS.map((name) => labels[name]).find(Boolean);
}
