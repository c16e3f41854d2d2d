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
  'instance',
] as const;

/** The service an alert is about, by label convention; undefined when no such label is set. */
export function serviceOf(labels: Labels): string | undefined {
  for (const name of SERVICE_LABELS) {
    const value = labels[name];
    if (value) return value;
  }
  return undefined;
}
